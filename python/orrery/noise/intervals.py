# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of times, from repeated runs or from the replicas of one prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from orrery.noise.verdict import LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Median and percentiles of the replicas of one prediction, in seconds."""

    median_s: float
    low_s: float
    """5th percentile, interpolated between replicas."""
    high_s: float
    """95th percentile."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> Interval:
        """The interval of at least two replicas."""
        from statistics import median, quantiles

        twentieths = quantiles(times_s, n=20, method="inclusive")
        return cls(median_s=median(times_s), low_s=twentieths[0], high_s=twentieths[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """Median of repeated runs in seconds, with a confidence interval of the median of the distribution."""

    median_s: float
    low_s: float
    high_s: float
    confidence: float
    """Confidence of the interval: 0.95 or a little more; less for fewer than six runs."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> MedianInterval:
        """The interval of at least two runs, from the order of their times; no distribution is assumed.

        The interval from the k-th smallest to the k-th largest of n times misses the median with probability
        2 * (C(n, 0) + ... + C(n, k - 1)) / 2^n. The narrowest interval of at least 95 % is taken. If even that from the
        smallest to the largest time has less, it is taken.

        Source: David and Nagaraja, Order Statistics, 2003, section 7.1.
        """
        from statistics import median

        ordered, count = sorted(times_s), len(times_s)
        best, missed, confidence = 0, 0, 1.0
        for k in range(count // 2):
            missed += comb(count, k)
            holds = 1 - 2 * missed / 2**count
            if k > 0 and holds < 1 - LEVEL:
                break
            best, confidence = k, holds
        return cls(
            median_s=median(ordered), low_s=ordered[best], high_s=ordered[count - 1 - best], confidence=confidence
        )
