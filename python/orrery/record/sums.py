# SPDX-License-Identifier: BSD-3-Clause
"""Rows of profiles, summed by their names: over ranks, over the ranks of a node; and as TAU would have counted them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from orrery.errors import InputError
from orrery.record.document import Profile, Row
from orrery.record.profile import APPLICATION

THROTTLED = " [THROTTLED]"
"""What TAU puts behind the name of a routine that it measures no more."""
_THROTTLE_CALLS = 100_000
_THROTTLE_US = 10.0
"""TAU_THROTTLE_NUMCALLS and TAU_THROTTLE_PERCALL, as TAU has them by default."""


def summed(rows: Iterable[Row], *, rank: int | None) -> list[Row]:
    """The sum of all rows of the same name, by decreasing inclusive time; percent of the longest. `rank`: of the sums."""
    sums: dict[tuple[int | None, str], Row] = {}
    for row in rows:
        before = sums.get((row.phase, row.name))
        sums[row.phase, row.name] = replace(row, rank=rank) if before is None else _added(before, row)
    longest_s = max((row.inclusive_s for row in sums.values()), default=0.0)
    shares = (
        replace(row, percent_time=100 * row.inclusive_s / longest_s if longest_s > 0 else 0.0) for row in sums.values()
    )
    return sorted(shares, key=lambda row: (row.phase or 0, row.name != APPLICATION, -row.inclusive_s, row.name))


def with_ranks(profile: Profile, what: str) -> Profile:
    """The profile, if it has rows of ranks. `what`: what needs them. Raises InputError where it has none."""
    if not any(row.calls for row in [*profile.summed, *profile.per_rank]):
        raise InputError(f"{what}: the profile is empty: it has no call and no time of any rank")
    if not profile.per_rank:
        raise InputError(f"{what}: the profile has only sums over ranks, as that of a run with more than 16,384 ranks")
    return profile


def by_node(profile: Profile, hosts: Sequence[str]) -> dict[str, list[Row]]:
    """Rows of each node, in the order of its first rank: the sums over its ranks.

    Args:
        profile: with rows of ranks.
        hosts: by rank; empty: each rank is taken to be on a node of its own.
    Raises:
        InputError: the profile has no rows of ranks.
    """
    with_ranks(profile, "times of nodes")
    groups: dict[str, list[Row]] = {}
    for row in profile.per_rank:
        rank = row.rank or 0
        name = hosts[rank] if rank < len(hosts) else f"rank {rank}"
        groups.setdefault(name, []).append(row)
    return {name: summed(rows, rank=None) for name, rows in groups.items()}


def throttled(profile: Profile) -> Profile:
    """What TAU would have shown: it stops to measure a routine that a rank has called more than 100,000 times when a call took
    less than 10 us. Its row says so, has 100,001 calls and their part of the time; the rest is the application's.

    Source: TAU User Guide, TAU_THROTTLE. TAU decides while the program runs; here the mean over the run decides.

    Raises InputError where the profile has only sums over ranks.
    """
    by_rank: dict[int | None, list[Row]] = {}
    for row in with_ranks(profile, "--throttle").per_rank:
        by_rank.setdefault(row.rank, []).append(row)
    per_rank = [row for rows in by_rank.values() for row in _throttled_rank(rows)]
    return Profile(summed=summed(per_rank, rank=None), per_rank=per_rank)


def _throttled_rank(rows: Sequence[Row]) -> list[Row]:
    kept = [_throttled_row(row) for row in rows]
    out: list[Row] = []
    for head, row in zip(rows, kept, strict=True):
        if not head.name.startswith(APPLICATION):
            out.append(row)
            continue
        inside = [(a, b) for a, b in zip(rows, kept, strict=True) if a.phase == head.phase and a is not head]
        time_s = sum(a.exclusive_s - b.exclusive_s for a, b in inside)
        calls = sum(a.calls - b.calls for a, b in inside)
        out.append(replace(head, exclusive_s=head.exclusive_s + time_s, subrs=head.subrs - calls))
    return out


def _throttled_row(row: Row) -> Row:
    if row.name.startswith(APPLICATION) or row.calls <= _THROTTLE_CALLS:
        return row
    if row.inclusive_s * 1e6 / row.calls >= _THROTTLE_US:
        return row
    calls = _THROTTLE_CALLS + 1
    part = calls / row.calls
    return replace(
        row,
        name=row.name + THROTTLED,
        calls=calls,
        percent_time=row.percent_time * part,
        exclusive_s=row.exclusive_s * part,
        inclusive_s=row.inclusive_s * part,
    )


def _added(row: Row, other: Row) -> Row:
    return replace(
        row,
        exclusive_s=row.exclusive_s + other.exclusive_s,
        inclusive_s=row.inclusive_s + other.inclusive_s,
        calls=row.calls + other.calls,
        subrs=row.subrs + other.subrs,
        messages=row.messages + other.messages,
        bytes=row.bytes + other.bytes,
    )
