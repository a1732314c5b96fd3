# SPDX-License-Identifier: BSD-3-Clause
"""Checks of fitted values: whether they agree with the samples, and whether they are physically possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit import (
    MOST_OF_RECEIVE,
    CalibrationOutcome,
    FittedRegime,
    MessagePath,
    receive_share,
    theil_sen,
    way_s,
)
from orrery.calibrate.measure import Curve, Floats
from orrery.calibrate.uncertainty.draws import TAILS
from orrery.calibrate.uncertainty.grading import Bound, Flaw, reason
from orrery.platform.schema import Reason
from orrery.units import show_bytes, show_rate, show_time

LEAST_LATENCY_S = 100e-9
"""Smallest possible latency between nodes, through two network interfaces, two buses and a cable. The fastest networks of 2025
need 600 ns for a message, a third of it in software."""
LEAST_MEMORY_LATENCY_S = 10e-9
"""Smallest possible latency inside a node: a cache line needs at least 20 ns from one core to another."""
MOST_RATE_BYTES_PER_S = 1e12
"""Largest possible rate. The fastest interfaces of 2025 have 100 GB/s, the memory of a processor has 600 GB/s, and caches of
one core have more."""
MISFIT = Bound(0.15, 0.50)
"""Difference of the fitted and the undisturbed measured time of a size, relative to the smaller one: third quartile over the
sizes of a regime. It is within 2 % for quiet samples, and within 10 % on containers of one machine."""
REPETITIONS = Bound(0.50, 3.0)
"""Third minus first quartile of the times of one size, over the first, for all samples of a regime. The fit follows the first
quartile, so above 3 a quarter of all messages takes more than four times as long as predicted. It was 2 for four namespaces on
two quiet processors, where some small messages wake their receiver and others find it awake."""
RESIDUAL = Bound(0.75, 4.0)
"""Third minus first quartile of measured over fitted times: finds what `MISFIT` and `REPETITIONS` do not show each alone."""
INTERVAL = Bound(0.25, 1.0)
"""Half of the 95 % interval of a fitted one-way time, relative to the time. Predictions are at least as uncertain."""
FALLING = Bound(0.10, 0.50)
"""Relative decrease of the times of a regime from its smallest to its largest size (Theil-Sen slope). No network has that."""
FEW_SIZES = 5
"""Sizes that a regime should have: with fewer, one disturbed size changes the slope of its line."""
TOO_FEW_SIZES = 2
"""Sizes that a regime must have: one point gives no slope."""
_NARROW = 2.0
"""End over start of a regime, below which it may have few sizes: few messages have a size in such a regime."""
_PROBES = (0.1, 0.5, 0.9)
"""Quantiles of the sizes of a regime at which the intervals of fitted times are checked."""
_AGAIN = "measure anew (--fresh) while the nodes are quiet, each rank on a core of its own, and for longer (--budget)"
_LOOK = (
    "look at the page: where points scatter, other work came and went (measure anew, --fresh, while the nodes are quiet); where they "
    "bend, more ranges may help (--most-regimes); loopback or shared memory in a network's place is like none of the models"
)
_COLD = (
    "keep processors from sleeping and from changing their speed (frequency governor), bind ranks to cores, end other work; in "
    "shared memory, and on loopback, it is usual"
)
_LONGER = "measure for longer (--budget, with --fresh)"


@dataclass(frozen=True)
class _Kind:
    """Messages between nodes, or inside a node."""

    where: str
    path: MessagePath
    draws: Sequence[MessagePath]
    """The fitted path in other draws of the samples."""
    least_latency_s: float


@dataclass(frozen=True)
class _Check:
    """A check of a value that each regime has."""

    about: str
    bound: Bound
    found: str
    """Template of the finding: {0} is the value, {1} is 1 plus the value."""
    cure: str


_FALLS = _Check("negative slope", FALLING, "the largest messages took {0:.0%} less than the smallest", _AGAIN)
_MISFITS = _Check("misfit", MISFIT, "fitted and measured times differ by a factor of {1:.2f}", _LOOK)
_REPETITIONS = _Check("repetitions", REPETITIONS, "repeated messages of one size differ by {0:.0%}", _AGAIN)
_RESIDUALS = _Check("residual", RESIDUAL, "measured over fitted times differ by {0:.0%}", _AGAIN)
_INTERVALS = _Check("interval", INTERVAL, "fitted times are known to {0:.0%} only (95 %)", _LONGER)


def fit_reasons(outcome: CalibrationOutcome, *, accept_bimodal: bool) -> Iterator[Reason]:
    """Reasons against the fits of messages between nodes and inside a node.

    `accept_bimodal`: times in two groups make a calibration usable instead of poor.
    """
    for kind in _kinds(outcome):
        yield from _impossible(kind)
        yield from _late_receives(kind)
        yield from _bimodal(kind, "usable" if accept_bimodal else "poor")
        yield from _against_samples(kind)
        yield from _against_draws(kind)
        yield from _few_sizes(kind)


def _kinds(outcome: CalibrationOutcome) -> Iterator[_Kind]:
    if not outcome.layout.alone:
        draws = [draw.network for draw in outcome.draws]
        yield _Kind("between nodes", outcome.network, draws, LEAST_LATENCY_S)
    if outcome.memory is not None:
        memory = [draw.memory for draw in outcome.draws if draw.memory]
        yield _Kind("inside a node", outcome.memory, memory, LEAST_MEMORY_LATENCY_S)


def _impossible(kind: _Kind) -> Iterator[Reason]:
    """Impossible values: too short a latency, too high a rate, or times that fall with the size."""
    latency_s, rate = kind.path.regimes[0].fit.latency_s, kind.path.wire.rate_bytes_per_s
    if latency_s < kind.least_latency_s:
        found = f"{kind.where}: a latency of {show_time(latency_s)}, where nothing is quicker than {show_time(kind.least_latency_s)}"
        yield reason("latency", "poor" if kind.where == "between nodes" else "usable", found, _AGAIN)
    if rate > MOST_RATE_BYTES_PER_S:
        yield reason("rate", "poor", f"{kind.where}: a rate of {show_rate(rate)}, which nothing has", _AGAIN)
    falls = [(regime, _fall(_way(kind.path, regime))) for regime in kind.path.regimes]
    yield from _worst(kind, _FALLS, falls)


def _late_receives(kind: _Kind) -> Iterator[Reason]:
    """Late receives that take most of the one-way time, so that the receive overhead is not known."""
    first = kind.path.regimes[0]
    if first.protocol != "asynchronous":
        return
    sizes, receives = kind.path.curves.recv.within(0, np.inf if first.end is None else first.end).typical()
    ways = kind.path.curves.way.typical()
    share = receive_share(receives, np.interp(sizes, *ways)) if len(sizes) else 0.0
    if share > MOST_OF_RECEIVE:
        found = (
            f"{kind.where}: receiving a message that was there took {share:.0%} of the whole way of one that is awaited: how much of "
            f"the way is the receiver's is not known, and taken to be {MOST_OF_RECEIVE:.0%} at most"
        )
        yield reason("receives", "usable", found, _COLD)


def _fall(way: Curve) -> float:
    """Relative decrease of times from the smallest to the largest size; 0 for fewer than `FEW_SIZES` sizes."""
    sizes, times = way.typical()
    if len(sizes) < FEW_SIZES:
        return 0.0
    return float(-theil_sen(sizes, times).slope * np.ptp(sizes) / np.median(times))


def _bimodal(kind: _Kind, grade: Flaw) -> Iterator[Reason]:
    """Times of ping-pongs that fall into two groups."""
    found = kind.path.twofold
    if found is None:
        return
    yield reason(
        "bimodal",
        grade,
        f"{kind.where}: at {found.sizes} of {found.judged} sizes the times of a ping-pong fall into two groups "
        f"({show_bytes(found.bytes)}: {show_time(found.quick_s)} and {show_time(found.slow_s)}, {found.slow_share:.0%} of them "
        f"slow); the quicker one is fitted",
        "look for other jobs on the nodes, processors that change their frequency or are shared (bind ranks to cores), or two "
        "networks used in turn; --accept-bimodal if they belong to this network",
    )


def _against_samples(kind: _Kind) -> Iterator[Reason]:
    """Lines that do not fit the samples, and repetitions that differ much."""
    regimes = kind.path.regimes
    ways = [_way(kind.path, regime) for regime in regimes]
    misfits = [(regime, _misfit(kind.path, regime, way)) for regime, way in zip(regimes, ways, strict=True)]
    spreads = [(regime, _spread(way)) for regime, way in zip(regimes, ways, strict=True)]
    residuals = [(regime, regime.noise[3] - regime.noise[1]) for regime in regimes if regime.noise]
    said = [*_worst(kind, _MISFITS, misfits), *_worst(kind, _REPETITIONS, spreads)]
    yield from said
    if not any(reason.grade == "poor" for reason in said):
        yield from _worst(kind, _RESIDUALS, residuals)


def _way(path: MessagePath, regime: FittedRegime) -> Curve:
    return path.curves.way.within(regime.start, np.inf if regime.end is None else regime.end)


def _misfit(path: MessagePath, regime: FittedRegime, way: Curve) -> float:
    """The value for `MISFIT`."""
    sizes, times = way.typical()
    if len(sizes) == 0:
        return 0.0
    ratios = np.log(times / way_s([regime], sizes, path.wire))
    return float(np.expm1(np.quantile(np.abs(ratios), 0.75)))


def _spread(way: Curve) -> float:
    """The value for `REPETITIONS`: third minus first quartile of all times over the lower quartile of their size."""
    ratios = [times / np.quantile(times, 0.25) for _, times in way.groups() if len(times) > 1]
    return _quartiles_apart(np.concatenate(ratios)) if ratios else 0.0


def _quartiles_apart(values: Floats) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    return float(high - low)


def _against_draws(kind: _Kind) -> Iterator[Reason]:
    """Fitted times that are uncertain."""
    if not kind.draws:
        found = f"{kind.where}: so few samples that no interval can be told"
        yield reason("interval", "poor", found, _LONGER)
        return
    widths = [(regime, _width(kind, number)) for number, regime in enumerate(kind.path.regimes)]
    yield from _worst(kind, _INTERVALS, widths)


def _width(kind: _Kind, number: int) -> float:
    """Half of the 95 % interval of the fitted time over its median: the largest at some sizes of regime `number`."""
    sizes = np.quantile(_way(kind.path, kind.path.regimes[number]).sizes, _PROBES)
    times = np.array([way_s([draw.regimes[number]], sizes, draw.wire) for draw in kind.draws])
    low, middle, high = np.quantile(times, (TAILS[0], 0.5, TAILS[1]), axis=0)
    return float(np.max((high - low) / 2 / np.maximum(middle, 1e-12)))


def _few_sizes(kind: _Kind) -> Iterator[Reason]:
    few = [regime for regime in kind.path.regimes if regime.sizes < FEW_SIZES and not _narrow(regime)]
    if not few:
        return
    fewest = min(few, key=lambda regime: regime.sizes)
    sizes = "1 size tells" if fewest.sizes == 1 else f"{fewest.sizes} sizes tell"
    found = f"{kind.where}: only {sizes} of messages of {_span(fewest)}"
    yield reason("few sizes", "poor" if fewest.sizes < TOO_FEW_SIZES else "usable", found, _LONGER)


def _narrow(regime: FittedRegime) -> bool:
    return regime.end is not None and regime.end < _NARROW * max(1, regime.start)


def _worst(kind: _Kind, check: _Check, values: Iterable[tuple[FittedRegime, float]]) -> Iterator[Reason]:
    """One reason for the regime with the worst value; it also tells how many other regimes are above the bound."""
    beyond = [(value, regime, grade) for regime, value in values if (grade := check.bound.grade(value))]
    if not beyond:
        return
    value, regime, grade = max(beyond, key=lambda found: found[0])
    others = f", and so in {len(beyond) - 1} of {len(kind.path.regimes) - 1} other ranges" if len(beyond) > 1 else ""
    yield reason(
        check.about, grade, f"{kind.where}, {_span(regime)}: {check.found.format(value, 1 + value)}{others}", check.cure
    )


def _span(regime: FittedRegime) -> str:
    return f"{show_bytes(regime.start)} {'and more' if regime.end is None else f'to {show_bytes(regime.end - 1)}'}"
