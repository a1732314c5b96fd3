# SPDX-License-Identifier: BSD-3-Clause
"""What the memory of a node gives all of its ranks together, from several pairs that exchange large messages at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orrery.calibrate.regimes import FittedRegime
from orrery.calibrate.results import Experiment, Results
from orrery.calibrate.wire import Wire


def with_capacity(results: Results, wire: Wire, regimes: Sequence[FittedRegime]) -> Wire:
    """With the rate of all pairs together, given the regimes of one: the link of a node's memory is shared by all of them."""
    # A regime that shows no rate has that of the wire, which is a bound.
    told = [one.fit.rate_bytes_per_s for one in regimes if one.fit.rate_bytes_per_s < wire.rate_bytes_per_s]
    return replace(wire, rate_bytes_per_s=gain_of(results) * max(told, default=wire.rate_bytes_per_s))


def gain_of(results: Results) -> float:
    """What several pairs reach together in units of one; 1 where no more was seen, or several were not measured.

    n pairs that take s times as long together as one takes alone have n / s times its rate; the most of it counts.
    """
    times: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for one in results.of("flows", name="together"):
        times[one.keys["bytes"]][one.keys["list"].count(">")] = _time_s(one)
    return max(
        [1.0, *(count * found[1] / time for found in times.values() if 1 in found for count, time in found.items())]
    )


def _time_s(one: Experiment) -> float:
    """Until the last transfer of a repetition has arrived: the median of all repetitions."""
    ends: defaultdict[int, float] = defaultdict(float)
    for sample in one.samples:
        if sample.what == "arrived":
            ends[sample.repetition] = max(ends[sample.repetition], sample.value)
    return float(np.median(list(ends.values())))
