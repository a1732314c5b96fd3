# SPDX-License-Identifier: BSD-3-Clause
"""Two runs in pieces of the same calls: how well the difference of the whole is known from how the pieces differ.

The pieces of a run are taken to be a sample of it: b_i = R a_i + e_i, and the sum of e_i has a standard deviation of
sqrt(n / (n - 1) * sum(e_i^2)), with n - 1 degrees of freedom. Source: ratio estimators, Cochran, Sampling Techniques,
1977, section 6.4. What disturbs a piece often disturbs the next one, too, and their errors do not cancel as those of
a sample do: so neighbours are joined, two, four and five at a time, and the widest interval counts (batch means).
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from orrery.noise.ranks import Floats
from orrery.noise.student import around, student

_NEIGHBOURS = (1, 2, 4, 5)
"""Pieces that are joined into one."""
_FEWEST = 4
"""Pieces that are left then, at least."""


def shift(first: Floats, second: Floats) -> tuple[float, float]:
    """Interval of 95 % of the difference of the sums of both."""
    reach = max(_reach(_joined(first, number), _joined(second, number)) for number in _NEIGHBOURS)
    return around(float(second.sum() - first.sum()), reach)


def _joined(times: Floats, number: int) -> Floats:
    """Sums of `number` neighbours, the last of fewer; all of them where that leaves less than four."""
    if number > 1 and len(times) < _FEWEST * number:
        return times
    return np.add.reduceat(times, np.arange(0, len(times), number))


def _reach(first: Floats, second: Floats) -> float:
    pieces = len(first)
    if pieces < 2:
        return inf
    whole = float(first.sum())
    ratio = float(second.sum()) / whole if whole > 0 else 0.0
    left = second - ratio * first
    return student(pieces - 1) * sqrt(pieces / (pieces - 1) * float((left * left).sum()))
