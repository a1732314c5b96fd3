# SPDX-License-Identifier: BSD-3-Clause
"""Times that were found several times, as intervals: of equal runs, or of the replicas of one prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """What replicas of one prediction gave, in seconds."""

    median_s: float
    """Of all replicas."""
    low_s: float
    """5th percentile, between two replicas where it falls between them."""
    high_s: float
    """95th percentile."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> Interval:
        """That of at least two replicas."""
        from statistics import median, quantiles

        twentieths = quantiles(times_s, n=20, method="inclusive")
        return cls(median_s=median(times_s), low_s=twentieths[0], high_s=twentieths[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """The median of equal runs, and where the median of all such runs is with some confidence, in seconds."""

    median_s: float
    low_s: float
    high_s: float
    confidence: float
    """Of the interval: 0.95 or a little more; less where there are fewer than six runs."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> MedianInterval:
        """That of at least two runs, from the order of their times alone: no distribution is assumed.

        The interval from the k-th smallest to the k-th largest of n times misses the median with probability
        2 * (C(n, 0) + ... + C(n, k - 1)) / 2^n. The narrowest one of 95 % is taken; where even all times have less, all.

        Source: David and Nagaraja, Order Statistics, 2003, section 7.1.
        """
        from statistics import median

        ordered, count = sorted(times_s), len(times_s)
        best, missed, confidence = 0, 0, 1.0
        for k in range(count // 2):
            missed += comb(count, k)
            holds = 1 - 2 * missed / 2**count
            if k > 0 and holds < _CONFIDENCE:
                break
            best, confidence = k, holds
        return cls(
            median_s=median(ordered), low_s=ordered[best], high_s=ordered[count - 1 - best], confidence=confidence
        )
