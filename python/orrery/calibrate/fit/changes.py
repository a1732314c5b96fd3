# SPDX-License-Identifier: BSD-3-Clause
"""Where times change their law: one set of change points for several curves over message size.

Problem: given curves y_c(k) with noise, find ends e_1 < e_2 < ... such that between two ends each curve is a straight
line, not continuous at the ends. The number of ends is not known.

Method: for every range of sizes and every curve the weighted least-squares line over medians, in units of the noise;
dynamic programming over the ranges finds the partition with the least sum of squared errors plus a penalty for each
further range, that of the Bayesian information criterion: (2 lines' parameters for each curve + 1) * ln(points).
The noise is estimated from the data: from how far medians lie from lines through a few neighbours on either side; a point
that fits neither side is taken for a disturbed one and loses weight. All is relative: scaling the times changes nothing.

Why not a library: change-point libraries segment one signal of evenly weighted points; here several curves share
their changes, have different regressors (bytes, bytes on the wire) and ranges, and errors are relative to the value.
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
_LEAST_NOISE = 0.01
"""Relative; below it no model of a network is meant to be true."""
_FAR = 4.0
"""In units of the noise: farther from both sides is a disturbed point."""


@dataclass(frozen=True)
class Series:
    """Medians of one curve: sizes (bytes, increasing), what the time is linear in, and times (seconds); shape (n,)."""

    sizes: Floats
    x: Floats
    y: Floats


def change_points(
    series: Sequence[Series], *, forced: Sequence[float] = (), most: int = 8, least_sizes: int = 4
) -> list[float]:
    """Ends of ranges, increasing: the first size, in bytes, of each range but the first; `forced` ones are among them.

    Args:
        series: curves; the first one decides how many sizes a range needs.
        forced: ends that are known.
        most: ranges at most.
        least_sizes: fewest sizes of the first curve in a range.
    """
    edges = [0.0, *sorted(forced), math.inf]
    prepared = [_prepare(one) for one in series if len(one.sizes) > 0]
    points = sum(len(one.sizes) for one in series)
    penalty = (2 * len(prepared) + 1) * math.log(max(points, 2))
    ends: list[float] = []
    for low, high in pairwise(edges):
        if low > 0:
            ends.append(low)
        ends += _partition([one.within(low, high) for one in prepared], penalty, most, least_sizes)
    return ends


@dataclass(frozen=True)
class _Prepared:
    sizes: Floats
    x: Floats
    y: Floats
    weight: Floats

    def within(self, low: float, high: float) -> _Prepared:
        mask = (self.sizes >= low) & (self.sizes < high)
        return _Prepared(self.sizes[mask], self.x[mask], self.y[mask], self.weight[mask])


def _prepare(series: Series) -> _Prepared:
    """Weights from the noise."""
    residual = relative_residuals(series.x, series.y)
    noise = np.maximum(_LEAST_NOISE, 1.4826 * _running_median(residual))
    excess = np.maximum(1.0, residual / (_FAR * noise))
    return _Prepared(series.sizes, series.x, series.y, 1.0 / (noise * excess * series.y) ** 2)


def relative_residuals(x: Floats, y: Floats) -> Floats:
    """How far each point is from the line through its neighbours below, or above, whichever is nearer; shape (n,)."""
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
    """Sum of squared errors, in units of the noise, of the best line through points [i, j): constant time each."""

    def __init__(self, one: _Prepared) -> None:
        terms = (np.ones_like(one.x), one.x, one.x**2, one.y, one.x * one.y, one.y**2)
        self._sums = [np.concatenate([[0.0], np.cumsum(one.weight * term)]) for term in terms]

    def of(self, i: int, j: int) -> float:
        if j - i <= 2:
            return 0.0
        w, wx, wxx, wy, wxy, wyy = (float(total[j] - total[i]) for total in self._sums)
        spread = wxx - wx * wx / w
        error = wyy - wy * wy / w
        if spread > 1e-12 * wxx:
            error -= (wxy - wx * wy / w) ** 2 / spread
        return max(error, 0.0)


def _partition(series: Sequence[_Prepared], penalty: float, most: int, least_sizes: int) -> list[float]:
    """Ends inside one stretch, by dynamic programming over the sizes of the first curve."""
    sizes = series[0].sizes
    count = len(sizes)
    if count < 2 * least_sizes:
        return []
    costs = [_Costs(one) for one in series]
    # Where each curve has its first point that is not below the size.
    starts = [np.append(np.searchsorted(one.sizes, sizes), len(one.sizes)) for one in series]
    for at in starts:
        at[0] = 0

    def cost(i: int, j: int) -> float:
        return sum(one.of(int(at[i]), int(at[j])) for one, at in zip(costs, starts, strict=True))

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
