# SPDX-License-Identifier: BSD-3-Clause
"""Where another algorithm becomes the cheapest or is chosen, and what a selector loses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from orrery.collective.predict import Answer

_PRECISION = 0.01  # of a crossover, relative to its size
_LOSS = 0.005  # what counts as one: less than the model can tell


@dataclass(frozen=True)
class Crossover:
    """The cheapest algorithm changes between two sizes."""

    kind: str
    ranks: int
    before: str
    after: str
    above: int
    """Largest size, in bytes, at which `before` was seen to be the cheaper one."""
    bytes: int
    """Smallest at which `after` was seen not to be slower."""


@dataclass(frozen=True)
class SelectorChange:
    """The selector chooses another algorithm from one size to the next, and nothing says whether that one is cheaper."""

    kind: str
    ranks: int
    before: str
    after: str
    above: int
    """Size, in bytes, for which the selector chooses `before`."""
    bytes: int
    """The next size that was asked for; there the selector chooses `after`."""


@dataclass(frozen=True)
class Loss:
    """Sizes in a row for which a selector chooses one algorithm where another one is cheaper."""

    kind: str
    ranks: int
    chosen: str
    fastest: str
    first: int
    last: int
    """Sizes in bytes."""
    factor: float
    """Largest ratio of the times."""


TimeOf = Callable[[Answer, str, int], float | None]
"""Seconds of an algorithm, the best of its parameters, for another size than that of the answer; None: too costly."""


def crossovers(answers: Iterable[Answer], time_of: TimeOf) -> list[Crossover]:
    """Where the cheapest algorithm changes from one size to the next, narrowed down to about 1 %.

    Only where both algorithms were simulated at both sizes.
    """
    found = []
    for row in _rows(answers):
        for left, right in pairwise(row):
            before, after = left.shortest.algorithm, right.shortest.algorithm
            if before != after and left.best_of(after) is not None and right.best_of(before) is not None:
                above, at = _narrow(left, right, before, after, time_of)
                found.append(Crossover(left.call.kind, left.call.ranks, before, after, above, at))
    return found


def selector_changes(answers: Iterable[Answer]) -> list[SelectorChange]:
    """Where the selector chooses another algorithm from one size to the next, and nothing was compared at one of the two."""
    found = []
    for row in _rows(answers):
        for left, right in pairwise(row):
            if left.chosen is None or right.chosen is None or (left.fastest is not None and right.fastest is not None):
                continue
            before, after = left.chosen.algorithm, right.chosen.algorithm
            if before != after:
                call = left.call
                found.append(SelectorChange(call.kind, call.ranks, before, after, call.size, right.call.size))
    return found


def _narrow(left: Answer, right: Answer, before: str, after: str, time_of: TimeOf) -> tuple[int, int]:
    element = left.call.element
    low, high = left.call.size, right.call.size
    while high - low > max(element, _PRECISION * high):
        middle = (low + high) // 2 // element * element
        old, new = time_of(right, before, middle), time_of(right, after, middle)
        if old is None or new is None:
            break
        low, high = (low, middle) if new <= old else (middle, high)
    return low, high


def losses(answers: Iterable[Answer]) -> list[Loss]:
    """Sizes in a row with the same two algorithms are one loss."""
    found = []
    for row in _rows(answers):
        for (chosen, fastest), group in groupby(row, _pair):
            if chosen is None or chosen == fastest:
                continue
            same = list(group)
            factor = max(_ratio(answer) for answer in same)
            call = same[0].call
            found.append(Loss(call.kind, call.ranks, chosen, fastest, call.size, same[-1].call.size, factor))
    return found


def _pair(answer: Answer) -> tuple[str | None, str]:
    """Names of the chosen and of the cheapest one; the same, if they take the same time."""
    fastest = answer.shortest
    if answer.chosen is None or _ratio(answer) < 1 + _LOSS:
        return fastest.name, fastest.name
    return answer.chosen.name, fastest.name


def _ratio(answer: Answer) -> float:
    if answer.chosen is None or answer.shortest.time_s == 0:
        return 1
    return answer.chosen.time_s / answer.shortest.time_s


def _rows(answers: Iterable[Answer]) -> Iterator[Sequence[Answer]]:
    """Answers of one kind and number of ranks, by size."""
    rows: dict[tuple[str, int], list[Answer]] = {}
    for answer in answers:
        rows.setdefault((answer.call.kind, answer.call.ranks), []).append(answer)
    for row in rows.values():
        yield sorted(row, key=lambda answer: answer.call.size)
