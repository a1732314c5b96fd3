# SPDX-License-Identifier: BSD-3-Clause
"""Which sizes to measure next: where a choice changes, and where two that differ cannot be told apart yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import log

from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.tune.discover.infer import LibraryChoice

_CLOSE = 1.5
"""Between sizes of a lower ratio no limit is looked for."""
_LEAST_WORTH = 0.1


@dataclass(frozen=True)
class _Gap:
    case: LoopCase
    worth: float


def further(choices: Iterable[LibraryChoice], limit: int) -> list[LoopCase]:
    """The cells that are most worth it, at most `limit`.

    Between two neighbours with different choices the limit is looked for in the middle. Where both have the same but it is not sure, a
    size nearer to the neighbour at which the two leading candidates differ more is measured. The worth is ln of the ratio of both
    sizes, times the probability that there is something to find.
    """
    gaps = sorted((gap for line in _lines(choices) for gap in _gaps(line)), key=lambda gap: (-gap.worth, gap.case))
    return [gap.case for gap in gaps[: max(0, limit)]]


def _lines(choices: Iterable[LibraryChoice]) -> Iterator[list[LibraryChoice]]:
    ordered = sorted(choices, key=lambda choice: choice.observed.case)
    for _, line in groupby(ordered, key=lambda choice: choice.observed.case[:2]):
        yield list(line)


def _gaps(line: list[LibraryChoice]) -> Iterator[_Gap]:
    for low, high in pairwise(line):
        before, after = max(1, low.observed.case.bytes), high.observed.case.bytes
        size = NUMBER_BYTES * round((before ** (1 - _place(low, high)) * after ** _place(low, high)) / NUMBER_BYTES)
        if after / before < _CLOSE or not before < size < after:
            continue
        unsure = 1 - min(low.confidence, high.confidence)
        worth = log(after / before) * (1.0 if _differ(low, high) else unsure)
        if worth > _LEAST_WORTH:
            yield _Gap(low.observed.case._replace(bytes=size), worth)


def _differ(low: LibraryChoice, high: LibraryChoice) -> bool:
    return low.algorithm != high.algorithm


def _place(low: LibraryChoice, high: LibraryChoice) -> float:
    """Place of the next size between both, in ln of size: 0 to 1."""
    if _differ(low, high):
        return 0.5
    return 0.25 if _apart(low) > _apart(high) else 0.75


def _apart(choice: LibraryChoice) -> float:
    """How far the two leading candidates are from each other, in spreads."""
    times = choice.observed.times
    if not choice.second:
        return 0.0
    return abs(log(times[choice.algorithm] / times[choice.second])) / choice.observed.spread
