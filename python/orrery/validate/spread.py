# SPDX-License-Identifier: BSD-3-Clause
"""Spread of a time: over runs of a program, or over replicas of its prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from orrery.noise.intervals import Interval
from orrery.published import UNWRITTEN, published


@dataclass(frozen=True)
class Spread:
    """Median, lowest and highest time in seconds; all equal for a single value."""

    median_s: float
    low_s: float
    high_s: float

    @classmethod
    def of_runs(cls, times_s: Sequence[float]) -> Spread:
        """The spread of measured runs, at least one: from the fastest to the slowest."""
        return cls(median(times_s), min(times_s), max(times_s))

    @classmethod
    def of_replicas(cls, times_s: Sequence[float]) -> Spread:
        """The spread of at least one replica: from the 5th to the 95th percentile."""
        if len(times_s) == 1:
            return cls.of_runs(times_s)
        interval = Interval.of(times_s)
        return cls(interval.median_s, interval.low_s, interval.high_s)

    def covers(self, time_s: float) -> bool:
        """Whether a time lies in the spread."""
        return self.low_s <= time_s <= self.high_s

    def overlaps(self, other: Spread) -> bool:
        """Whether the two spreads overlap."""
        return self.low_s <= other.high_s and other.low_s <= self.high_s


@dataclass(frozen=True, kw_only=True)
class SpreadPair:
    """A measured time and its prediction."""

    measured: Spread = field(metadata=UNWRITTEN)
    """Over runs."""
    predicted: Spread = field(metadata=UNWRITTEN)
    """Over replicas."""

    @property
    @published
    def predicted_s(self) -> float:
        """Median of the replicas."""
        return self.predicted.median_s

    @property
    @published
    def predicted_low_s(self) -> float:
        """5th percentile of the replicas."""
        return self.predicted.low_s

    @property
    @published
    def predicted_high_s(self) -> float:
        """95th percentile."""
        return self.predicted.high_s

    @property
    @published
    def error(self) -> float:
        """Predicted over measured, minus 1; both are medians. Infinite (in JSON, null): it was not measured."""
        measured_s = self.measured.median_s
        return self.predicted.median_s / measured_s - 1 if measured_s > 0 else float("inf")

    @property
    @published
    def inside(self) -> bool:
        """The prediction lies between the quickest and the slowest run."""
        return self.measured.covers(self.predicted.median_s)

    @property
    @published
    def overlaps(self) -> bool:
        """The measured spread and the predicted interval have a time in common."""
        return self.measured.overlaps(self.predicted)
