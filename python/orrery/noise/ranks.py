# SPDX-License-Identifier: BSD-3-Clause
"""Rank tests: how often chance alone would set two samples so far apart, and by how much they differ. No distribution is assumed.

Independent samples: Mann and Whitney 1947, doi:10.1214/aoms/1177730491. Pairs: Wilcoxon 1945, doi:10.2307/3001968. Both are exact,
ties included, up to `_EXACT` values; above, the normal distribution stands for that of the ranks. Intervals hold the shifts
that the test of 5 % does not reject: Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 2014, sections 3.3 and 4.3.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from orrery.noise.verdict import LEVEL

_EXACT = 100
"""Values of both samples, or pairs, up to which all orders are counted."""

Floats = NDArray[np.float64]


def enough(first: int, second: int) -> bool:
    """Whether samples of these sizes can be told apart at all: the two orders without any overlap have to be rare."""
    return 2 / comb(first + second, first) <= LEVEL


def enough_pairs(pairs: int) -> bool:
    """Whether so many pairs can tell: all differences have the same sign with a probability of 2 / 2^pairs."""
    return 2.0 ** (1 - pairs) <= LEVEL


def chance(first: Floats, second: Floats) -> float:
    """Probability with which two samples of one distribution are at least so far apart in either direction (two-sided)."""
    ranks = _doubled_ranks(np.concatenate([first, second]))
    return _two_sided(int(ranks[: len(first)].sum()), _rank_sums(tuple(ranks.tolist()), len(first)))


def chance_of_pairs_of_times(first: Floats, second: Floats) -> float:
    """The chance of pairs by their ratios, or by their differences where a time is 0: what takes long does not count for more."""
    if min(first.min(), second.min()) > 0:
        return chance_of_pairs(np.log(second) - np.log(first))
    return chance_of_pairs(second - first)


def chance_of_pairs(differences: Floats) -> float:
    """Probability with which differences that are as likely positive as negative favour one sign at least so much."""
    kept = differences[differences != 0]
    if len(kept) == 0:
        return 1.0
    ranks = _doubled_ranks(np.abs(kept))
    return _two_sided(int(ranks[kept > 0].sum()), _signed_sums(tuple(ranks.tolist())))


def shift(first: Floats, second: Floats) -> tuple[float, float]:
    """Interval of 95 % of what is added to the first to give the second; whole numbers of runs decide, so it holds a little more."""
    found = np.sort(np.subtract.outer(second, first), axis=None)
    return _middle(found, _left_out(len(first), len(second)))


def shift_of_pairs(differences: Floats) -> tuple[float, float]:
    """Interval of 95 % of the typical difference of a pair."""
    return _middle(_means_of_two(differences), _left_out_of_pairs(len(differences)))


def middle_of_pairs(differences: Floats) -> float:
    """The typical difference of a pair, which is inside of its interval: the median of the means of two (Hodges and Lehmann)."""
    return float(np.median(_means_of_two(differences)))


def _means_of_two(values: Floats) -> Floats:
    """In order, those of a value and itself among them."""
    return np.sort(np.add.outer(values, values)[np.triu_indices(len(values))] / 2)


def _middle(ordered: Floats, left_out: int) -> tuple[float, float]:
    return float(ordered[left_out]), float(ordered[len(ordered) - 1 - left_out])


class _Sums:
    """Distribution of a sum of doubled ranks, as if chance alone ruled."""

    def __init__(self, mean: float, variance: float, counts: Floats | None) -> None:
        self.mean, self._deviation = mean, sqrt(variance)
        self._shares = None if counts is None else counts / counts.sum()

    def up_to(self, value: float) -> float:
        """Probability of a sum of at most `value`."""
        from statistics import NormalDist

        if self._shares is not None:
            return float(self._shares[: max(0, int(value) + 1)].sum())
        return (
            NormalDist(self.mean, self._deviation).cdf(value + 1) if self._deviation > 0 else float(value >= self.mean)
        )


def _two_sided(value: int, sums: _Sums) -> float:
    """The distribution is symmetric, so both tails are as likely."""
    lower = min(value, round(2 * sums.mean) - value)
    return min(1.0, 2 * sums.up_to(lower))


def _doubled_ranks(values: Floats) -> NDArray[np.int64]:
    """Twice the ranks, so that the mean ranks of ties are whole."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (2 * last - sizes + 1)[group]


@lru_cache(maxsize=512)
def _rank_sums(ranks: tuple[int, ...], number: int) -> _Sums:
    """How likely each sum of `number` ranks is, when they are drawn from all at random."""
    total, all_of_them = sum(ranks), len(ranks)
    mean = total / all_of_them
    spread = sum((rank - mean) ** 2 for rank in ranks) / (all_of_them - 1) if all_of_them > 1 else 0.0
    variance = number * (all_of_them - number) / all_of_them * spread
    if all_of_them > _EXACT:
        return _Sums(number * mean, variance, None)
    counts = np.zeros((number + 1, total + 1))
    counts[0, 0] = 1
    for rank in ranks:
        counts[1:, rank:] += counts[:-1, : total + 1 - rank]
    return _Sums(number * mean, variance, counts[number])


@lru_cache(maxsize=512)
def _signed_sums(ranks: tuple[int, ...]) -> _Sums:
    """How likely each sum of ranks is, when each counts with a probability of one half."""
    total = sum(ranks)
    variance = sum(rank * rank for rank in ranks) / 4
    if len(ranks) > _EXACT:
        return _Sums(total / 2, variance, None)
    counts = np.zeros(total + 1)
    counts[0] = 1
    for rank in ranks:
        counts[rank:] = counts[rank:] + counts[: total + 1 - rank]
    return _Sums(total / 2, variance, counts)


@lru_cache(maxsize=512)
def _left_out(first: int, second: int) -> int:
    """How many of the smallest differences of two values lie outside of the interval, and of the largest."""
    sums = _rank_sums(tuple(range(2, 2 * (first + second) + 1, 2)), first)
    return _most(sums, first * (first + 1), first * second)


@lru_cache(maxsize=512)
def _left_out_of_pairs(pairs: int) -> int:
    """How many of the smallest means of two differences do, and of the largest."""
    return _most(_signed_sums(tuple(range(2, 2 * pairs + 1, 2))), 0, pairs * (pairs + 1) // 2)


def _most(sums: _Sums, least: int, values: int) -> int:
    """The critical value: the largest k for which a sum of `least` + 2 k or less has a probability of half of `LEVEL` at most."""
    found = 0
    while found < (values - 1) // 2 and sums.up_to(least + 2 * (found + 1)) <= LEVEL / 2:
        found += 1
    return found
