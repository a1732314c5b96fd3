# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration could have given as well: everything estimated again from other draws of its samples.

What is no estimate stays: which regimes and protocols there are, how messages are framed, which effects are modelled. One
draw is estimated as a whole, so that its values belong together: where a start-up time came out long, the time for each byte
came out short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit import (
    Fit,
    FittedRegime,
    Outcome,
    Path,
    Processors,
    Sharing,
    calls_of,
    curves_of,
    eager_limit,
    first_message_of,
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
from orrery.calibrate.measure import DISTURBANCE, Results
from orrery.calibrate.uncertainty.resampling import resampled

DRAWS = 200
TAILS = (0.025, 0.975)
"""Of intervals of 95 %."""


def with_draws(outcome: Outcome, results: Results, groups: list[int], *, draws: int = DRAWS, seed: int = 1) -> Outcome:
    """The outcome with what other draws give, and the intervals that follow."""
    generator = np.random.default_rng(seed)
    found = [one for _ in range(draws) if (one := _draw(outcome, results, groups, generator)) is not None]
    if not found:
        return outcome
    network = _with_intervals(outcome.network, [one.network for one in found])
    memory = outcome.memory and _with_intervals(outcome.memory, [one.memory for one in found if one.memory])
    return replace(outcome, network=network, memory=memory, draws=tuple(found))


def _draw(outcome: Outcome, results: Results, groups: list[int], generator: np.random.Generator) -> Outcome | None:
    """None for samples so few that there are no small messages, or that large ones tell no rate."""
    drawn = resampled(results, generator)
    if not all(_has_small(drawn, what) for what in ("half", "oneway") if len(results.curve(what, "net"))):
        return None
    alone = outcome.layout.alone
    share = float(generator.uniform(*DISTURBANCE))
    try:
        memory = outcome.memory and _memory(outcome.memory, drawn, share)
        network = memory if alone and memory else _network(outcome.network, drawn, share)
    except CalibrationError:
        return None
    half = drawn.curve("half", "memory" if alone else "net")
    return replace(
        outcome,
        network=network,
        memory=memory,
        sharing=_sharing(outcome, drawn, network),
        processors=_processors(outcome, drawn, network, pace_of(results, generator)),
        noise=noise_of(half),
        uplink=outcome.uplink and uplink_of(drawn, network.wire, groups),
        calls=calls_of(drawn),
        first_message_s=first_message_of(drawn),
    )


def _has_small(results: Results, what: str) -> bool:
    """Sizes that way_of looks at."""
    return len(results.curve(what, "net").within(1, 65)) > 0


def _network(path: Path, results: Results, share: float) -> Path:
    half, oneway = results.curve("half", "net"), results.curve("oneway", "net")
    eager = eager_limit(path.limits, half)
    wire = wire_at(oneway if len(oneway) else half, path.wire.framing, eager, share)
    wire = replace(wire, store_and_forward=path.wire.store_and_forward)
    curves = curves_of(results, "net", way_of(half, oneway, wire))
    return replace(path, curves=curves, wire=wire, regimes=refit(path.regimes, curves, wire, share))


def _memory(path: Path, results: Results, share: float) -> Path:
    half = results.curve("half", "memory")
    wire = memory_of(half, share)
    curves = curves_of(results, "memory", half)
    regimes = refit(path.regimes, curves, wire, share)
    return replace(path, curves=curves, wire=with_capacity(results, wire, regimes), regimes=regimes)


def _sharing(outcome: Outcome, results: Results, network: Path) -> Sharing:
    """What either is or is not stays as it was found."""
    before = outcome.sharing
    found = sharing_of(results, network.wire)
    return replace(found, cases=before.cases, grants_wait=before.grants_wait)


def _processors(outcome: Outcome, results: Results, network: Path, pace: float) -> Processors | None:
    if outcome.processors is None:
        return None
    found = processors_of(results, outcome.layout, network.regimes[0].fit) or outcome.processors
    names = ("send_work_s", "recv_work_s", "wake_work_s", "frame_work_s")
    return replace(found, **{name: pace * getattr(found, name) for name in names})


def pace_of(results: Results, generator: np.random.Generator) -> float:
    """What work takes at one moment of the session over what it takes at another, by the same arithmetic at both.

    Messages that load the processors are all sent within a few seconds; another session would have had other ones.
    """
    times = [float(np.median(one.values("kernel"))) for one in results.of("compute")]
    if not times:
        return 1.0
    one, other = generator.choice(times, 2)
    return float(one / other) if other > 0 else 1.0


def _with_intervals(path: Path, draws: Sequence[Path]) -> Path:
    regimes = [
        replace(one, intervals=_intervals([draw.regimes[index] for draw in draws]))
        for index, one in enumerate(path.regimes)
    ]
    wire = replace(path.wire, alternatives=tuple(draw.wire for draw in draws))
    return replace(path, wire=wire, regimes=regimes)


def _intervals(draws: Sequence[FittedRegime]) -> dict[str, tuple[float, float]]:
    out = {}
    for name in Fit.__dataclass_fields__:
        low, high = np.quantile([getattr(one.fit, name) for one in draws], TAILS)
        out[name] = (float(low), float(high))
    return out
