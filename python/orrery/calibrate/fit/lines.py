# SPDX-License-Identifier: BSD-3-Clause
"""Straight lines through times, robust against outliers. Errors are relative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import UNDISTURBED, Floats

_ROUNDS = 30
_TINY = 1e-15


@dataclass(frozen=True)
class StraightLine:
    """`base + slope * x`."""

    base: float
    slope: float

    def at(self, x: Floats) -> Floats:
        """Values at `x`."""
        return np.asarray(self.base + self.slope * x, dtype=np.float64)


def fit(x: Floats, y: Floats, share: float = UNDISTURBED, scale: Floats | None = None) -> StraightLine:
    """The line below which a share of the samples lies (quantile regression of relative errors); base and slope are >= 0.

    Errors count by their absolute value, not squared, so outliers have no more weight than other samples. Solved by
    iteratively reweighted least squares.

    Args:
        x: sizes, or another quantity in which time is linear, shape (n,), n > 0.
        y: times, shape (n,).
        share: quantile in (0, 1); 0.5 gives the line of medians.
        scale: errors are relative to it; shape (n,), positive; by default `y`.
    """
    scale = np.maximum(y if scale is None else scale, _TINY)
    line = _least_squares(x, y, 1.0 / scale**2)
    for _ in range(_ROUNDS):
        residual = (y - line.at(x)) / scale
        asymmetry = np.where(residual > 0, share, 1 - share)
        fresh = _least_squares(x, y, asymmetry / (scale**2 * np.maximum(np.abs(residual), 1e-4)))
        if fresh == line:
            break
        line = fresh
    return line


def _least_squares(x: Floats, y: Floats, weight: Floats) -> StraightLine:
    """Weighted least squares; if base or slope would be negative, it is 0 and the other one is fitted alone."""
    total = weight.sum()
    mean_x, mean_y = (weight * x).sum() / total, (weight * y).sum() / total
    spread = (weight * (x - mean_x) ** 2).sum()
    if spread <= 1e-12 * total * (mean_x**2 + _TINY):
        return StraightLine(max(float(mean_y), 0.0), 0.0)
    slope = (weight * (x - mean_x) * (y - mean_y)).sum() / spread
    if slope <= 0:
        return StraightLine(max(float(mean_y), 0.0), 0.0)
    base = mean_y - slope * mean_x
    if base < 0:
        return StraightLine(0.0, max(0.0, float((weight * x * y).sum() / (weight * x * x).sum())))
    return StraightLine(float(base), float(slope))


def theil_sen(x: Floats, y: Floats) -> StraightLine:
    """The Theil-Sen line: the median of the slopes between all pairs of points, and the median of y - slope * x as base.

    Base and slope may be negative. Time and memory are quadratic in the number of points.
    Source: Sen 1968, doi:10.1080/01621459.1968.10480934.
    """
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] != x[first]
    if not apart.any():
        return StraightLine(float(np.median(y)), 0.0)
    slopes = (y[second] - y[first])[apart] / (x[second] - x[first])[apart]
    slope = float(np.median(slopes))
    return StraightLine(float(np.median(y - slope * x)), slope)
