# SPDX-License-Identifier: BSD-3-Clause
"""From the core's columns to the rows of TAU's profile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from orrery.run.record import Profile, Row

if TYPE_CHECKING:
    from orrery import _core

APPLICATION = ".application"
_APPLICATION_ROUTINE = 0


class Entry(NamedTuple):
    """Time of one rank in one routine, in one phase."""

    rank: int
    phase: int
    routine: int
    calls: int
    time_s: float
    messages: int
    bytes: int


class _Sum:
    """Adds entries up."""

    __slots__ = ("bytes", "calls", "messages", "time_s")

    def __init__(self) -> None:
        self.calls = self.messages = self.bytes = 0
        self.time_s = 0.0

    def add(self, entry: Entry) -> None:
        self.calls += entry.calls
        self.time_s += entry.time_s
        self.messages += entry.messages
        self.bytes += entry.bytes


def entries(profile: _core.Profile) -> list[Entry]:
    """Rows of the core's profile, by rank, phase and routine."""
    columns = (
        profile.rank,
        profile.phase,
        profile.routine,
        profile.calls,
        profile.time_s,
        profile.messages,
        profile.bytes,
    )
    return [Entry(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def rows(all_entries: Sequence[Entry], names: Sequence[str]) -> Profile:
    """Profile summed over ranks, and of each rank.

    Args:
        all_entries: by rank.
        names: of routines, by number.
    """
    by_rank: dict[int, list[Entry]] = {}
    for entry in all_entries:
        by_rank.setdefault(entry.rank, []).append(entry)
    per_rank = [row for rank, own in by_rank.items() for row in _table(own, names, rank=rank, ranks=1)]
    return Profile(summed=_table(all_entries, names, rank=None, ranks=len(by_rank)), per_rank=per_rank)


def _table(group: Sequence[Entry], names: Sequence[str], *, rank: int | None, ranks: int) -> list[Row]:
    """The whole run first, then each phase for itself; phase 0 is what lies outside of any."""
    total_s = sum(entry.time_s for entry in group)
    out = _block(group, names, rank=rank, phase=None, calls=ranks, total_s=total_s)
    for phase in sorted({entry.phase for entry in group} - {0}):
        inside = [entry for entry in group if entry.phase == phase]
        entered = len({entry.rank for entry in inside})
        out += _block(inside, names, rank=rank, phase=phase, calls=entered, total_s=total_s)
    return out


def _block(
    group: Iterable[Entry],
    names: Sequence[str],
    *,
    rank: int | None,
    phase: int | None,
    calls: int,
    total_s: float,
) -> list[Row]:
    """`.application` or the phase, then the routines in it by decreasing time.

    `calls` is that of the first row: ranks that were in it; `total_s` is what 100 percent are.
    """
    sums: dict[int, _Sum] = {}
    for entry in group:
        sums.setdefault(entry.routine, _Sum()).add(entry)
    own = sums.pop(_APPLICATION_ROUTINE, _Sum())
    inclusive_s = own.time_s + sum(routine.time_s for routine in sums.values())

    def row(name: str, total: _Sum, inclusive_s: float, calls: int, subrs: int) -> Row:
        return Row(
            rank=rank,
            phase=phase,
            name=name,
            percent_time=100 * inclusive_s / total_s if total_s > 0 else 0.0,
            exclusive_s=total.time_s,
            inclusive_s=inclusive_s,
            calls=calls,
            subrs=subrs,
            messages=total.messages,
            bytes=total.bytes,
        )

    subrs = sum(routine.calls for routine in sums.values())
    head = APPLICATION if phase is None else f"{APPLICATION} => phase {phase}"
    first = row(head, own, inclusive_s, calls, subrs)
    prefix = "" if phase is None else f"phase {phase} => "
    routines = [
        row(f"{prefix}{names[number]}()", total, total.time_s, total.calls, 0) for number, total in sums.items()
    ]
    return [first, *sorted(routines, key=lambda r: (-r.inclusive_s, r.name))]
