# SPDX-License-Identifier: BSD-3-Clause
"""How far a difference of two runs, or of several of each, may be noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.record.intervals import student

_NEIGHBOURS = (1, 2, 4, 5)
"""Pieces that are joined into one."""
_FEWEST = 4
"""Pieces that are left then, at least."""

Kind = Literal["exact", "within", "runs", "pairs", "nothing"]
Times = NDArray[np.float64]


class Difference(NamedTuple):
    """Of the second to the first in seconds, and its interval of 95 %; NaN: that is not known."""

    value_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True)
class Basis:
    """What a comparison rests on."""

    kind: Kind
    """`exact`: computation is common, and there is no noise. `within`: one run of each, cut into pieces of the same calls.
    `runs`: several of each. `pairs`: several of each, with something in common. `nothing`: nobody knows how large the
    noise is."""
    why: str

    def difference(self, first: Times, second: Times) -> Difference:
        """Of two samples: one value for each run; of `within`, one for each piece, of which a run is the sum."""
        one, other = self._whole(first), self._whole(second)
        value = other - one
        if self.kind == "exact":
            return Difference(value, value, value)
        if self.kind == "nothing":
            return Difference(value, np.nan, np.nan)
        reach = _REACH[self.kind](first, second)
        return Difference(value, value - reach, value + reach)

    def ratio(self, first: Times, second: Times) -> tuple[float, float]:
        """Interval of the ratio of the second to the first; NaN: not known."""
        one, other = self._whole(first), self._whole(second)
        if one <= 0 or self.kind == "nothing":
            return np.nan, np.nan
        ratio = other / one
        if self.kind == "exact":
            return ratio, ratio
        if self.kind == "within":
            reach = _within(first, second) / one
            return ratio - reach, ratio + reach
        if min(first.min(), second.min()) <= 0:
            return np.nan, np.nan
        logs = np.log(first), np.log(second)
        factor = float(np.exp(min(_REACH[self.kind](*logs), 50.0)))
        middle = float(np.exp(logs[1].mean() - logs[0].mean()))
        return middle / factor, middle * factor

    def _whole(self, times: Times) -> float:
        return float(times.sum() if self.kind == "within" else times.mean())


def _within(first: Times, second: Times) -> float:
    """Half of the interval of the difference of two sums, from how much their pieces differ in ratio.

    The pieces of a run are taken to be a sample of it: b_i = R a_i + e_i, and the sum of e_i has a standard deviation of
    sqrt(n / (n - 1) * sum(e_i^2)), with n - 1 degrees of freedom. Source: ratio estimators, Cochran, Sampling Techniques,
    1977, section 6.4. What disturbs a piece often disturbs the next one, too, and their errors do not cancel as those of
    a sample do: so neighbours are joined, two, four and five at a time, and the widest interval counts (batch means).
    """
    reaches = [_of_pieces(_joined(first, number), _joined(second, number)) for number in _NEIGHBOURS]
    return max(reaches)


def _joined(times: Times, number: int) -> Times:
    """Sums of `number` neighbours, the last of fewer; all of them where that leaves less than four."""
    if number > 1 and len(times) < _FEWEST * number:
        return times
    return np.add.reduceat(times, np.arange(0, len(times), number))


def _of_pieces(first: Times, second: Times) -> float:
    pieces = len(first)
    if pieces < 2:
        return inf
    whole = float(first.sum())
    ratio = float(second.sum()) / whole if whole > 0 else 0.0
    left = second - ratio * first
    return student(pieces - 1) * sqrt(pieces / (pieces - 1) * float((left * left).sum()))


def _runs(first: Times, second: Times) -> float:
    """Half of Welch's interval of the difference of two means."""
    parts = [float(times.var(ddof=1)) / len(times) for times in (first, second)]
    both = sum(parts)
    if both <= 0:
        return 0.0
    freedom = (
        both * both / sum(part * part / (len(times) - 1) for part, times in zip(parts, (first, second), strict=True))
    )
    return student(freedom) * sqrt(both)


def _pairs(first: Times, second: Times) -> float:
    """Half of the interval of the mean of the differences of pairs."""
    found = second - first
    return student(len(found) - 1) * float(found.std(ddof=1)) / sqrt(len(found))


_REACH: dict[str, Callable[[Times, Times], float]] = {"within": _within, "runs": _runs, "pairs": _pairs}
