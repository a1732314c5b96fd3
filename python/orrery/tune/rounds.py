# SPDX-License-Identifier: BSD-3-Clause
"""What was measured in several rounds, in each of which everything had its turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean, median

import numpy as np

from orrery.noise import ranks
from orrery.noise.basis import NoiseBasis
from orrery.published import published

_IN_PAIRS = NoiseBasis("pairs", "in rounds")


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
    """How many times as long the one takes as the other, in rounds that both have, and the interval of 95 %."""

    gain: float
    """Geometric mean; of rounds that are enough for a test of ranks, which one disturbed round does not move, the median of means of two."""
    low: float
    high: float
    """Infinite, in JSON null, of a single round."""

    @classmethod
    def of(cls, before: Rounds, after: Rounds) -> GainInterval:
        """Ratio of what was before to what came after. With a single round the interval is from 0 to infinity."""
        numbers = before.times.keys() & after.times.keys()
        first, second = ([rounds.times[number] for number in numbers] for rounds in (after, before))
        logs = [log(b / a) for a, b in zip(first, second, strict=True)]
        middle = ranks.middle_of_pairs(np.array(logs)) if ranks.enough_pairs(len(logs)) else fmean(logs)
        return cls(exp(middle), *(_IN_PAIRS.ratios(first, second) or (0.0, inf)))

    @property
    @published
    def holds(self) -> bool:
        """Whether the whole interval is above 1; rules where it is not were taken out."""
        return self.low > 1
