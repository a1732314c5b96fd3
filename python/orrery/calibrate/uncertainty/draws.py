# SPDX-License-Identifier: BSD-3-Clause
"""Bootstrap of a calibration: all parameters are estimated again from draws of its samples.

The structure of the result stays the same in all draws: regimes, protocols, framing, and which effects are modelled. All
parameters of a draw come from the same samples, so their correlations are kept: if the latency is high, the time per byte is
low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit import (
    CalibrationOutcome,
    Fit,
    FittedRegime,
    MessagePath,
    SharedProcessors,
    SharingParameters,
    calls_of,
    curves_of,
    eager_limit,
    first_message_of,
    host_link_of,
    memory_of,
    noise_of,
    processors_of,
    refit,
    sharing_of,
    uplink_of,
    way_of,
    wire_at,
    with_capacity,
)
from orrery.calibrate.measure import DISTURBANCE, CalibrationResults
from orrery.calibrate.uncertainty.resampling import Bootstrap

DRAWS = 200
"""Default number of draws."""
TAILS = (0.025, 0.975)
"""Quantiles that bound a 95 % interval."""


def with_draws(
    outcome: CalibrationOutcome, results: CalibrationResults, groups: list[int], *, draws: int = DRAWS, seed: int = 1
) -> CalibrationOutcome:
    """The outcome with the results of other draws, and with intervals from them.

    Args:
        outcome: the fit to all samples.
        results: raw samples.
        groups: number of nodes in each cabinet or site, in the order of ranks.
        draws: number of draws; those to which nothing can be fitted are left out.
        seed: seed of the draws.
    """
    generator = np.random.default_rng(seed)
    bootstrap = Bootstrap(results)
    found = [drawn for _ in range(draws) if (drawn := _draw(outcome, bootstrap, groups, generator)) is not None]
    if not found:
        return outcome
    network = _with_intervals(outcome.network, [draw.network for draw in found])
    memory = outcome.memory and _with_intervals(outcome.memory, [draw.memory for draw in found if draw.memory])
    return replace(outcome, network=network, memory=memory, draws=tuple(found))


def _draw(
    outcome: CalibrationOutcome, bootstrap: Bootstrap, groups: list[int], generator: np.random.Generator
) -> CalibrationOutcome | None:
    """The outcome from one draw; None if the drawn samples have no small messages, or give no rate."""
    drawn = bootstrap.draw(generator)
    if not all(_has_small(drawn, what) for what in ("half", "oneway") if len(bootstrap.results.curve(what, "net"))):
        return None
    alone = outcome.layout.alone
    share = float(generator.uniform(*DISTURBANCE))
    try:
        memory = outcome.memory and _memory(outcome.memory, drawn, share)
        network = memory if alone and memory else _network(outcome.network, drawn, share)
    except CalibrationError:
        return None
    half = drawn.curve("half", "memory" if alone else "net")
    uplink = outcome.uplink and uplink_of(drawn, network.wire, groups)
    latency_s = network.regimes[0].fit.latency_s
    return replace(
        outcome,
        network=network,
        memory=memory,
        sharing=_sharing(outcome, drawn, network),
        processors=_processors(outcome, drawn, network, pace_of(bootstrap.results, generator)),
        noise=noise_of(half),
        uplink=uplink,
        host_link=outcome.host_link and host_link_of(drawn, network.wire, uplink, latency_s),
        calls=calls_of(drawn),
        first_message_s=first_message_of(drawn),
    )


def _has_small(results: CalibrationResults, what: str) -> bool:
    """Whether there are messages of at most 64 bytes, which `way_of` needs."""
    return len(results.curve(what, "net").within(1, 65)) > 0


def _network(path: MessagePath, results: CalibrationResults, share: float) -> MessagePath:
    half, oneway = results.curve("half", "net"), results.curve("oneway", "net")
    eager = eager_limit(path.limits, half)
    wire = wire_at(oneway if len(oneway) else half, path.wire.framing, eager, share)
    wire = replace(wire, store_and_forward=path.wire.store_and_forward)
    curves = curves_of(results, "net", way_of(half, oneway, wire))
    return replace(path, curves=curves, wire=wire, regimes=refit(path.regimes, curves, wire, share))


def _memory(path: MessagePath, results: CalibrationResults, share: float) -> MessagePath:
    half = results.curve("half", "memory")
    wire = memory_of(half, share)
    curves = curves_of(results, "memory", half)
    regimes = refit(path.regimes, curves, wire, share)
    return replace(path, curves=curves, wire=with_capacity(results, wire, regimes), regimes=regimes)


def _sharing(outcome: CalibrationOutcome, results: CalibrationResults, network: MessagePath) -> SharingParameters:
    """The shares of one draw. `grants_wait` is no estimate and stays as it was found, and so do the reported cases."""
    before = outcome.sharing
    found = sharing_of(results, network.wire)
    return replace(found, cases=before.cases, grants_wait=before.grants_wait)


def _processors(
    outcome: CalibrationOutcome, results: CalibrationResults, network: MessagePath, pace: float
) -> SharedProcessors | None:
    if outcome.processors is None:
        return None
    found = processors_of(results, outcome.layout, network.regimes[0].fit) or outcome.processors
    names = ("send_work_s", "recv_work_s", "wake_work_s", "frame_work_s")
    return replace(found, **{name: pace * getattr(found, name) for name in names})


def pace_of(results: CalibrationResults, generator: np.random.Generator) -> float:
    """Time of the same arithmetic at one random moment of the session over that at another; 1 if it was not measured.

    Messages that load the processors are all sent within a few seconds. The factor stands for the speed that the processors
    would have had in another session.
    """
    times = [float(np.median(experiment.values("kernel"))) for experiment in results.of("compute")]
    if not times:
        return 1.0
    first, second = generator.choice(times, 2)
    return float(first / second) if second > 0 else 1.0


def _with_intervals(path: MessagePath, draws: Sequence[MessagePath]) -> MessagePath:
    regimes = [
        replace(regime, intervals=_intervals([draw.regimes[index] for draw in draws]))
        for index, regime in enumerate(path.regimes)
    ]
    wire = replace(path.wire, alternatives=tuple(draw.wire for draw in draws))
    return replace(path, wire=wire, regimes=regimes)


def _intervals(draws: Sequence[FittedRegime]) -> dict[str, tuple[float, float]]:
    out = {}
    for name in Fit.__dataclass_fields__:
        low, high = np.quantile([getattr(regime.fit, name) for regime in draws], TAILS)
        out[name] = (float(low), float(high))
    return out
