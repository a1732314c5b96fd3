# SPDX-License-Identifier: BSD-3-Clause
"""Zones: what routes lead from one point of a zone to another, as SimGrid finds them, by each of its routings."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot

import numpy as np

from orrery.platform.simgrid.parts import Links, SimgridLink
from orrery.platform.simgrid.points import Pair, Parts, Point, Stage, Zone, ZoneEdge

WIDE = 1e18
"""Bytes per second: a distance is never what limits a flow."""
_NONE = np.iinfo(np.int64).max // 4  # costs of two of them can be added


class ListedZone(Zone):
    """A zone whose routes are all given (Full), or that has none (None)."""

    counts_links = False
    """Whether the shortest of several ways is taken, by the number of links."""

    def __init__(self, name: str, parent: Zone | None) -> None:
        super().__init__(name, parent)
        self.table: dict[Pair, Stage] = {}

    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """See Zone."""
        found = self.table.get((source, target))
        return None if found is None else [found]

    def edges(self) -> Iterator[ZoneEdge]:
        """See Zone."""
        for (source, target), stage in self.table.items():
            ends = (stage.leave or source).name, (stage.enter or target).name
            if ends[0] != ends[1]:
                yield ZoneEdge(*ends, stage.links, one_way=True)


class ShortestZone(ListedZone, ABC):
    """A zone in which routes lead along given ones."""

    counts_links = True

    def __init__(self, name: str, parent: Zone | None) -> None:
        super().__init__(name, parent)
        self._positions: dict[Point, int] = {}

    @abstractmethod
    def previous(self, source: Point, target: Point) -> Point | None:
        """The member before the target on the way from the source. None: there is no way."""

    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """See Zone."""
        if source is target:
            return super().stage(source, target)
        stages: list[Stage] = []
        while target is not source:
            before = self.previous(source, target)
            if before is None:
                return None
            stages.append(self.table[before, target])
            target = before
        return stages[::-1]


class FloydZone(ShortestZone):
    """Routing by the algorithm of Floyd and Warshall. Of equal ways it keeps the one that it found first."""

    def __init__(self, name: str, parent: Zone | None) -> None:
        super().__init__(name, parent)
        self._previous: np.ndarray | None = None

    def previous(self, source: Point, target: Point) -> Point | None:
        """See ShortestZone."""
        if self._previous is None:
            self._positions = {point: position for position, point in enumerate(self.members)}
            self._previous = self._solve()
        found = int(self._previous[self._positions[source], self._positions[target]])
        return None if found < 0 else self.members[found]

    def _solve(self) -> np.ndarray:
        """For each source and target the member before the target; -1: no way."""
        count = len(self.members)
        cost = np.full((count, count), _NONE, dtype=np.int64)
        previous = np.full((count, count), -1, dtype=np.int64)
        for (source, target), stage in self.table.items():
            ends = self._positions[source], self._positions[target]
            cost[ends], previous[ends] = len(stage.links), ends[0]
        for middle in range(count):
            through = cost[:, middle, None] + cost[None, middle, :]
            better = (through < cost) & (through < _NONE)
            cost[better] = through[better]
            previous[better] = np.broadcast_to(previous[middle], (count, count))[better]
        return previous


class DijkstraZone(ShortestZone):
    """Routing by Dijkstra's algorithm. Of equal ways to a member it keeps the one through the member that was reached first,
    by cost and then by the order in which routes name members.
    """

    def __init__(self, name: str, parent: Zone | None) -> None:
        super().__init__(name, parent)
        self._before: dict[Point, dict[Point, Point]] = {}
        self._neighbours: dict[Point, list[Point]] = {}

    def previous(self, source: Point, target: Point) -> Point | None:
        """See ShortestZone."""
        if not self._neighbours:
            for tail, head in self.table:
                for point in (tail, head):
                    self._positions.setdefault(point, len(self._positions))
                self._neighbours.setdefault(tail, []).append(head)
        if source not in self._before:
            self._before[source] = self._solve(source)
        return self._before[source].get(target)

    def _solve(self, source: Point) -> dict[Point, Point]:
        points = list(self._positions)
        if source not in self._positions:
            return {}
        cost = {source: 0}
        before: dict[Point, Point] = {}
        queue = [(0, self._positions[source])]
        while queue:
            reached, position = heapq.heappop(queue)
            at = points[position]
            for other in self._neighbours.get(at, ()):
                there = cost[at] + len(self.table[at, other].links)
                if reached == cost[at] and there < cost.get(other, _NONE):
                    cost[other], before[other] = there, at
                    heapq.heappush(queue, (there, self._positions[other]))
        return before


class StarZone(Zone):
    """Members with their own links up to a common middle and down from it, and maybe a backbone there."""

    def __init__(self, name: str, parent: Zone | None) -> None:
        super().__init__(name, parent)
        self.up: dict[Point, Links] = {}
        self.down: dict[Point, Links] = {}
        self.loopbacks: dict[Point, Links] = {}
        self.backbone: Links = ()

    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """See Zone. A link that would be crossed twice is crossed once."""
        if source is target and source in self.loopbacks:
            return [Stage(self.loopbacks[source])]
        links = (
            *self.up.get(source, ()), *(self.backbone if source in self.up else ()),
            *(self.backbone if target in self.down else ()), *self.down.get(target, ()),
        )  # fmt: skip
        return [Stage(tuple(dict.fromkeys(links)))]

    @property
    def middle(self) -> str:
        """Name of the switch where all links meet: the router, if there is one."""
        return next((point.name for point in self.members if point.kind == "router"), f"{self.name} switch")

    @property
    def switches(self) -> Iterator[str]:
        """Names of the switches that `edges` need and that are no routers."""
        if self.backbone:
            yield from self._ends
        elif self.middle not in {point.name for point in self.members}:
            yield self.middle

    @property
    def _ends(self) -> tuple[str, str]:
        return f"{self.name} in", f"{self.name} out"

    def edges(self) -> Iterator[ZoneEdge]:
        """See Zone."""
        into, out = self._ends if self.backbone else (self.middle, self.middle)
        if self.backbone:
            yield ZoneEdge(into, out, self.backbone, one_way=True)
        for point in self.members:
            if point.name != into:
                yield ZoneEdge(point.name, into, self.up.get(point, ()), one_way=True)
                yield ZoneEdge(out, point.name, self.down.get(point, ()), one_way=True)


class VivaldiZone(StarZone):
    """Members at places in a space of milliseconds; the distance of two is a latency between their links."""

    def __init__(self, name: str, parent: Zone | None, parts: Parts) -> None:
        super().__init__(name, parent)
        self.places: dict[Point, tuple[float, float, float]] = {}
        self._parts = parts

    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """See Zone."""
        if source not in self.places or target not in self.places:
            return None
        first, second = sorted((source.name, target.name))
        name = f"from {first} to {second}"
        if name not in self._parts.links:
            self._parts.links[name] = SimgridLink(name, WIDE, self._distance_s(source, target), "unshared")
        return [Stage(tuple(dict.fromkeys((*self.up.get(source, ()), name, *self.down.get(target, ())))))]

    def _distance_s(self, source: Point, target: Point) -> float:
        """In the plane, and the heights of both above it."""
        (x, y, height), (to_x, to_y, to_height) = self.places[source], self.places[target]
        return (hypot(x - to_x, y - to_y) + abs(height) + abs(to_height)) * 1e-3

    @property
    def switches(self) -> Iterator[str]:
        """See StarZone; each pair has an edge of its own."""
        yield from ()

    def edges(self) -> Iterator[ZoneEdge]:
        """See Zone."""
        for source in self.members:
            for target in self.members:
                if source is not target and (stages := self.stage(source, target)) is not None:
                    yield ZoneEdge(source.name, target.name, stages[0].links, one_way=True)


def route(source: Point, target: Point) -> Links:
    """Names of the links from one point to another, through all zones between them.

    Raises:
        LookupError: with the two members, and the zone, between which there is no route.
    """
    if source is target and source.kind != "host":
        return ()
    outer = _common(source, target)
    if (bypass := _bypass(outer, source, target)) is not None:
        return bypass
    ends = [point if point.home is outer else _member(outer, point) for point in (source, target)]
    stages = outer.stage(*ends)
    if stages is None:
        raise LookupError(ends[0], ends[1], outer)
    links = _between(source, stages[0].leave) + stages[0].links
    for before, stage in pairwise(stages):
        links += _between(before.enter, stage.leave) + stage.links
    return links + _between(stages[-1].enter, target)


def _between(source: Point | None, target: Point | None) -> Links:
    """The route between two points, of which one is a gateway; without a gateway nothing is to be crossed."""
    return () if source is None or target is None or source is target else route(source, target)


def _common(source: Point, target: Point) -> Zone:
    """The innermost zone around both."""
    around = set(map(id, target.home.chain()))
    return next(zone for zone in source.home.chain() if id(zone) in around)


def _member(outer: Zone, point: Point) -> Point:
    """The zone that has the point, as a member of `outer`."""
    return next(zone.point for zone in point.home.chain() if zone.parent is outer)


def _bypass(outer: Zone, source: Point, target: Point) -> Links | None:
    """The bypass that SimGrid takes: that of the innermost zones for which there is one."""
    if not outer.bypasses:
        return None
    if source.home is outer and target.home is outer:
        found = outer.bypasses.get((source, target))
        return None if found is None else found.links
    here, there = source.home.chain(), target.home.chain()
    while len(here) > 1 and len(there) > 1 and here[-1] is there[-1]:
        here.pop()
        there.pop()
    for i, j in _innermost_first(len(here), len(there)):
        if (found := outer.bypasses.get((here[i].point, there[j].point))) is not None:
            return _between(source, found.leave) + found.links + _between(found.enter, target)
    return None


def _innermost_first(here: int, there: int) -> Iterator[tuple[int, int]]:
    for most in range(max(here, there)):
        for less in range(most):
            yield from ((i, j) for i, j in ((less, most), (most, less)) if i < here and j < there)
        if most < here and most < there:
            yield most, most
