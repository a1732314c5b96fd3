# SPDX-License-Identifier: BSD-3-Clause
"""The communicators of an OTF2 archive as those of a trace."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.trace.imports.otf2_definitions import GROUP_COMM_SELF, PARADIGM_MPI, ArchiveDefinitions, Otf2Comm
from orrery.trace.imports.target import Target


@dataclass(frozen=True)
class MemberView:
    """A communicator as one of its members sees it."""

    number: int
    """In the trace."""
    me: int
    """Rank in its own group."""
    peers: list[int]
    """World ranks of those that it sends to: its group, or of an inter-communicator the other one."""
    inter: bool

    def world(self, rank: int) -> int | None:
        """World rank of the other side; None: there is no such rank."""
        return self.peers[rank] if rank < len(self.peers) else None


@dataclass(frozen=True)
class _KnownCommunicator:
    number: int
    groups: list[list[int]]
    """One, or two of an inter-communicator."""
    places: list[dict[int, int]]
    """Rank in the group, by world rank."""


class Communicators:
    """Defines those of MPI in the trace, and finds them."""

    def __init__(self, definitions: ArchiveDefinitions, leaders: list[int], target: Target) -> None:
        self._definitions, self._leaders, self._target = definitions, leaders, target
        self._known: dict[int, _KnownCommunicator] = {}
        self._alone: dict[tuple[int, int], MemberView] = {}
        self._count = 0
        world = self._world()
        for number, comm in definitions.comms.items():
            self._define(number, comm, is_world=number == world)

    def find(self, number: int, rank: int) -> MemberView | None:
        """As the `rank` sees it; None: it is not defined, not one of MPI's, or the rank is not in it."""
        known = self._known.get(number)
        if known is None:
            return self._self_of(number, rank)
        for side, places in enumerate(known.places):
            if rank in places:
                return MemberView(known.number, places[rank], known.groups[-1 - side], inter=len(known.groups) == 2)
        return None

    def _world(self) -> int | None:
        """Number of MPI_COMM_WORLD, or of what has the same members in the same order."""
        everyone = list(range(len(self._leaders)))
        same = [
            (comm.name != "MPI_COMM_WORLD", number)
            for number, comm in self._definitions.comms.items()
            if comm.remote < 0 and self._definitions.members(comm.group, self._leaders) == everyone
        ]
        return min(same)[1] if same else None

    def _define(self, number: int, comm: Otf2Comm, *, is_world: bool) -> None:
        groups = [comm.group] if comm.remote < 0 else [comm.group, comm.remote]
        members = [self._definitions.members(group, self._leaders) for group in groups]
        found = [group for group in members if group is not None]
        if len(found) < len(groups) or (len(found) == 2 and set(found[0]) & set(found[1])):
            return
        places = [{world: rank for rank, world in enumerate(group)} for group in found]
        self._known[number] = _KnownCommunicator(0 if is_world else self._next(), found, places)
        if not is_world:
            first = len(found[0]) if len(found) == 2 else 0
            self._target.writer.communicator(self._count, [rank for group in found for rank in group], first)

    def _self_of(self, number: int, rank: int) -> MemberView | None:
        """Communicators like MPI_COMM_SELF are one for all ranks in the archive, and one for each in the trace."""
        comm = self._definitions.comms.get(number)
        group = None if comm is None else self._definitions.groups.get(comm.group)
        if group is None or group.kind != GROUP_COMM_SELF or group.paradigm != PARADIGM_MPI:
            return None
        if (number, rank) not in self._alone:
            self._alone[number, rank] = MemberView(self._next(), 0, [rank], inter=False)
            self._target.writer.communicator(self._count, [rank], 0)
        return self._alone[number, rank]

    def _next(self) -> int:
        self._count += 1
        return self._count
