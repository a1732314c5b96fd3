# SPDX-License-Identifier: BSD-3-Clause
"""Who is in which communicator of a DUMPI trace.

The format numbers communicators and groups for each rank, and says of the calls that make them only what the rank itself
gave. So the calls of all members are put side by side: the n-th that makes a communicator out of another one is the
same on all its members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from orrery.allowance import Allowance
from orrery.trace.imports.dumpi_file import DumpiEvent

_MEMBER_BYTES = 16
"""Bytes of a tuple's element, with what is at hand while it is made."""
WORLD, SELF = 2, 3
NULL = 1
_GROUP_EMPTY = 2

MAKING = {"MPI_Comm_dup", "MPI_Comm_create", "MPI_Comm_split", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create"}
"""Calls that make a communicator out of one that is none of two groups."""

CONCERNED = MAKING | {
    "MPI_Comm_group",
    "MPI_Group_union",
    "MPI_Group_intersection",
    "MPI_Group_difference",
    "MPI_Group_incl",
    "MPI_Group_excl",
    "MPI_Group_range_incl",
    "MPI_Group_range_excl",
}
"""Calls that `DumpiCommunicators` has to see."""


@dataclass
class _DumpiRank:
    events: list[DumpiEvent]
    at: int = 0
    comms: dict[int, int] = field(default_factory=lambda: {WORLD: 0})
    """Numbers of all ranks by the rank's own."""
    groups: dict[int, tuple[int, ...]] = field(default_factory=lambda: {_GROUP_EMPTY: ()})
    made: list[int | None] = field(default_factory=list)
    """What each call of MAKING gave; None: the rank is not in it, or nobody knows."""
    calls: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """So far, by communicator out of which one is made."""


class DumpiCommunicators:
    """All communicators of a trace, from the calls of CONCERNED of each rank, in order.

    Cost: linear in those calls and in the members of what they make, which `allowance` bounds; groups that several
    ranks make of the same ones are made once. Raises InputError where they have too many members.
    """

    def __init__(self, events: Sequence[list[DumpiEvent]], allowance: Allowance) -> None:
        self._allowance = allowance
        self._combined: dict[tuple[Any, ...], tuple[int, ...] | None] = {}
        self._kept: dict[int, tuple[int, ...]] = {}
        self.members: list[tuple[int, ...]] = [tuple(range(len(events)))]
        """World ranks by rank, by the number of the communicator; 0 is MPI_COMM_WORLD."""
        self._dims: dict[int, list[int]] = {}
        self._ranks = [_DumpiRank(own) for own in events]
        self._waiting: dict[tuple[int, int], dict[int, DumpiEvent]] = defaultdict(dict)
        ready = list(range(len(events)))
        while ready:
            ready = self._run(ready.pop(), ready)

    def made_by(self, rank: int) -> list[int | None]:
        """Numbers of what its calls of MAKING gave, in order; None where it got none."""
        own = self._ranks[rank]
        return own.made + [None] * sum(event.name in MAKING for event in own.events[own.at :])

    def self_of(self, rank: int) -> int:
        """The communicator that a rank has for itself."""
        self.members.append((rank,))
        return len(self.members) - 1

    def _run(self, number: int, ready: list[int]) -> list[int]:
        """Go on with a rank until it has to wait for others; those that wait no longer are added."""
        rank = self._ranks[number]
        while rank.at < len(rank.events):
            event = rank.events[rank.at]
            if event.name not in MAKING:
                self._group(rank, event)
                rank.at += 1
                continue
            parent = rank.comms.get(event.arguments["oldcomm"])
            if parent is None:
                rank.made.append(None)
                rank.at += 1
                continue
            together = (parent, rank.calls[parent])
            here = self._waiting[together]
            here[number] = event
            if len(here) < len(self.members[parent]):
                return ready
            del self._waiting[together]
            self._make(parent, here)
            ready += here.keys()
            return ready
        return ready

    def _make(self, parent: int, events: dict[int, DumpiEvent]) -> None:
        fresh = self._divided(parent, events)
        for world_rank, event in events.items():
            rank = self._ranks[world_rank]
            handle = event.arguments["newcomm"]
            number = fresh.get(world_rank) if handle > NULL else None
            rank.made.append(number)
            if number is not None:
                rank.comms[handle] = number
            rank.calls[parent] += 1
            rank.at += 1

    def _divided(self, parent: int, events: dict[int, DumpiEvent]) -> dict[int, int]:
        """Which new communicator each member gets."""
        members = self.members[parent]
        name = events[members[0]].name
        if any(event.name != name for event in events.values()):
            return {}
        if name == "MPI_Comm_create":
            group = self._ranks[members[0]].groups.get(events[members[0]].arguments["group"])
            if group is None:
                return {}
            return self._all_of([world for world in group if world in events])
        sort: dict[Any, list[tuple[Any, int]]] = defaultdict(list)
        color_and_key = self._colors(name, parent)
        for position, world in enumerate(members):
            if events[world].arguments["newcomm"] > NULL:
                color, key = color_and_key(position, events[world].arguments)
                sort[color].append(((key, position), world))
        made: dict[int, int] = {}
        for _, part in sorted(sort.items()):
            made |= self._all_of([world for _, world in sorted(part)])
        self._keep_dims(name, parent, events, made)
        return made

    def _colors(self, name: str, parent: int) -> Callable[[int, dict[str, Any]], Any]:
        if name == "MPI_Comm_split":
            return lambda _, arguments: (arguments["color"], arguments["key"])
        dims = self._dims.get(parent)
        if name != "MPI_Cart_sub" or dims is None:
            return lambda position, _: (0, position)

        def of_grid(position: int, arguments: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
            kept: list[int] = []
            dropped: list[int] = []
            for extent, remains in zip(reversed(dims), reversed(arguments["remain_dims"]), strict=False):
                position, place = divmod(position, max(1, extent))
                (kept if remains else dropped).append(place)
            return tuple(dropped[::-1]), tuple(kept[::-1])

        return of_grid

    def _keep_dims(self, name: str, parent: int, events: dict[int, DumpiEvent], made: dict[int, int]) -> None:
        """Extents of grids, which their parts are cut along."""
        for world, number in made.items():
            arguments = events[world].arguments
            if name == "MPI_Cart_create" and prod(arguments["dims"]) == len(self.members[number]):
                self._dims[number] = arguments["dims"]
            elif name == "MPI_Cart_sub" and parent in self._dims:
                both = zip(self._dims[parent], arguments["remain_dims"], strict=False)
                self._dims[number] = [extent for extent, remains in both if remains]
            elif name == "MPI_Comm_dup" and parent in self._dims:
                self._dims[number] = self._dims[parent]

    def _all_of(self, members: list[int]) -> dict[int, int]:
        self._allowance.take(_MEMBER_BYTES * len(members), "the communicators of its ranks")
        self.members.append(tuple(members))
        return dict.fromkeys(members, len(self.members) - 1)

    def _group(self, rank: _DumpiRank, event: DumpiEvent) -> None:
        a = event.arguments
        made: tuple[int, ...] | None
        if event.name == "MPI_Comm_group":
            comm = rank.comms.get(a["comm"])
            made = None if comm is None else self.members[comm]
        else:
            made = self._combination(event.name, a, rank.groups)
        handle = a["group"] if event.name == "MPI_Comm_group" else a["newgroup"]
        if made is None:
            rank.groups.pop(handle, None)
        else:
            rank.groups[handle] = made

    def _combination(self, name: str, a: dict[str, Any], groups: dict[int, tuple[int, ...]]) -> tuple[int, ...] | None:
        """The group that a call makes; None where it is not known what it is made of."""
        of = [groups.get(a[key]) for key in (("group1", "group2") if "group1" in a else ("group",))]
        if any(group is None for group in of):
            return None
        known = [group for group in of if group is not None]
        ranks = tuple(a["ranks"]) if "ranks" in a else tuple(tuple(triple) for triple in a.get("ranges", ()))
        same = (name, *map(id, known), ranks)
        if same not in self._combined:
            most = sum(map(len, known))
            self._allowance.take(_MEMBER_BYTES * (most + len(ranks)), "the groups of its ranks")
            self._kept |= {id(group): group for group in known}  # so that no other group gets their identity
            self._combined[same] = _union_or_part(name, known, ranks)
        return self._combined[same]


def _union_or_part(name: str, of: list[tuple[int, ...]], ranks: Sequence[Any]) -> tuple[int, ...] | None:
    """The group that is made of one or two others; None where the ranks given are none of it, or one is given twice."""
    if len(of) == 2:
        first, second = of
        others = set(second)
        if name == "MPI_Group_union":
            mine = set(first)
            return first + tuple(rank for rank in second if rank not in mine)
        inside = name == "MPI_Group_intersection"
        return tuple(rank for rank in first if (rank in others) == inside)
    group = of[0]
    positions = _positions(ranks, len(group))
    if positions is None:
        return None
    if name.endswith("incl"):
        return tuple(group[position] for position in positions)
    left_out = set(positions)
    return tuple(rank for position, rank in enumerate(group) if position not in left_out)


def _positions(ranks: Sequence[Any], size: int) -> list[int] | None:
    """Ranks as a list or as ranges first, last, step, each of which is below `size` and stands there once; or None."""
    found: list[int] = []
    for given in ranks:
        part = _range(given) if isinstance(given, tuple) else (given,)
        if part is None or len(found) + len(part) > size:
            return None
        found += part
    return found if len(set(found)) == len(found) and all(0 <= position < size for position in found) else None


def _range(triple: tuple[int, ...]) -> Sequence[int] | None:
    """Ranks first, first + step, ..., up to last, which is in it."""
    if len(triple) != 3 or triple[2] == 0:
        return None
    first, last, step = triple
    return range(first, last + (1 if step > 0 else -1), step)
