# SPDX-License-Identifier: BSD-3-Clause
"""Blocking collective calls of a trace, summed over those that are alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from orrery import _core
from orrery.trace.imports.own import as_own


class CollectiveSum(NamedTuple):
    """Calls of one communicator, size, root and operation."""

    kind: str
    """Collective, such as "allreduce"."""
    comm: int
    bytes: int
    """As `orrery collective --help` explains; of kinds with counts the size of each block; -1: blocks differ in size."""
    root: int
    element: int
    """Bytes of one element."""
    extent: int
    commutative: bool
    built_in: bool
    in_place: bool
    ran: str
    """Algorithm, in the syntax of `--coll`; empty: the trace does not say."""
    calls: int
    """Each rank counted."""
    ranks: int
    """Ranks that made such calls."""
    time_s: float
    """Seconds inside of them, summed over ranks."""


@dataclass(frozen=True)
class CollectiveSums:
    """All of them, the longest first."""

    sums: list[CollectiveSum]
    ranks: int
    """Size of MPI_COMM_WORLD."""
    spawned: bool
    """Whether the program started ranks of its own."""
    members: dict[int, list[int]]
    """World ranks of each communicator among `sums`, by rank; empty: the trace does not say."""
    between_groups: frozenset[int]
    """Inter-communicators."""
    mapping: str = ""
    """Mapping of the simulation that recorded it, as `--map` has it; empty: the trace does not say."""
    damage: tuple[str, ...] = ()
    """What of the trace could not be read, a sentence each; calls may be missing then."""

    def comparable(self) -> tuple[list[CollectiveSum], dict[str, list[CollectiveSum]]]:
        """Calls of several ranks that one size describes, which simulations of single calls stand for; and the others, by why not."""
        kept: list[CollectiveSum] = []
        left_out: dict[str, list[CollectiveSum]] = defaultdict(list)
        for summed in self.sums:
            if reason := self._reason(summed):
                left_out[reason].append(summed)
            elif len(self.members[summed.comm]) > 1:
                kept.append(summed)
        return kept, dict(left_out)

    def said(self, what: str, left_out: Iterable[CollectiveSum]) -> str:
        """What is left out, with its share of all time in collective calls."""
        time_s = sum(summed.time_s for summed in self.sums)
        share = sum(summed.time_s for summed in left_out) / time_s if time_s > 0 else 0.0
        return f"{what}, {100 * share:.0f} % of the time in collective calls"

    def most_calls(self, alike: Iterable[CollectiveSum]) -> int:
        """How many of these the rank makes that makes most; at least 1."""
        per_rank: dict[int, float] = defaultdict(float)
        for summed in alike:
            members = self.members[summed.comm]
            for rank in members:
                per_rank[rank] += summed.calls / len(members)
        return max(1, round(max(per_rank.values(), default=0.0)))

    def _reason(self, summed: CollectiveSum) -> str:
        """Why a call is not comparable; empty: it is."""
        if summed.kind == "new_comm":
            return "communicators that are made"
        if summed.comm in self.between_groups:
            return f"{summed.kind} between groups"
        if summed.bytes < 0:
            return f"{summed.kind} whose blocks differ in size"
        if summed.in_place and summed.kind.startswith("alltoall"):
            return f"{summed.kind} in place"
        members = self.members[summed.comm]
        if not members or max(members) >= self.ranks:
            return f"{summed.kind} of ranks that the trace does not name"
        return ""


def recorded_mapping(path: Path) -> str:
    """Where the ranks of a recording were, as `--map` takes it; empty: the trace does not say. Raises InputError."""
    with as_own(path) as own:
        return dict(_core.TraceFile(str(own.path)).properties).get("mapping", "")


def read_collective_sums(path: Path) -> CollectiveSums:
    """Read a trace of any tool's through. Raises InputError when it cannot be read."""
    with as_own(path) as own:
        file = _core.TraceFile(str(own.path))
        sums = [CollectiveSum(*row) for row in _core.collective_sums(file)]
        members = {comm: _core.members_of(file, comm) for comm in {summed.comm for summed in sums}}
        damage = own.damage(file)
    return CollectiveSums(
        sums=sums,
        ranks=file.ranks,
        spawned=file.streams > file.ranks,
        members={comm: ranks for comm, (ranks, _) in members.items()},
        between_groups=frozenset(comm for comm, (_, first_group) in members.items() if first_group),
        mapping=dict(file.properties).get("mapping", ""),
        damage=tuple(damage),
    )
