# SPDX-License-Identifier: BSD-3-Clause
"""How far a difference of two runs, or of several of each, may be noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.comparison import ranks
from orrery.comparison.verdict import said_chance
from orrery.record.intervals import student

_NEIGHBOURS = (1, 2, 4, 5)
"""Pieces that are joined into one."""
_FEWEST = 4
"""Pieces that are left then, at least."""
_MOST_LOG = 50.0
"""The largest logarithm of a ratio: its exponential stays a number."""

Kind = Literal["exact", "within", "runs", "pairs", "nothing"]
Times = NDArray[np.float64]


class DifferenceInterval(NamedTuple):
    """What the second takes longer than the first, in seconds, and the interval of 95 % around it; NaN: not known."""

    value_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True)
class RunsBasis:
    """What a comparison rests on."""

    kind: Kind
    """`exact`: computation is common, and there is no noise. `within`: one run of each, cut into pieces of the same calls.
    `runs`: several of each. `pairs`: several of each, with something in common. `nothing`: nobody knows how large the
    noise is. Of several runs ranks decide where they are enough for that, else Student's distribution."""
    why: str

    def difference(self, first: Times, second: Times) -> DifferenceInterval:
        """Compare two samples, which hold a value for each run; with `within` one for each piece, of which a run is the sum."""
        before, after = self._whole(first), self._whole(second)
        value = after - before
        if self.kind == "exact":
            return DifferenceInterval(value, value, value)
        if self.kind == "nothing":
            return DifferenceInterval(value, np.nan, np.nan)
        return DifferenceInterval(value, *_INTERVAL[self.kind](first, second))

    def ratio(self, first: Times, second: Times) -> tuple[float, float]:
        """Interval of the ratio of the second to the first; NaN: not known."""
        before, after = self._whole(first), self._whole(second)
        if before <= 0 or self.kind == "nothing":
            return np.nan, np.nan
        ratio = after / before
        if self.kind == "exact":
            return ratio, ratio
        if self.kind == "within":
            low, high = _within(first, second)
            return 1 + low / before, 1 + high / before
        if min(first.min(), second.min()) <= 0:
            return np.nan, np.nan
        low, high = _INTERVAL[self.kind](np.log(first), np.log(second))
        return float(np.exp(max(low, -_MOST_LOG))), float(np.exp(min(high, _MOST_LOG)))

    def chance(self, first: Times, second: Times) -> float | None:
        """Probability with which chance sets equal sides so far apart; None: it is not by ranks that they are told apart."""
        if self.kind == "runs" and ranks.enough(len(first), len(second)):
            return ranks.chance(first, second)
        if self.kind == "pairs" and ranks.enough_pairs(len(first)):
            return ranks.chance_of_pairs_of_times(first, second)
        return None

    def said(self, first: Times, second: Times) -> str:
        """What it rests on, in words, with the test and its probability where several runs are compared."""
        if self.kind not in ("runs", "pairs"):
            return self.why
        chance = self.chance(first, second)
        if chance is None:
            return f"{self.why}, too few for a test of ranks: times are taken to be normally distributed (t test, 5 %)"
        return f"{self.why}; {said_chance(chance, paired=self.kind == 'pairs')}"

    def _whole(self, times: Times) -> float:
        return float(times.sum() if self.kind == "within" else np.median(times))


def _within(first: Times, second: Times) -> tuple[float, float]:
    """The interval of the difference of two sums, from how much their pieces differ in ratio.

    The pieces of a run are taken to be a sample of it: b_i = R a_i + e_i, and the sum of e_i has a standard deviation of
    sqrt(n / (n - 1) * sum(e_i^2)), with n - 1 degrees of freedom. Source: ratio estimators, Cochran, Sampling Techniques,
    1977, section 6.4. What disturbs a piece often disturbs the next one, too, and their errors do not cancel as those of
    a sample do: so neighbours are joined, two, four and five at a time, and the widest interval counts (batch means).
    """
    reach = max(_of_pieces(_joined(first, number), _joined(second, number)) for number in _NEIGHBOURS)
    return _around(float(second.sum() - first.sum()), reach)


def _around(middle: float, reach: float) -> tuple[float, float]:
    return middle - reach, middle + reach


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


def _runs(first: Times, second: Times) -> tuple[float, float]:
    """The interval of the shift by ranks; of few runs Welch's interval of the difference of two means."""
    if ranks.enough(len(first), len(second)):
        return ranks.shift(first, second)
    middle = float(second.mean() - first.mean())
    parts = [float(times.var(ddof=1)) / len(times) for times in (first, second)]
    both = sum(parts)
    if both <= 0:
        return middle, middle
    freedom = (
        both * both / sum(part * part / (len(times) - 1) for part, times in zip(parts, (first, second), strict=True))
    )
    return _around(middle, student(freedom) * sqrt(both))


def _pairs(first: Times, second: Times) -> tuple[float, float]:
    """The interval of the difference of a pair by ranks; of few pairs Student's interval of their mean."""
    found = second - first
    if ranks.enough_pairs(len(found)):
        return ranks.shift_of_pairs(found)
    return _around(float(found.mean()), student(len(found) - 1) * float(found.std(ddof=1)) / sqrt(len(found)))


_INTERVAL: dict[str, Callable[[Times, Times], tuple[float, float]]] = {
    "within": _within, "runs": _runs, "pairs": _pairs,
}  # fmt: skip
