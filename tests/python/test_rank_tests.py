# SPDX-License-Identifier: BSD-3-Clause
"""Rank tests on samples whose truth is known: false verdicts are as rare as stated, and true ones more frequent than by intervals."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest

from orrery.noise import ranks
from orrery.noise.basis import NoiseBasis
from orrery.noise.intervals import MedianInterval
from orrery.noise.verdict import LEVEL

_Draw = Callable[[np.random.Generator, int], ranks.Floats]

_SHAPES: dict[str, _Draw] = {
    "normal": lambda draw, number: draw.normal(1.0, 0.1, number),
    "skewed, as host noise": lambda draw, number: 1.0 + draw.exponential(0.1, number),
    "with outliers": lambda draw, number: 1.0 + 0.02 * draw.standard_t(2, number),
    "in steps, with ties": lambda draw, number: 1.0 + draw.choice([0.0, 0.1, 0.2, 0.3, 0.4], number).astype(np.float64),
}


def _intervals_apart(first: ranks.Floats, second: ranks.Floats) -> bool:
    """As two intervals of medians without a time in common would say."""
    of_first, of_second = (MedianInterval.of(times.tolist()) for times in (first, second))
    return of_first.high_s < of_second.low_s or of_second.high_s < of_first.low_s


@pytest.mark.parametrize("sizes", [(3, 4), (2, 6), (5, 3)])
def test_the_chance_is_the_share_of_orders_that_are_as_extreme(sizes: tuple[int, int]) -> None:
    """All ways to divide the values are counted; of ties each has the mean rank."""
    draw = np.random.default_rng(1)
    for values in (draw.permutation(np.arange(float(sum(sizes)))), draw.integers(0, 4, sum(sizes)).astype(float)):
        mean_ranks = np.array([(values < value).sum() + ((values == value).sum() + 1) / 2 for value in values])
        sums = [mean_ranks[list(chosen)].sum() for chosen in combinations(range(sum(sizes)), sizes[0])]
        middle = mean_ranks.mean() * sizes[0]
        distance = abs(mean_ranks[: sizes[0]].sum() - middle)
        expected = np.mean([abs(total - middle) >= distance - 1e-9 for total in sums])
        assert ranks.chance(values[: sizes[0]], values[sizes[0] :]) == pytest.approx(expected)


def test_the_chance_of_pairs_is_the_share_of_signs_that_are_as_extreme() -> None:
    differences = np.array([0.3, -0.1, 0.5, 0.2, 0.2, -0.4, 0.0])
    kept = differences[differences != 0]
    size = np.abs(kept)
    mean_ranks = np.array([(size < value).sum() + ((size == value).sum() + 1) / 2 for value in size])
    sums = [np.dot(signs, mean_ranks) for signs in product((0, 1), repeat=len(kept))]
    distance = abs(mean_ranks[kept > 0].sum() - mean_ranks.sum() / 2)
    expected = np.mean([abs(total - mean_ranks.sum() / 2) >= distance - 1e-9 for total in sums])
    assert ranks.chance_of_pairs(differences) == pytest.approx(expected)
    assert ranks.chance_of_pairs(np.zeros(5)) == 1.0


def test_intervals_leave_out_as_many_values_as_published_tables_say() -> None:
    """Critical values of 5 %, two-sided: U = 23 for 10 and 10, 5 for 6 and 6, 0 for 4 and 4; W = 8 for 10 pairs, 0 for 6."""
    for sizes, critical in (((10, 10), 23), ((6, 6), 5), ((4, 4), 0)):
        first, second = np.zeros(sizes[0]), np.arange(float(sizes[1]))
        differences = np.sort(np.subtract.outer(second, first), axis=None)
        assert ranks.shift(first, second)[0] == differences[critical]
    for pairs, critical in ((10, 8), (6, 0)):
        found = np.arange(float(pairs))
        means = np.sort([(found[i] + found[j]) / 2 for i in range(pairs) for j in range(i, pairs)])
        assert ranks.shift_of_pairs(found)[0] == means[critical]


@pytest.mark.parametrize("shape", list(_SHAPES))
@pytest.mark.parametrize("sizes", [(4, 4), (6, 6), (5, 12), (60, 60)])
def test_equal_sides_are_said_to_differ_at_most_as_often_as_stated(shape: str, sizes: tuple[int, int]) -> None:
    """At most 5 % of 2,000 draws, and three standard deviations of that share (0.5 %)."""
    draw = np.random.default_rng(2)
    wrong = 0
    for _ in range(2000):
        first, second = (_SHAPES[shape](draw, number) for number in sizes)
        wrong += ranks.chance(first, second) <= LEVEL
    assert wrong / 2000 <= 0.065


@pytest.mark.parametrize("pairs", [6, 12, 150])
def test_equal_pairs_are_said_to_differ_at_most_as_often_as_stated(pairs: int) -> None:
    draw = np.random.default_rng(3)
    wrong = sum(
        ranks.chance_of_pairs(draw.exponential(1, pairs) - draw.exponential(1, pairs)) <= LEVEL for _ in range(2000)
    )
    assert wrong / 2000 <= 0.065


@pytest.mark.parametrize(("shape", "number"), [
    ("normal", 6), ("normal", 10), ("skewed, as host noise", 6), ("skewed, as host noise", 10), ("with outliers", 6),
])  # fmt: skip
def test_what_differs_is_found_more_often_than_by_intervals(shape: str, number: int) -> None:
    """The second side takes 15 % longer, as in two replays beside --repeat 6."""
    draw = np.random.default_rng(4)
    by_ranks = by_intervals = 0
    for _ in range(500):
        first, second = _SHAPES[shape](draw, number), 1.15 * _SHAPES[shape](draw, number)
        by_ranks += ranks.chance(first, second) <= LEVEL
        by_intervals += _intervals_apart(first, second)
    assert by_ranks >= by_intervals + 0.1 * 500, (by_ranks, by_intervals)


def test_verdict_and_interval_agree() -> None:
    """A ratio of 1 lies outside of the interval where the chance is 5 % or less."""
    draw = np.random.default_rng(5)
    for basis in (NoiseBasis("separate", ""), NoiseBasis("pairs", "")):
        for _ in range(300):
            first, second = draw.normal(1.0, 0.1, 9).tolist(), draw.normal(1.08, 0.1, 9).tolist()
            ratios = basis.ratios(first, second)
            chance = basis.chance(first, second)
            assert chance is not None
            assert ratios is not None
            assert (chance <= LEVEL) == (not ratios[0] <= 1 <= ratios[1])
