# SPDX-License-Identifier: BSD-3-Clause
"""Cells between those asked for. They are simulated only, so that rules are right for calls of all sizes on all numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from math import isqrt

from orrery.benchmark.cases import NUMBER_BYTES, LoopCase

_NEAR = 4
"""Ratio of two sizes that need none between them."""


def in_between(cases: Iterable[LoopCase]) -> list[LoopCase]:
    """Cases between those of each collective: in the middle of neighbouring numbers of ranks, and of neighbouring sizes
    that are far apart; with all combinations of these and of what is there.
    """
    there = set(cases)
    rows: dict[str, tuple[set[int], set[int]]] = {}
    for case in there:
        ranks, sizes = rows.setdefault(case.test, (set(), set()))
        ranks.add(case.ranks)
        sizes.add(case.bytes)
    return [
        case
        for kind, (ranks, sizes) in sorted(rows.items())
        for count in _with_middles(ranks, _middle_number)
        for size in _with_middles(sizes, _middle_size)
        if (case := LoopCase(kind, count, size)) not in there
    ]


def numbers_between(cases: Iterable[LoopCase]) -> frozenset[int]:
    """Numbers of ranks of `in_between` that nobody asked for: each stands for all numbers between its neighbours."""
    asked = list(cases)
    return frozenset(case.ranks for case in in_between(asked)) - {case.ranks for case in asked}


def _with_middles(values: Iterable[int], middle: Callable[[int, int], int | None]) -> list[int]:
    """In ascending order."""
    found = sorted(values)
    more = (middle(low, high) for low, high in pairwise(found))
    return sorted({*found, *(value for value in more if value is not None)})


def _middle_number(low: int, high: int) -> int | None:
    return (low + high) // 2 if high > low + 1 else None


def _middle_size(low: int, high: int) -> int | None:
    """Half-way in the logarithm, in whole numbers of reductions; None: they are near."""
    return isqrt(low * high) // NUMBER_BYTES * NUMBER_BYTES if high > _NEAR * max(low, NUMBER_BYTES) else None
