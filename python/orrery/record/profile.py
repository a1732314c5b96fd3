# SPDX-License-Identifier: BSD-3-Clause
"""Profiles in the form of TAU, from the columns of the core."""

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
_MOST_TABLES = 16_384


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
    """What `rows` makes of the core's profile. Above 16,384 ranks there is no table for each: only their sums.

    Args:
        profile: of a simulation.
        names: of routines, by number.
    """
    # Numpy is imported only where it is needed: it takes a tenth of a second, as long as a small run.
    if len(profile) <= _MOST_TABLES or len(set(profile.rank.tolist())) <= _MOST_TABLES:
        return rows(entries(profile), names)
    import numpy as np

    ranks = len(np.unique(profile.rank))
    rank, phase = np.asarray(profile.rank), np.asarray(profile.phase)
    sums = list(_summed(profile, phase))
    total_s = sum(entry.time_s for entry in sums)
    out = _block(sums, names, rank=None, phase=None, calls=ranks, total_s=total_s)
    for one in sorted({entry.phase for entry in sums} - {0}):
        inside = [entry for entry in sums if entry.phase == one]
        entered = len(np.unique(rank[phase == one]))
        out += _block(inside, names, rank=None, phase=one, calls=entered, total_s=total_s)
    return Profile(summed=out, per_rank=[])


def seconds_of(profile: _core.Profile, names: Sequence[str]) -> dict[str, float]:
    """Seconds in each routine, without what it calls, over all ranks and phases: a profile's first block, by the names there."""
    found: dict[str, float] = {}
    for routine, time_s in zip(profile.routine.tolist(), profile.time_s.tolist(), strict=True):
        name = APPLICATION if routine == _APPLICATION_ROUTINE else f"{names[routine]}()"
        found[name] = found.get(name, 0.0) + time_s
    return found


def algorithms_of(run: _core.Run | _core.Replay, names: Sequence[str]) -> list[AlgorithmUse]:
    """Which algorithms served collective calls. `names`: of routines, by number."""
    return [
        AlgorithmUse(
            routine=names[use.routine],
            algorithm=use.algorithm,
            calls=use.calls,
            messages=use.messages,
            bytes=use.bytes,
        )
        for use in run.algorithm_use()
    ]


def _summed(profile: _core.Profile, phase: NDArray[np.uint32]) -> Iterable[Entry]:
    """Sums over all ranks: an entry for each routine in each phase. The rank of an entry has no meaning."""
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
    """The whole run first, then each phase; phase 0 is the time outside of phases."""
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
