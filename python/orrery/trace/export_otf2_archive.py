# SPDX-License-Identifier: BSD-3-Clause
"""What an OTF2 archive that is written says of the run: nodes, processes, threads, communicators, regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import otf2
from otf2.enums import CommFlag, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

from orrery import _core
from orrery.trace.timed_calls import hosts_of
from orrery.words import name as word

_UNDEFINED = (1 << 32) - 1


@dataclass(frozen=True)
class GroupView:
    """A communicator as the members of one of its groups see it."""

    definition: Any
    """The format's."""
    places: dict[int, int]
    """Rank in the own group, by world rank."""
    peers: dict[int, int]
    """Rank in the group that it sends to, by world rank: its own, or with two groups the other one."""


class DefinitionWriter:
    """Those of an archive that is open for writing."""

    def __init__(self, file: _core.TraceFile, archive: otf2.writer.Writer) -> None:
        self._file, self._archive, self._known = file, archive, archive.definitions
        self._locations = self._make_locations()
        self._known.group("MPI", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=self._locations)
        self._comms: dict[int, list[GroupView]] = {0: [self._world()]}
        self._regions: dict[str, Any] = {}
        self.program = self._known.region(
            word(dict(file.properties).get("program") or "program"),
            region_role=RegionRole.FUNCTION,
            paradigm=Paradigm.USER,
        )

    def writer(self, rank: int) -> Any:
        """What takes the events of a rank."""
        return self._archive.event_writer_from_location(self._locations[rank])

    def region(self, routine: str) -> Any:
        """That of a routine of MPI."""
        if routine not in self._regions:
            self._regions[routine] = self._known.region(word(routine), paradigm=Paradigm.MPI)
        return self._regions[routine]

    def comm(self, number: int, rank: int) -> GroupView | None:
        """A communicator as a world rank sees it; None: the trace does not say who is in it, or the rank is not."""
        if number not in self._comms:
            self._comms[number] = self._views(number)
        return next((view for view in self._comms[number] if rank in view.places), None)

    def _make_locations(self) -> list[Any]:
        machine = self._known.system_tree_node("machine", class_name="machine")
        hosts = hosts_of(self._file)
        nodes = {
            name: self._known.system_tree_node(word(name), class_name="node", parent=machine)
            for name in dict.fromkeys(hosts)
        }
        locations = []
        for rank, host in enumerate(hosts):
            process = self._known.location_group(
                f"rank {rank}", location_group_type=LocationGroupType.PROCESS, system_tree_parent=nodes[host]
            )
            locations.append(self._known.location(f"rank {rank}", type=LocationType.CPU_THREAD, group=process))
        return locations

    def _world(self) -> GroupView:
        members = range(self._file.ranks)
        places = {rank: rank for rank in members}
        return GroupView(
            self._known.comm("MPI_COMM_WORLD", group=self._group("MPI_COMM_WORLD", members)), places, places
        )

    def _group(self, name: str, members: Sequence[int]) -> Any:
        locations = [self._locations[rank] for rank in members]
        return self._known.group(name, group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=locations)

    def _views(self, number: int) -> list[GroupView]:
        if number not in dict(self._file.communicators):
            return []
        name = f"communicator {number}"
        members, first = self._file.members(number)
        groups = [members[:first], members[first:]] if first else [members]
        made = [self._group(name, group) for group in groups]
        places = [{world: rank for rank, world in enumerate(group)} for group in groups]
        if len(groups) == 1:
            return [GroupView(self._known.comm(name, group=made[0]), places[0], places[0])]
        both = self._known.inter_comm(name, group=made[0], groupA=made[0], groupB=made[1])
        return [GroupView(both, places[0], places[1]), GroupView(both, places[1], places[0])]


def _write_inter_comm(comm: Any, writer: Any, registry: Any) -> None:
    """Instead of the library's own (3.2), which gives its C function a field more than that takes."""
    numbers = (group._ref for group in (comm.groupA, comm.groupB))  # noqa: SLF001  # as all of the library's own do
    name = registry.strings.get_ref(comm.name, writer)
    writer.write_inter_comm(comm._ref, name, *numbers, _UNDEFINED, CommFlag.NONE)  # noqa: SLF001


otf2.definitions.InterComm.write = _write_inter_comm
