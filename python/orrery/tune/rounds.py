# SPDX-License-Identifier: BSD-3-Clause
"""What was measured in several rounds, in each of which everything had its turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, median, stdev

from orrery.published import published
from orrery.record.intervals import student


@dataclass(frozen=True)
class Rounds:
    """Seconds by number of the round; at least one."""

    times: Mapping[int, float]

    @property
    def median_s(self) -> float:
        """Median of all rounds."""
        return median(self.times.values())

    def quicker_than(self, other: Rounds) -> bool:
        """Whether it is in every round that both have; there is one at least."""
        both = self.times.keys() & other.times.keys()
        return bool(both) and all(self.times[number] < other.times[number] for number in both)


@dataclass(frozen=True)
class GainInterval:
    """How many times as long the one takes as the other: geometric mean over rounds that both have, and its interval of 95 %."""

    gain: float
    low: float
    high: float
    """Infinite, in JSON null, of a single round."""

    @classmethod
    def of(cls, before: Rounds, after: Rounds) -> GainInterval:
        """Ratio of what was before to what came after. With a single round the interval is from 0 to infinity."""
        logs = [log(before.times[number] / after.times[number]) for number in before.times.keys() & after.times.keys()]
        mean = fmean(logs)
        if len(logs) < 2:
            return cls(exp(mean), 0.0, float("inf"))
        half = student(len(logs) - 1) * stdev(logs) / sqrt(len(logs))
        return cls(exp(mean), exp(mean - half), exp(mean + half))

    @property
    @published
    def holds(self) -> bool:
        """Whether the whole interval is above 1; rules where it is not were taken out."""
        return self.low > 1
