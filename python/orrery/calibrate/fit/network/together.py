# SPDX-License-Identifier: BSD-3-Clause
"""Memory bandwidth that all ranks of a node share, from several pairs that exchange large messages at the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orrery.calibrate.fit.network.regimes import FittedRegime
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.measure import CalibrationExperiment, CalibrationResults


def with_capacity(results: CalibrationResults, wire: Wire, regimes: Sequence[FittedRegime]) -> Wire:
    """With the rate of all pairs together: the link of a node's memory is shared by all of them.

    It is at least that of the quickest regime, and where several pairs were measured what these reached.
    """
    # A regime without a rate of its own has that of the wire, which is an upper bound.
    told = [regime for regime in regimes if regime.fit.rate_bytes_per_s < wire.rate_bytes_per_s]
    reached = [
        gain * regime.fit.rate_bytes_per_s
        for size, gain in gains_of(results).items()
        for regime in told
        if _holds(regime, size)
    ]
    rates = [*reached, *(regime.fit.rate_bytes_per_s for regime in told)]
    return replace(wire, rate_bytes_per_s=max(rates, default=wire.rate_bytes_per_s))


def _holds(regime: FittedRegime, size: float) -> bool:
    return regime.start <= size < (np.inf if regime.end is None else regime.end)


def gains_of(results: CalibrationResults) -> dict[int, float]:
    """Rate of several pairs together over that of one pair, by message size in bytes; 1 if it was not larger.

    n pairs that take s times as long as one pair alone have n / s times its rate; the largest n / s counts.
    """
    times: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for experiment in results.of("flows", name="together"):
        times[int(experiment.keys["bytes"])][experiment.keys["list"].count(">")] = _time_s(experiment)
    return {
        size: max(count * found[1] / time for count, time in found.items())
        for size, found in times.items()
        if 1 in found
    }


def _time_s(experiment: CalibrationExperiment) -> float:
    """Time until the last transfer of a repetition has arrived, in seconds: median over repetitions."""
    ends: defaultdict[int, float] = defaultdict(float)
    for sample in experiment.samples:
        if sample.what == "arrived":
            ends[sample.repetition] = max(ends[sample.repetition], sample.value)
    return float(np.median(list(ends.values())))
