# SPDX-License-Identifier: BSD-3-Clause
"""Clusters that are fat-trees, tori or dragonflies: the links and the routes that SimGrid makes of their numbers.

Nodes are numbered from 0. Names of links are found on the way; what they cost is the same for all but the bundled cables
of dragonflies, so that a topology needs no table of its links.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Self

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document
from orrery.platform.simgrid.parts import Links, Sharing, SimgridLink
from orrery.platform.simgrid.points import Parts


@dataclass(frozen=True)
class Cables:
    """What all cables of a cluster have in common."""

    cluster: str
    bandwidth: float
    latency: float
    sharing: Sharing
    limiter: float
    """Bytes per second that pass a node or a switch in all directions together; 0: no such bound."""


class Topology(ABC):
    """A cluster's nodes and switches, and the routes between nodes. Links appear in `parts` when a route crosses them."""

    nodes: int

    def __init__(self, cables: Cables, parts: Parts) -> None:
        self.cables = cables
        self.parts = parts

    def with_links(self, parts: Parts) -> Self:
        """A copy of the topology with links that appear in other parts."""
        other = copy(self)
        other.parts = parts
        return other

    @abstractmethod
    def route(self, source: int, target: int) -> Links:
        """Links from one node to another one."""

    def limiter(self, place: str) -> Links:
        """The limiter of a node or a switch, if there are any."""
        if not self.cables.limiter:
            return ()
        name = f"{self.cables.cluster}_{place}_limiter"
        self.parts.links.setdefault(name, SimgridLink(name, self.cables.limiter, 0.0, "shared"))
        return (name,)

    def cable(self, name: str, direction: str, count: int = 1) -> str:
        """One direction of a cable, or of `count` cables as one."""
        name = f"{self.cables.cluster}_{name}"
        link = SimgridLink(name, count * self.cables.bandwidth, self.cables.latency, self.cables.sharing)
        self.parts.links.setdefault(name, link)
        return f"{name}:{direction}" if self.cables.sharing == "duplex" else name


@dataclass(frozen=True)
class _TreeSwitch:
    level: int
    label: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"level{self.level}_" + "-".join(map(str, self.label))


class SimgridFatTree(Topology):
    """`LEVELS;DOWN,...;UP,...;CABLES,...`, from the nodes upwards: the target chooses the way up, the source the cable down.

    Source: Zahavi 2010, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees".
    """

    def __init__(self, cables: Cables, parts: Parts, shape: list[list[int]]) -> None:
        super().__init__(cables, parts)
        (self.levels,), self.down, self.up, self.parallel = shape
        self.nodes = math.prod(self.down)
        self._first = parts.fat_tree_nodes
        parts.fat_tree_nodes += self.nodes

    def route(self, source: int, target: int) -> Links:
        """See Topology."""
        links: list[str] = []
        at, to = self._node(source), self._node(target)
        while not self._above(at, to):
            port = self._port_up(at.level, self._first + target)
            above = self._above_by(at, port)
            links += (*self.limiter(at.name), self._cable(at, port, "up"))
            at = above
        links += self._way_down(at, to, self._first + source)
        return (*links, *self.limiter(to.name))

    def _node(self, number: int) -> _TreeSwitch:
        label = []
        for size in self.down:
            label.append(number % size)
            number //= size
        return _TreeSwitch(0, tuple(label))

    def _above(self, switch: _TreeSwitch, node: _TreeSwitch) -> bool:
        return switch.level > 0 and switch.label[switch.level :] == node.label[switch.level :]

    def _port_up(self, level: int, target: int) -> int:
        for ups in self.up[:level]:
            target //= ups
        return target % (self.up[level] * self.parallel[level])

    def _above_by(self, below: _TreeSwitch, port: int) -> _TreeSwitch:
        level, label = below.level, list(below.label)
        label[level] = port % self.up[level]
        return _TreeSwitch(level + 1, tuple(label))

    def _cable(self, below: _TreeSwitch, port: int, direction: str) -> str:
        return self.cable(f"{below.name}_port{port}", direction)

    def _way_down(self, at: _TreeSwitch, to: _TreeSwitch, source: int) -> Iterator[str]:
        """SimGrid searches the ports of a switch from that of the source on, and those of the next one from where it is."""
        while at.level > 0:
            port = source % self.parallel[at.level - 1] * self.down[at.level - 1]
            while at.level > 0 and port < self.down[at.level - 1] * self.parallel[at.level - 1]:
                level = at.level - 1
                child = port % self.down[level]
                if child == to.label[level]:
                    below = _TreeSwitch(level, (*at.label[:level], child, *at.label[level + 1 :]))
                    up_port = at.label[level] + port // self.down[level] * self.up[level]
                    yield self._cable(below, up_port, "down")
                    yield from self.limiter(at.name)
                    at = below
                port += 1


class SimgridTorus(Topology):
    """`SIZE,SIZE,...`: nodes in a grid whose lines are rings. Routes follow one dimension after the other."""

    def __init__(self, cables: Cables, parts: Parts, sizes: list[int]) -> None:
        super().__init__(cables, parts)
        self.sizes = sizes
        self.nodes = math.prod(sizes)

    def route(self, source: int, target: int) -> Links:
        """See Topology."""
        links: list[str] = []
        stride = 1
        at = source
        for size in self.sizes:
            here, there = source // stride % size, target // stride % size
            forward = here < there <= here + size // 2 or (here > size // 2 and (here + size // 2) % size >= there)
            while (position := at // stride % size) != there:
                links += self.limiter(str(at))
                after = at + ((position + (1 if forward else -1)) % size - position) * stride
                first, second = (at, after) if forward else (after, at)
                links.append(self.cable(f"link_from_{first}_to_{second}", "up" if forward else "down"))
                at = after
            stride *= size
        return (*links, *self.limiter(str(target)))


@dataclass(frozen=True)
class _Router:
    group: int
    chassis: int
    blade: int

    @property
    def name(self) -> str:
        return f"router{self.group}-{self.chassis}-{self.blade}"


class SimgridDragonfly(Topology):
    """`GROUPS,CABLES;CHASSIS,CABLES;ROUTERS,CABLES;NODES`; several cables are one that is as wide.

    The cable from group i to group j begins at router j of group i. Routes change the blade first, then the chassis; after
    a change of the blade SimGrid goes on from the first chassis, whatever chassis it was in.
    """

    def __init__(self, cables: Cables, parts: Parts, shape: list[list[int]]) -> None:
        super().__init__(cables, parts)
        (self.groups, self.blue), (self.chassis, self.black), (self.blades, self.green), (self.per_router,) = shape
        self.nodes = self.groups * self.chassis * self.blades * self.per_router

    def route(self, source: int, target: int) -> Links:
        """See Topology."""
        here, there = self._router(source), self._router(target)
        links = [*self.limiter(f"node{source}"), self._own(source, "up")]
        at = here
        if here.group != there.group:
            links += self._to_group(here, there.group)
            at = _Router(there.group, 0, here.group)
        if here != there:
            if at.blade != there.blade:
                links += (*self.limiter(at.name), self._in_chassis(at, there.blade))
                at = _Router(there.group, 0, there.blade)
            if at.chassis != there.chassis:
                links += (*self.limiter(at.name), self._to_chassis(at, there.chassis))
        links += (*self.limiter(there.name), self._own(target, "down"))
        return (*links, *self.limiter(f"node{target}"))

    def _router(self, node: int) -> _Router:
        rest, blade = divmod(node // self.per_router, self.blades)
        return _Router(*divmod(rest, self.chassis), blade)

    def _to_group(self, at: _Router, group: int) -> Iterator[str]:
        if at.blade != group:
            yield from self.limiter(at.name)
            yield self._in_chassis(at, group)
            at = _Router(at.group, at.chassis, group)
        if at.chassis != 0:
            yield from self.limiter(at.name)
            yield self._to_chassis(at, 0)
            at = _Router(at.group, 0, group)
        first, second = sorted((at.group, group))
        yield self.cable(f"between_groups_{first}_{second}", "up" if at.group == first else "down", self.blue)
        yield from self.limiter(at.name)

    def _own(self, node: int, direction: str) -> str:
        return self.cable(f"node{node}", direction)

    def _in_chassis(self, at: _Router, blade: int) -> str:
        first, second = sorted((at.blade, blade))
        name = f"group{at.group}_chassis{at.chassis}_blades_{first}_{second}"
        return self.cable(name, "up" if at.blade == first else "down", self.green)

    def _to_chassis(self, at: _Router, chassis: int) -> str:
        first, second = sorted((at.chassis, chassis))
        name = f"group{at.group}_blade{at.blade}_chassis_{first}_{second}"
        return self.cable(name, "up" if at.chassis == first else "down", self.black)


def topology(
    document: Document, element: etree._Element, cables: Cables, parts: Parts
) -> SimgridFatTree | SimgridTorus | SimgridDragonfly:
    """The topology of a `<cluster>` that is not flat. Raises InputError naming what of its parameters is wrong."""
    name = document.text(element, "topology").upper()
    if name == "TORUS":
        return SimgridTorus(cables, parts, _parameters(document, element)[0])
    if name == "FAT_TREE":
        return SimgridFatTree(cables, parts, _tree_shape(document, element))
    if name == "DRAGONFLY":
        return _dragonfly(document, element, cables, parts)
    raise InputError(
        f'{document.where(element)}: topology "{name}" is not supported; FLAT, FAT_TREE, TORUS, DRAGONFLY are'
    )


def _parameters(document: Document, element: etree._Element) -> list[list[int]]:
    text = document.text(element, "topo_parameters")
    try:
        return [[quantities.count(number) for number in part.split(",")] for part in text.split(";")]
    except ValueError:
        raise InputError(f'{document.where(element)}: topo_parameters "{text}": expected numbers') from None


def _tree_shape(document: Document, element: etree._Element) -> list[list[int]]:
    shape = _parameters(document, element)
    if len(shape) != 4 or len(shape[0]) != 1 or any(len(part) != shape[0][0] for part in shape[1:]):
        raise InputError(f"{document.where(element)}: topo_parameters: expected LEVELS;DOWN,...;UP,...;CABLES,...")
    return shape


def _dragonfly(document: Document, element: etree._Element, cables: Cables, parts: Parts) -> SimgridDragonfly:
    shape = _parameters(document, element)
    if [len(part) for part in shape] != [2, 2, 2, 1]:
        raise InputError(
            f"{document.where(element)}: topo_parameters: expected GROUPS,CABLES;CHASSIS,CABLES;ROUTERS,CABLES;NODES"
        )
    if shape[0][0] > shape[2][0]:
        raise InputError(
            f"{document.where(element)}: topo_parameters: {shape[0][0]} groups, but {shape[2][0]} routers in a chassis; "
            "SimGrid's routes need a router for each group in a chassis: give it as many"
        )
    return SimgridDragonfly(cables, parts, shape)
