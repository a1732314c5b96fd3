# SPDX-License-Identifier: BSD-3-Clause
"""What an OTF2 archive says of the run: locations, groups, communicators; and who of them is which rank of MPI."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

CPU_THREAD, ACCELERATOR_STREAM, METRIC_LOCATION = 1, 2, 3
PARADIGM_MPI = 4
ACCELERATORS = frozenset((5, 8, 10, 18, 19, 23, 24, 25))
"""Paradigms whose windows are the memory of a device of the same rank: CUDA, OpenCL, HIP and the like."""
GROUP_COMM_LOCATIONS, GROUP_COMM_GROUP, GROUP_COMM_SELF, GROUP_COMM_LOCATION_GROUPS = 4, 5, 6, 7
GLOBAL_MEMBERS = 1


class Location(NamedTuple):
    """A thread, a stream of an accelerator, a source of metrics."""

    number: int
    kind: int
    events: int
    group: int


class Otf2Group(NamedTuple):
    """Members of communicators."""

    kind: int
    paradigm: int
    flags: int
    members: list[int]


class Otf2Comm(NamedTuple):
    """A communicator; `remote` is the other group of an inter-communicator, else -1."""

    name: str
    group: int
    remote: int


@dataclass
class ArchiveDefinitions:
    """Those that an import needs, by number."""

    creator: str = ""
    resolution: int = 0
    """Ticks in a second."""
    offset: int = 0
    """When the run began, in ticks."""
    locations: dict[int, Location] = field(default_factory=dict)
    location_groups: dict[int, int] = field(default_factory=dict)
    """Nodes of the system tree that processes are on."""
    tree: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    """Name, class and parent of nodes of the system tree."""
    groups: dict[int, Otf2Group] = field(default_factory=dict)
    comms: dict[int, Otf2Comm] = field(default_factory=dict)
    windows: dict[int, int] = field(default_factory=dict)
    """Communicators of windows."""
    regions: dict[int, str] = field(default_factory=dict)
    """Names of MPI's routines."""
    contexts: dict[int, int] = field(default_factory=dict)
    """Regions of calling contexts."""
    metrics: dict[int, list[str]] = field(default_factory=dict)
    """Names of what is measured together, by the number that events of it have."""

    def save(self, path: Path) -> None:
        """For the other process."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def leaders(self) -> list[int]:
        """The location that communicates, for each rank of MPI; empty if no rank is known."""
        for group in self.groups.values():
            if group.paradigm != PARADIGM_MPI:
                continue
            if group.kind == GROUP_COMM_LOCATIONS:
                return group.members if all(member in self.locations for member in group.members) else []
            if group.kind == GROUP_COMM_LOCATION_GROUPS:
                first = {
                    location.group: number
                    for number, location in reversed(self.locations.items())
                    if location.kind == CPU_THREAD
                }
                return (
                    [first[member] for member in group.members]
                    if all(member in first for member in group.members)
                    else []
                )
        return []

    def host(self, location: int) -> str:
        """The node that a location is on; empty: not known."""
        at = self.location_groups.get(self.locations[location].group, -1)
        seen: set[int] = set()
        while at in self.tree and at not in seen:
            seen.add(at)
            name, kind, parent = self.tree[at]
            if kind == "node":
                return name
            at = parent
        return ""

    def members(self, group: int, leaders: list[int]) -> list[int] | None:
        """World ranks; None: not known, or not of MPI."""
        found = self.groups.get(group)
        if found is None or found.paradigm != PARADIGM_MPI or found.kind == GROUP_COMM_SELF:
            return None
        if found.kind != GROUP_COMM_GROUP:
            return list(range(len(leaders)))
        ranks = found.members
        if found.flags & GLOBAL_MEMBERS:
            rank_of = {location: rank for rank, location in enumerate(leaders)}
            ranks = [rank_of.get(member, -1) for member in ranks]
        unique = len(set(ranks)) == len(ranks)
        return ranks if ranks and unique and all(0 <= rank < len(leaders) for rank in ranks) else None


def load(path: Path) -> ArchiveDefinitions:
    """What `ArchiveDefinitions.save` wrote."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    by_number = {
        name: {int(k): v for k, v in value.items()} for name, value in plain.items() if isinstance(value, dict)
    }
    for name, kind in (("locations", Location), ("groups", Otf2Group), ("comms", Otf2Comm), ("tree", tuple)):
        values = by_number[name]
        by_number[name] = {k: kind(v) if kind is tuple else kind(*v) for k, v in values.items()}
    return ArchiveDefinitions(**{**plain, **by_number})
