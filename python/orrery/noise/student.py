# SPDX-License-Identifier: BSD-3-Clause
"""Student's distribution: how well the mean of few times is known, and the difference of two means.

Means, or their logarithms, are taken to be normally distributed, which the rank tests (`orrery.noise.ranks`) do without where there are
enough times. Welch 1947, doi:10.1093/biomet/34.1-2.28, for two samples whose spreads differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, exp, pi, sin, sqrt

from orrery.noise.verdict import LEVEL


def error_of_mean(values: Sequence[float]) -> float:
    """Standard error of the mean; 0 of a single value, which says nothing of it."""
    from statistics import stdev

    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def shift(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Welch's interval of 95 % of what is added to the mean of the first to give that of the second; two values of each at least."""
    from statistics import fmean

    parts = [error_of_mean(values) ** 2 for values in (first, second)]
    both = sum(parts)
    reach = 0.0
    if both > 0:
        sizes = (len(first), len(second))
        freedom = both * both / sum(part * part / (size - 1) for part, size in zip(parts, sizes, strict=True))
        reach = student(freedom) * sqrt(both)
    return around(fmean(second) - fmean(first), reach)


def shift_of_pairs(differences: Iterable[float]) -> tuple[float, float]:
    """Interval of 95 % of the mean difference of a pair; two at least."""
    from statistics import fmean

    values = list(differences)
    return around(fmean(values), student(len(values) - 1) * error_of_mean(values))


def around(middle: float, reach: float) -> tuple[float, float]:
    """Both ends of an interval."""
    return middle - reach, middle + reach


def student(freedom: float) -> float:
    """The quantile of Student's t distribution that 95 % of its values lie below in absolute value.

    Args:
        freedom: degrees of freedom, at least 1.

    Source: Hill, Algorithm 396: Student's t-quantiles, Communications of the ACM 13, 1970; six digits from 2 on.
    """
    from statistics import NormalDist

    chance = LEVEL
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
