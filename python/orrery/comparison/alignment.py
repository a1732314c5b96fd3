# SPDX-License-Identifier: BSD-3-Clause
"""Which call of one trace is which of another: the calls of each rank in their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orrery.comparison.calls import Numbers, RankCalls, mixed
from orrery.published import UNWRITTEN

_MOST_EDITS = 128
"""Insertions and removals up to which the shortest script of them is looked for; beyond, calls are counted."""
_POLLS = ("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Request_get_status")
"""Routines that a program calls until something has happened: how often depends on time."""


@dataclass(frozen=True)
class Pairs:
    """Calls of a rank of both traces that are the same; both arrays ascend and have the same length."""

    first: Numbers
    """Positions among the calls of the first."""
    second: Numbers


@dataclass(frozen=True)
class Alignment:
    """Which calls of two traces are the same."""

    by: str
    """What makes two calls the same."""
    pairs: list[Pairs] = field(metadata=UNWRITTEN)
    """By rank, as far as both traces have it."""
    calls: int
    """Calls of the first that have a partner."""
    alone: tuple[dict[str, int], dict[str, int]]
    """Calls of the first and of the second without a partner, by routine; polls do not count."""


def align(
    first: Sequence[RankCalls], second: Sequence[RankCalls], names: tuple[dict[int, str], dict[int, str]]
) -> Alignment:
    """Align the calls of each rank.

    Two calls are the same if routine, partner, tag, communicator and bytes are. If less than nine tenths of the calls
    find a partner that way, because the traces are of different numbers of ranks or sizes, the routine alone counts.

    Args:
        first, second: calls by rank.
        names: names of routines by number, of both.
    """
    whole = _aligned(first, second, names, whole=True)
    calls = min(sum(map(len, first)), sum(map(len, second)))
    if whole.calls >= 0.9 * calls:
        return whole
    return max(whole, _aligned(first, second, names, whole=False), key=lambda alignment: alignment.calls)


def _aligned(
    first: Sequence[RankCalls],
    second: Sequence[RankCalls],
    names: tuple[dict[int, str], dict[int, str]],
    *,
    whole: bool,
) -> Alignment:
    tables = _tables(names)
    pairs, matched = [], 0
    alone: tuple[dict[str, int], dict[str, int]] = (defaultdict(int), defaultdict(int))
    for rank in range(max(len(first), len(second))):
        of_first = _kept(first, rank, tables[0], whole=whole)
        of_second = _kept(second, rank, tables[1], whole=whole)
        a, b = _same(of_first[1], of_second[1]) if of_first and of_second else (np.zeros(0, int), np.zeros(0, int))
        for side, kept, calls, positions in ((0, of_first, first, a), (1, of_second, second, b)):
            if kept:
                _count_alone(alone[side], calls[rank], kept[0], positions, names[side])
        if of_first and of_second:
            pairs.append(Pairs(of_first[0][a], of_second[0][b]))
            matched += len(a)
    by = "routine, partner, tag, communicator and bytes" if whole else "routine"
    return Alignment(by, pairs, matched, (dict(alone[0]), dict(alone[1])))


def _tables(names: tuple[dict[int, str], dict[int, str]]) -> tuple[Numbers, Numbers]:
    """For both, by number of a routine: a number that both have in common; below 0: one that polls."""
    numbers: dict[str, int] = {}
    tables = []
    for own in names:
        table = np.zeros(max(own, default=0) + 1, dtype=np.int64)
        for number in range(len(table)):
            name = own.get(number, str(number))
            poll = name.removeprefix("MPI_") in _POLLS
            table[number] = -1 if poll else numbers.setdefault(name, len(numbers))
        tables.append(table)
    return tables[0], tables[1]


def _kept(calls: Sequence[RankCalls], rank: int, table: Numbers, *, whole: bool) -> tuple[Numbers, Numbers] | None:
    """Positions of the calls that are aligned, and a key for each; None: there is no such rank."""
    if rank >= len(calls):
        return None
    own = calls[rank]
    routine = table[own.routine]
    kept = np.flatnonzero(routine >= 0)
    fields = [routine]
    if whole:
        fields += [own.peer, own.tag, own.comm, own.bytes]
    return kept, mixed(*(field[kept] for field in fields))


def _count_alone(
    counts: dict[str, int], calls: RankCalls, kept: Numbers, matched: Numbers, names: dict[int, str]
) -> None:
    if len(matched) == len(kept):
        return
    without = np.delete(kept, matched)
    for number, count in zip(*np.unique(calls.routine[without], return_counts=True), strict=True):
        counts[names.get(int(number), f"routine {number}")] += int(count)


def _same(a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """Positions of equal keys in both, ascending in both."""
    head = _run(a, b, 0, 0)
    tail = _run(a[::-1], b[::-1], 0, 0, most=min(len(a), len(b)) - head)
    middle = _by_edits(a[head : len(a) - tail], b[head : len(b) - tail])
    if middle is None:
        middle = _by_count(a[head : len(a) - tail], b[head : len(b) - tail])
    ends = np.arange(tail)
    return (
        np.concatenate([np.arange(head), head + middle[0], len(a) - tail + ends]),
        np.concatenate([np.arange(head), head + middle[1], len(b) - tail + ends]),
    )


def _run(a: Numbers, b: Numbers, x: int, y: int, most: int | None = None) -> int:
    """How many keys from x and y on are equal."""
    left = min(len(a) - x, len(b) - y) if most is None else most
    found, step = 0, 16
    while found < left:
        step = min(step, left - found)
        differ = a[x + found : x + found + step] != b[y + found : y + found + step]
        if differ.any():
            return found + int(differ.argmax())
        found, step = found + step, step * 2
    return found


def _by_edits(a: Numbers, b: Numbers) -> tuple[Numbers, Numbers] | None:
    """Pairs of the shortest script of insertions and removals; None: it is longer than `_MOST_EDITS`.

    Source: Myers, An O(ND) Difference Algorithm and Its Variations, 1986.
    """
    reached = {1: 0}
    history = []
    for edits in range(min(_MOST_EDITS, len(a) + len(b)) + 1):
        history.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            if 0 <= y <= len(b) and x <= len(a):
                x += _run(a, b, x, y)
            reached[diagonal] = x
            if x >= len(a) and x - diagonal >= len(b):
                return _backwards(history, len(a), len(b))
    return None


def _backwards(history: list[dict[int, int]], x: int, y: int) -> tuple[Numbers, Numbers]:
    runs = []
    for edits in range(len(history) - 1, -1, -1):
        reached, diagonal = history[edits], x - y
        down = diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        from_x = reached[before]
        begin = from_x if down else from_x + 1
        if edits == 0:
            begin = 0
        runs.append((begin, begin - diagonal, x - begin))
        x, y = from_x, from_x - before
    a = [np.arange(begin, begin + length) for begin, _, length in reversed(runs)]
    b = [np.arange(begin, begin + length) for _, begin, length in reversed(runs)]
    return np.concatenate(a), np.concatenate(b)


def _by_count(a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """The n-th of each key is the n-th of the other, as far as their orders agree."""
    where: dict[tuple[int, int], int] = {pair: at for at, pair in enumerate(_counted(b))}
    pairs = [(at, where[pair]) for at, pair in enumerate(_counted(a)) if pair in where]
    kept = _longest_ascending(np.array([other for _, other in pairs], dtype=np.int64))
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)[kept]
    return found[:, 0], found[:, 1]


def _counted(keys: Numbers) -> list[tuple[int, int]]:
    """Each key with how many of it stand before."""
    seen: dict[int, int] = defaultdict(int)
    found = []
    for key in keys.tolist():
        found.append((key, seen[key]))
        seen[key] += 1
    return found


def _longest_ascending(values: Numbers) -> NDArray[np.int64]:
    """Positions of a longest ascending part."""
    from bisect import bisect_left

    ends: list[int] = []
    at: list[int] = []
    before = np.full(len(values), -1)
    for position, value in enumerate(values.tolist()):
        place = bisect_left(ends, value)
        if place == len(ends):
            ends.append(value)
            at.append(position)
        else:
            ends[place], at[place] = value, position
        before[position] = at[place - 1] if place else -1
    found = []
    position = at[-1] if at else -1
    while position >= 0:
        found.append(position)
        position = int(before[position])
    return np.array(found[::-1], dtype=np.int64)
