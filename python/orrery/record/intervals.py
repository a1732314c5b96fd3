# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of times, from repeated runs or from the replicas of one prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, cos, exp, pi, sin, sqrt

_CONFIDENCE = 0.95


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
            if k > 0 and holds < _CONFIDENCE:
                break
            best, confidence = k, holds
        return cls(
            median_s=median(ordered), low_s=ordered[best], high_s=ordered[count - 1 - best], confidence=confidence
        )


def student(freedom: float) -> float:
    """The quantile of Student's t distribution that 95 % of its values lie below in absolute value.

    Args:
        freedom: degrees of freedom, at least 1.

    Source: Hill, Algorithm 396: Student's t-quantiles, Communications of the ACM 13, 1970; six digits from 2 on.
    """
    from statistics import NormalDist

    chance = 1 - _CONFIDENCE
    if freedom <= 1:
        return cos(chance * pi / 2) / sin(chance * pi / 2)
    if freedom == 2:
        return sqrt(2 / (chance * (2 - chance)) - 2)
    a = 1 / (freedom - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * freedom
    y = (d * chance) ** (2 / freedom)
    if y <= a + 0.05:
        left = ((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3
        y = ((1 / left + 0.5 / (freedom + 4)) * y - 1) * (freedom + 1) / (freedom + 2) + 1 / y
        return sqrt(freedom * y)
    x = NormalDist().inv_cdf(chance / 2)
    y = x * x
    if freedom < 5:
        c += 0.3 * (freedom - 4.5) * (x + 0.6)
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return sqrt(freedom * (exp(a * y * y) - 1))
