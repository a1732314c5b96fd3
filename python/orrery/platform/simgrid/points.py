# SPDX-License-Identifier: BSD-3-Clause
"""Points of routes: hosts, routers and zones, and what a zone of any routing answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid.document import Document
from orrery.platform.simgrid.parts import Links, SimgridHost, SimgridLink, opposite


@dataclass(eq=False)
class Point:
    """What a route can begin or end at: a host, a router, or a zone as a part of the zone around it."""

    name: str
    kind: Literal["host", "router", "zone"]
    home: Zone
    """The zone that has it; of the outermost zone itself."""


@dataclass(frozen=True)
class Stage:
    """A route inside of one zone. Between two zones it leads from a gateway of one to a gateway of the other."""

    links: Links
    leave: Point | None = None
    enter: Point | None = None

    def reversed(self) -> Stage:
        """The way back."""
        return Stage(opposite(self.links), self.enter, self.leave)


@dataclass(frozen=True)
class ZoneEdge:
    """Links from one point to another, for a graph of all zones together; `one_way`: they are not crossed back."""

    source: str
    target: str
    links: Links
    one_way: bool


Pair = tuple[Point, Point]


class Zone(ABC):
    """A zone, with the hosts, routers or zones in it."""

    def __init__(self, name: str, parent: Zone | None) -> None:
        self.name = name
        self.parent = parent
        self.point = Point(name, "zone", self if parent is None else parent)
        self.members: list[Point] = []
        self.bypasses: dict[Pair, Stage] = {}
        """Routes that are taken instead of those of the zone."""

    @abstractmethod
    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """The route between two members, as stages; several of zones that are crossed on the way. None: there is none."""

    @abstractmethod
    def edges(self) -> Iterator[ZoneEdge]:
        """What joins the members, for a graph whose shortest paths are routes."""

    def chain(self) -> list[Zone]:
        """The zone itself, and those around it."""
        found = [self]
        while (outer := found[-1].parent) is not None:
            found.append(outer)
        return found


@dataclass
class Parts:
    """All hosts, routers, zones and links of a platform, by name."""

    hosts: dict[str, SimgridHost] = field(default_factory=dict)
    points: dict[str, Point] = field(default_factory=dict)
    links: dict[str, SimgridLink] = field(default_factory=dict)
    fat_tree_nodes: int = 0
    """Nodes of fat-trees so far: SimGrid counts them through the file when it chooses their ways up."""

    def add_point(self, document: Document, element: etree._Element, point: Point) -> Point:
        """Raises InputError for a name that is taken, by a point of any kind."""
        if (other := self.points.get(point.name)) is not None:
            what = "second" if other.kind == point.kind else f"{other.kind} and"
            raise InputError(f'{document.where(element)}: {what} {point.kind} of the name "{point.name}"')
        self.points[point.name] = point
        return point

    def add_host(self, document: Document, element: etree._Element, host: SimgridHost, home: Zone) -> Point:
        """Raises InputError for a name that is taken."""
        self.hosts[host.name] = host
        return self.add_point(document, element, Point(host.name, "host", home))

    def add_link(self, document: Document, element: etree._Element, link: SimgridLink) -> SimgridLink:
        """Raises InputError for a name that is taken, or a link without bandwidth."""
        if link.name in self.links:
            raise InputError(f'{document.where(element)}: there is a link "{link.name}" already')
        if link.bandwidth <= 0:
            raise InputError(f"{document.where(element)}: bandwidth is {link.bandwidth:g}, but must be positive")
        self.links[link.name] = link
        return link

    def cost(self, links: Links) -> tuple[float, float]:
        """Latency in seconds and bandwidth in bytes per second of links that are crossed one after the other."""
        crossed = [self.links[name.removesuffix(":up").removesuffix(":down")] for name in links]
        return sum(link.latency for link in crossed), min(link.bandwidth for link in crossed)
