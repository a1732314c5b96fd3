# SPDX-License-Identifier: BSD-3-Clause
"""Change points of curves over message size: one set of ends of regimes for several curves.

Problem: given noisy curves y_c(k), find ends e_1 < e_2 < ... such that each curve is a straight line between two ends, not
necessarily continuous at them. The number of ends is unknown.

Method: each curve is reduced to the median of each size. For every range of sizes and every curve, a weighted least-squares
line gives a sum of squared errors in units of the noise. Dynamic programming finds the partition into ranges with the least
total error plus a penalty for each range. The penalty is that of the Bayesian information criterion:
(2 * number of curves + 1) * ln(points), for the two parameters of each line and one end.

The noise is estimated from the distances of the medians from lines through a few neighbours on either side. A point far from
both lines is an outlier and loses weight. All errors are relative, so scaling the times does not change the result.

Why not a library: change-point libraries segment one signal of evenly weighted points. Here several curves share their
change points, have different regressors (bytes, bytes on the wire) and ranges, and errors are relative to the value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from orrery.calibrate.fit.lines import theil_sen
from orrery.calibrate.measure import Floats

_NEIGHBOURS = 5
"""Points on either side from which the noise is estimated."""
_LEAST_NOISE = 0.01
"""Smallest relative noise: no model of a network is more accurate than 1 %."""
_FAR = 4.0
"""Distance from the lines through both sides, in units of the noise, from which on a point is an outlier."""


@dataclass(frozen=True)
class MedianCurve:
    """Medians of one curve; all of shape (n,)."""

    sizes: Floats
    """Message sizes in bytes, increasing."""
    x: Floats
    """Regressor: the time is linear in it within a regime."""
    y: Floats
    """Times in seconds."""


def change_points(
    series: Sequence[MedianCurve], *, forced: Sequence[float] = (), most: int = 8, least_sizes: int = 4
) -> list[float]:
    """Ends of ranges in bytes, increasing: the first size of each range but the first.

    Args:
        series: curves; ranges begin at sizes of the first one.
        forced: known ends, which are always in the result.
        most: largest number of ranges between two forced ends.
        least_sizes: smallest number of sizes of the first curve in a range.
    """
    edges = [0.0, *sorted(forced), math.inf]
    prepared = [_prepare(curve) for curve in series if len(curve.sizes) > 0]
    points = sum(len(curve.sizes) for curve in series)
    penalty = (2 * len(prepared) + 1) * math.log(max(points, 2))
    ends: list[float] = []
    for low, high in pairwise(edges):
        if low > 0:
            ends.append(low)
        ends += _partition([curve.within(low, high) for curve in prepared], penalty, most, least_sizes)
    return ends


@dataclass(frozen=True)
class _WeightedCurve:
    sizes: Floats
    x: Floats
    y: Floats
    weight: Floats

    def within(self, low: float, high: float) -> _WeightedCurve:
        mask = (self.sizes >= low) & (self.sizes < high)
        return _WeightedCurve(self.sizes[mask], self.x[mask], self.y[mask], self.weight[mask])


def _prepare(series: MedianCurve) -> _WeightedCurve:
    """The series with weights: the inverse square of the noise, and less for outliers."""
    residual = relative_residuals(series.x, series.y)
    noise = np.maximum(_LEAST_NOISE, 1.4826 * _running_median(residual))
    excess = np.maximum(1.0, residual / (_FAR * noise))
    return _WeightedCurve(series.sizes, series.x, series.y, 1.0 / (noise * excess * series.y) ** 2)


def relative_residuals(x: Floats, y: Floats) -> Floats:
    """Relative distance of each point from the line through its lower or its upper neighbours, the smaller one; shape (n,)."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        sides = [slice(max(0, i - _NEIGHBOURS), i), slice(i + 1, i + 1 + _NEIGHBOURS)]
        gaps = [
            abs(float(theil_sen(x[side], y[side]).at(x[i : i + 1])[0]) - y[i]) / y[i]
            for side in sides
            if len(x[side]) > 2
        ]
        out[i] = min(gaps, default=0.0)
    return out


def _running_median(values: Floats) -> Floats:
    reach = 2 * _NEIGHBOURS
    return np.array([np.median(values[max(0, i - reach) : i + reach + 1]) for i in range(len(values))])


class _Costs:
    """Weighted squared errors of least-squares lines, from prefix sums: constant time for each range."""

    def __init__(self, curve: _WeightedCurve) -> None:
        terms = (np.ones_like(curve.x), curve.x, curve.x**2, curve.y, curve.x * curve.y, curve.y**2)
        self._sums = [np.concatenate([[0.0], np.cumsum(curve.weight * term)]) for term in terms]

    def of(self, i: int, j: int) -> float:
        """Sum of squared errors, in units of the noise, of the best line through points [i, j)."""
        if j - i <= 2:
            return 0.0
        w, wx, wxx, wy, wxy, wyy = (float(total[j] - total[i]) for total in self._sums)
        spread = wxx - wx * wx / w
        error = wyy - wy * wy / w
        if spread > 1e-12 * wxx:
            error -= (wxy - wx * wy / w) ** 2 / spread
        return max(error, 0.0)


def _partition(series: Sequence[_WeightedCurve], penalty: float, most: int, least_sizes: int) -> list[float]:
    """Ends between two forced ones, by dynamic programming over the sizes of the first curve."""
    sizes = series[0].sizes
    count = len(sizes)
    if count < 2 * least_sizes:
        return []
    costs = [_Costs(curve) for curve in series]
    # For each curve: index of its first point whose size is at least each size of the first curve.
    starts = [np.append(np.searchsorted(curve.sizes, sizes), len(curve.sizes)) for curve in series]
    for at in starts:
        at[0] = 0

    def cost(i: int, j: int) -> float:
        return sum(of_curve.of(int(at[i]), int(at[j])) for of_curve, at in zip(costs, starts, strict=True))

    best = [[math.inf] * (count + 1) for _ in range(most + 1)]
    last = [[0] * (count + 1) for _ in range(most + 1)]
    best[0][0] = 0.0
    table = {(i, j): cost(i, j) for i in range(count) for j in range(i + least_sizes, count + 1)}
    for ranges in range(1, most + 1):
        for j in range(ranges * least_sizes, count + 1):
            for i in range((ranges - 1) * least_sizes, j - least_sizes + 1):
                total = best[ranges - 1][i] + table[i, j]
                if total < best[ranges][j]:
                    best[ranges][j], last[ranges][j] = total, i
    chosen = min(range(1, most + 1), key=lambda ranges: best[ranges][count] + penalty * ranges)
    ends, j = [], count
    for ranges in range(chosen, 0, -1):
        j = last[ranges][j]
        if j > 0:
            ends.append(float(sizes[j]))
    return ends[::-1]
