# SPDX-License-Identifier: BSD-3-Clause
"""Blocking collective calls of a trace, summed over those that are alike."""

from __future__ import annotations

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
    """Of MPI_COMM_WORLD."""
    spawned: bool
    """Whether the program started ranks of its own."""
    members: dict[int, list[int]]
    """World ranks of each communicator among `sums`, by rank; empty: the trace does not say."""
    between_groups: frozenset[int]
    """Inter-communicators."""


def read_collective_sums(path: Path) -> CollectiveSums:
    """Read a trace of any tool's through. Raises InputError when it cannot be read."""
    with as_own(path) as own:
        file = _core.TraceFile(str(own.path))
        sums = [CollectiveSum(*row) for row in _core.collective_sums(file)]
        members = {comm: _core.members_of(file, comm) for comm in {one.comm for one in sums}}
    return CollectiveSums(
        sums=sums,
        ranks=file.ranks,
        spawned=file.streams > file.ranks,
        members={comm: ranks for comm, (ranks, _) in members.items()},
        between_groups=frozenset(comm for comm, (_, first_group) in members.items() if first_group),
    )
