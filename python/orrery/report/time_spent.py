# SPDX-License-Identifier: BSD-3-Clause
"""On what ranks spend their time, and for whom they wait, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from orrery.record.document import Profile
from orrery.record.profile import APPLICATION

_MOST = 2
"""How many routines are named."""
_LEAST = 0.01
"""Share of all time below which a routine is not named."""
_UNEVEN = 0.05
"""Part of the time that the slowest rank computes longer than the average, from which on it is named."""


def time_spent(profile: Profile) -> str:
    """Shares of computation and of the routines of MPI that take most; empty if there is no time."""
    rows = [row for row in profile.summed if row.phase is None]
    total_s = sum(row.exclusive_s for row in rows)
    if total_s <= 0:
        return ""
    computing_s = sum(row.exclusive_s for row in rows if row.name == APPLICATION)
    routines = sorted((row for row in rows if row.name != APPLICATION), key=lambda row: -row.exclusive_s)
    named = [row for row in routines[:_MOST] if row.exclusive_s >= _LEAST * total_s]
    rest_s = total_s - computing_s - sum(row.exclusive_s for row in named)
    shares = [("computation", computing_s), *((row.name.removesuffix("()"), row.exclusive_s) for row in named)]
    if rest_s >= _LEAST * total_s:
        shares.append(("rest", rest_s))
    parts = percents([seconds / total_s for _, seconds in shares])
    return ", ".join(f"{name} {part}%" for (name, _), part in zip(shares, parts, strict=True))


def percents(shares: Sequence[float]) -> list[int]:
    """Shares of a whole as whole percents that sum to their rounded sum: those whose rest is largest are rounded up."""
    exact = [100 * share for share in shares]
    parts = [floor(share) for share in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: parts[i] - exact[i])
    for i in by_rest[: round(sum(exact)) - sum(parts)]:
        parts[i] += 1
    return parts


def slowest_rank(profile: Profile) -> str:
    """The rank that computes longest, where others wait for it; empty: none is much slower than the average."""
    own = [row for row in profile.per_rank if row.phase is None and row.name == APPLICATION and row.rank is not None]
    if len(own) < 2:
        return ""
    mean_s = sum(row.exclusive_s for row in own) / len(own)
    slowest = max(own, key=lambda row: row.exclusive_s)
    more_s = slowest.exclusive_s - mean_s
    if more_s < _UNEVEN * max(row.inclusive_s for row in own):
        return ""
    return f"rank {slowest.rank} computes {more_s / mean_s:.0%} longer than the average" if mean_s > 0 else ""
