# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of the core's profile to the rows of a TAU profile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from orrery.record.document import AlgorithmUse, Profile, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from orrery import _core

APPLICATION = ".application"
_APPLICATION_ROUTINE = 0
"""Number by which the core knows the time outside of MPI routines."""
MOST_TABLES = 16_384
"""Ranks above which a profile has only the sums over ranks, no rows for each rank."""


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
    """Sum of entries."""

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


def table_of(profile: _core.Profile, names: Sequence[str]) -> Profile:
    """The profile of a simulation. Above 16,384 ranks it has no rows for each rank, only their sums.

    Args:
        profile: the core's profile.
        names: names of routines, by number.
    """
    # Numpy is imported only where it is needed: it takes a tenth of a second, as long as a small run.
    if len(profile) <= MOST_TABLES or len(set(profile.rank.tolist())) <= MOST_TABLES:
        return rows(entries(profile), names)
    import numpy as np

    ranks = len(np.unique(profile.rank))
    rank, phase = np.asarray(profile.rank), np.asarray(profile.phase)
    sums = list(_summed(profile, phase))
    total_s = sum(entry.time_s for entry in sums)
    out = _block(sums, names, rank=None, phase=None, calls=ranks, total_s=total_s)
    for number in sorted({entry.phase for entry in sums} - {0}):
        inside = [entry for entry in sums if entry.phase == number]
        entered = len(np.unique(rank[phase == number]))
        out += _block(inside, names, rank=None, phase=number, calls=entered, total_s=total_s)
    return Profile(summed=out, per_rank=[])


def seconds_of(profile: _core.Profile, names: Sequence[str]) -> dict[str, float]:
    """Exclusive seconds in each routine, summed over ranks and phases, by the names of the profile's rows."""
    found: dict[str, float] = {}
    for routine, time_s in zip(profile.routine.tolist(), profile.time_s.tolist(), strict=True):
        name = APPLICATION if routine == _APPLICATION_ROUTINE else f"{names[routine]}()"
        found[name] = found.get(name, 0.0) + time_s
    return found


def seconds_of_rows(profile: Profile) -> dict[str, float]:
    """Seconds of each routine, from the rows of a profile."""
    return {row.name: row.exclusive_s for row in profile.summed if row.phase is None}


def algorithms_of(uses: Iterable[_core.AlgorithmUse], names: Sequence[str]) -> list[AlgorithmUse]:
    """Algorithms that collective calls used, for a record. `names`: names of routines, by number."""
    return [
        AlgorithmUse(
            routine=names[use.routine],
            algorithm=use.algorithm,
            calls=use.calls,
            messages=use.messages,
            bytes=use.bytes,
            instead_of=use.instead_of,
            why=use.why,
            asked_by=use.asked_by,
        )
        for use in uses
    ]


def _summed(profile: _core.Profile, phase: NDArray[np.uint32]) -> Iterable[Entry]:
    """Sums over all ranks: an entry for each routine in each phase, with rank -1."""
    import numpy as np

    keys = phase.astype(np.uint64) << np.uint64(32) | np.asarray(profile.routine).astype(np.uint64)
    found, group = np.unique(keys, return_inverse=True)
    columns = [
        np.bincount(group, weights=np.asarray(column))
        for column in (profile.calls, profile.time_s, profile.messages, profile.bytes)
    ]
    for i, key in enumerate(found.tolist()):
        calls, time_s, messages, moved = (float(column[i]) for column in columns)
        yield Entry(-1, key >> 32, key & 0xFFFFFFFF, round(calls), time_s, round(messages), round(moved))


def rows(all_entries: Sequence[Entry], names: Sequence[str]) -> Profile:
    """The profile from its entries: the sums over ranks, and the rows of each rank.

    Args:
        all_entries: entries sorted by rank.
        names: names of routines, by number.
    """
    by_rank: dict[int, list[Entry]] = {}
    for entry in all_entries:
        by_rank.setdefault(entry.rank, []).append(entry)
    per_rank = [row for rank, own in by_rank.items() for row in _table(own, names, rank=rank, ranks=1)]
    return Profile(summed=_table(all_entries, names, rank=None, ranks=len(by_rank)), per_rank=per_rank)


def _table(group: Sequence[Entry], names: Sequence[str], *, rank: int | None, ranks: int) -> list[Row]:
    """Rows of the whole run, then of each phase. Phase 0 is the time outside of phases and has no rows of its own."""
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
    """A row for the application or for a phase, then a row for each routine in it by decreasing time.

    Args:
        group: entries to sum.
        names: names of routines, by number.
        rank: rank of the rows; None: summed over ranks.
        phase: phase of the rows; None: the whole run.
        calls: `calls` of the first row: the number of ranks that were in it.
        total_s: seconds that are 100 percent.
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
