# SPDX-License-Identifier: BSD-3-Clause
"""What makes most of the difference of two sides: the routine, its ranks, the cause, and for whom they waited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from orrery.comparison.sample import RunSample
from orrery.record.profile import APPLICATION
from orrery.trace.timeline import CAUSES

_MOST = 0.5
"""Part of a difference from which on its largest piece is named."""
_RANKS = 0.8
"""Part of the routine's difference that the named ranks make."""
_FEW = 8
"""Ranks that are named at most, and at most a quarter of all."""


@dataclass(frozen=True, kw_only=True)
class LargestPiece:
    """The largest piece of a difference."""

    routine: str
    """`.application`: outside of MPI."""
    change_s: float
    """Mean over ranks."""
    share: float
    """Share of the difference of all routines; above 1 where others compensate a part."""
    ranks: list[int]
    """Those few that make most of it; empty: it is spread over many."""
    cause: str | None
    """One of `CAUSES`, `transfer`, or None: not known, or no single one."""
    by: list[int]
    """Ranks that were waited for; empty: many, or not known."""
    place: str | None
    """The call with which they came; None: not known, or no single one."""


def where(first: Sequence[RunSample], second: Sequence[RunSample]) -> LargestPiece | None:
    """The piece that explains most of the difference; None: there is no difference."""
    before, after = _routines(first), _routines(second)
    changes = {name: after.get(name, 0.0) - before.get(name, 0.0) for name in dict.fromkeys([*before, *after])}
    whole = sum(changes.values())
    if whole == 0:
        return None
    routine = max(changes, key=lambda name: changes[name] / whole)
    if changes[routine] == 0:
        return None
    cause = _cause(first, second, routine, changes[routine])
    by, place = _behind(first, second, routine, cause) if cause in CAUSES else ([], None)
    return LargestPiece(
        routine=routine,
        change_s=changes[routine],
        share=changes[routine] / whole,
        ranks=_few(
            _by_rank(first, second, routine), changes[routine], min(len(sample.rank_s) for sample in (*first, *second))
        ),
        cause=cause,
        by=by,
        place=place,
    )


def _routines(side: Sequence[RunSample]) -> dict[str, float]:
    """Seconds by routine, mean over runs and ranks."""
    found: dict[str, float] = defaultdict(float)
    for sample in side:
        each = len(side) * (sample.ranks if sample.rank_s else 1)
        for row in sample.rows:
            found[row.routine] += row.time_s / each
    return found


def _by_rank(first: Sequence[RunSample], second: Sequence[RunSample], routine: str) -> dict[int, float]:
    """How much longer each rank is in the routine."""
    found: dict[int, float] = defaultdict(float)
    for side, sign in ((first, -1), (second, 1)):
        for sample in side:
            for row in sample.rows:
                if row.routine == routine:
                    found[row.rank] += sign * row.time_s / len(side)
    return found


def _few(changes: dict[int, float], sign: float, among: int) -> list[int]:
    """The fewest keys that make most of the changes with this sign; none, if they are many."""
    ordered = sorted((key for key in changes if changes[key] * sign > 0), key=lambda key: (-abs(changes[key]), key))
    whole = sum(abs(changes[key]) for key in ordered)
    found, made = [], 0.0
    for key in ordered:
        found.append(key)
        made += abs(changes[key])
        if made >= _RANKS * whole:
            break
    return sorted(found) if found and len(found) <= min(_FEW, among // 4) else []


def _cause(first: Sequence[RunSample], second: Sequence[RunSample], routine: str, change_s: float) -> str | None:
    if routine == APPLICATION or not all(sample.says_causes for sample in (*first, *second)):
        return None
    found = dict.fromkeys((*CAUSES, "transfer"), 0.0)
    for side, sign in ((first, -1), (second, 1)):
        for sample in side:
            each = sign / (len(side) * sample.ranks)
            for row in sample.rows:
                if row.routine == routine:
                    for cause, waited in zip(CAUSES, row.waited_s, strict=True):
                        found[cause] += waited * each
                    found["transfer"] += (row.time_s - sum(row.waited_s)) * each
    largest = max(found, key=lambda cause: found[cause] / change_s)
    return largest if found[largest] / change_s >= _MOST else None


def _behind(
    first: Sequence[RunSample], second: Sequence[RunSample], routine: str, cause: str | None
) -> tuple[list[int], str | None]:
    """Who was waited for, and the call with which they came."""
    places: dict[str, float] = defaultdict(float)
    ranks: dict[int, float] = defaultdict(float)
    for side, sign in ((first, -1), (second, 1)):
        for sample in side:
            for wait in sample.waits:
                if (wait.routine, wait.cause) == (routine, cause):
                    places[wait.place] += sign * wait.time_s / len(side)
                    ranks[wait.by] += sign * wait.time_s / len(side)
    whole = sum(places.values())
    if whole == 0:
        return [], None
    place = max(places, key=lambda place: places[place] / whole)
    few = _few(ranks, whole, min(sample.ranks for sample in (*first, *second)))
    return few, place if place and places[place] / whole >= _MOST else None
