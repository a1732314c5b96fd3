# SPDX-License-Identifier: BSD-3-Clause
"""The collective calls of a run that cost most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orrery.trace.collective_sums import CollectiveSum, CollectiveSums

MOST_CALLS = 8
"""Kinds of calls that are kept."""
_LEAST_SHARE = 0.001
"""Share of the run: what is cheaper is left out, and not worth a note."""
_PART_OF_OTHERS = "new_comm"
"""What belongs to routines that make communicators, and has one algorithm."""


@dataclass
class CallGroup:
    """Calls that are alike but for their root, of all communicators whose ranks share nodes alike."""

    longest: CollectiveSum
    where: list[int]
    """Places of its ranks."""
    calls: int = 0
    """Each rank counted."""
    time_s: float = 0.0
    """Summed over ranks."""
    ranks_of: dict[int, int] = field(default_factory=dict)
    """How many ranks take part, by communicator."""

    @property
    def ranks(self) -> int:
        """How many take part."""
        return sum(self.ranks_of.values())

    def add(self, summed: CollectiveSum) -> None:
        """Count these, too."""
        self.calls += summed.calls
        self.ranks_of[summed.comm] = max(summed.ranks, self.ranks_of.get(summed.comm, 0))
        self.time_s += summed.time_s


def costly_calls(sums: CollectiveSums, where: Sequence[int], run_s: float) -> tuple[list[CallGroup], list[str]]:
    """The most expensive groups, by decreasing time, and a sentence for each thing that was left out.

    Args:
        sums: of the trace.
        where: place of each rank of MPI_COMM_WORLD.
        run_s: simulated seconds of the run.
    """
    whole_s = run_s * sums.ranks
    found: dict[tuple[object, ...], CallGroup] = {}
    out: dict[str, float] = {}
    for summed in sums.sums:
        members = sums.members[summed.comm]
        if summed.kind == _PART_OF_OTHERS or len(members) == 1:
            continue
        if (why := _why_not(summed, sums)) is not None:
            out[f"{summed.kind} {why}"] = out.get(f"{summed.kind} {why}", 0.0) + summed.time_s
            continue
        places = [where[rank] for rank in members]
        alike = (
            summed.kind,
            summed.bytes,
            summed.element,
            summed.extent,
            summed.commutative,
            summed.built_in,
            summed.in_place,
            summed.ran,
        )
        found.setdefault((*alike, _pattern(places)), CallGroup(summed, places)).add(summed)
    ordered = sorted(found.values(), key=lambda group: -group.time_s)
    kept = [group for group in ordered[:MOST_CALLS] if group.time_s > _LEAST_SHARE * whole_s]
    notes = [
        f"{what} ({time_s / whole_s:.1%} of the run)" for what, time_s in out.items() if time_s > _LEAST_SHARE * whole_s
    ]
    rest_s = sum(group.time_s for group in ordered[len(kept) :])
    if rest_s > _LEAST_SHARE * whole_s:
        notes.append(f"{len(ordered) - len(kept):,} cheaper kinds of calls ({rest_s / whole_s:.1%} of the run)")
    return kept, notes


def _why_not(summed: CollectiveSum, sums: CollectiveSums) -> str | None:
    if summed.comm in sums.between_groups:
        return "between two groups"
    if summed.kind.startswith("neighbor_"):
        return "among neighbours"
    if not sums.members[summed.comm]:
        return "of a communicator whose ranks are not known"
    if summed.bytes < 0:
        return "with blocks of different sizes"
    return None if summed.ran else "by an algorithm that is not known"


def _pattern(places: Sequence[int]) -> tuple[int, ...]:
    """Which ranks share a place, whichever it is."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(place, len(seen)) for place in places)
