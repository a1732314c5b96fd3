# SPDX-License-Identifier: BSD-3-Clause
"""`<cluster>`: what it says, and the zone that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document
from orrery.platform.simgrid.parts import Links, Sharing, SimgridHost, SimgridLink, host_of, sharing_of
from orrery.platform.simgrid.points import Parts, Point, Stage, Zone, ZoneEdge
from orrery.platform.simgrid.topologies import (
    Cables,
    SimgridDragonfly,
    SimgridFatTree,
    SimgridTorus,
    Topology,
    topology,
)
from orrery.platform.simgrid.zones import StarZone


@dataclass(frozen=True)
class SimgridCluster:
    """What a `<cluster>` says, before there are hosts and links."""

    element: etree._Element
    name: str
    prefix: str
    suffix: str
    router: str
    numbers: Sequence[int]
    host: SimgridHost
    """Speed and cores of each host."""
    cables: Cables
    shape: SimgridFatTree | SimgridTorus | SimgridDragonfly | None
    """None: flat, all hosts at one switch."""
    backbone: SimgridLink | None
    loopback: tuple[float, float] | None
    """Bandwidth in bytes per second, and latency in seconds, of messages inside a host."""

    def host_name(self, number: int) -> str:
        """Name of the host with a number."""
        return f"{self.prefix}{number}{self.suffix}"


class TopologyZone(Zone):
    """The nodes of a fat-tree, a torus or a dragonfly."""

    def __init__(self, name: str, parent: Zone | None, shape: Topology) -> None:
        super().__init__(name, parent)
        self.shape = shape
        self.loopbacks: dict[Point, Links] = {}
        self._numbers: dict[Point, int] = {}

    def stage(self, source: Point, target: Point) -> Sequence[Stage] | None:
        """See Zone. Without a loopback a message to the node itself crosses links as any other, if there are any between."""
        if source is target and source in self.loopbacks:
            return [Stage(self.loopbacks[source])]
        if not self._numbers:
            self._numbers = {point: number for number, point in enumerate(self.members)}
        links = self.shape.route(self._numbers[source], self._numbers[target])
        return [Stage(links)] if links else None

    def edges(self) -> Iterator[ZoneEdge]:
        """See Zone. Routes depend on both ends, so that no edges give them."""
        yield from ()


def describe(document: Document, element: etree._Element, parts: Parts) -> SimgridCluster:
    """Read a `<cluster>`. Raises InputError naming what is wrong."""
    document.parts(element)
    name = document.text(element, "id")
    prefix, suffix = document.text(element, "prefix", ""), document.text(element, "suffix", "")
    numbers = document.host_numbers(element)
    cables = _cables(document, element)
    flat = document.text(element, "topology", "FLAT").upper() == "FLAT"
    shape = None if flat else topology(document, element, cables, parts)
    if shape is not None and len(numbers) != shape.nodes:
        raise InputError(f"{document.where(element)}: topo_parameters: {shape.nodes} places for {len(numbers)} hosts")
    return SimgridCluster(
        element, name, prefix, suffix, document.text(element, "router_id", f"{prefix}{name}_router{suffix}"), numbers,
        host_of(document, element, name), cables, shape, _backbone(document, element) if flat else None,
        _loopback(document, element),
    )  # fmt: skip


def _cables(document: Document, element: etree._Element) -> Cables:
    return Cables(
        document.text(element, "id"),
        document.number(element, "bw", quantities.bytes_per_second),
        document.number(element, "lat", quantities.seconds, "0"),
        _sharing(document, element),
        document.number(element, "limiter_link", quantities.bytes_per_second, "0"),
    )


def _sharing(document: Document, element: etree._Element) -> Sharing:
    """Sharing of a cluster's links. SimGrid shares those that say FATPIPE, too."""
    sharing = sharing_of(document, element, "sharing_policy", "SPLITDUPLEX")
    if sharing != "unshared":
        return sharing
    document.left_out.add("FATPIPE of a cluster's links", "SimGrid shares them, too")
    return "shared"


def _backbone(document: Document, element: etree._Element) -> SimgridLink | None:
    if not element.get("bb_bw"):
        if document.number(element, "bb_lat", quantities.seconds, "0") > 0:
            raise InputError(
                f'{document.where(element)}: has a "bb_lat", but no "bb_bw"; give the backbone a bandwidth'
            )
        return None
    return SimgridLink(
        f"{document.text(element, 'id')}_backbone",
        document.number(element, "bb_bw", quantities.bytes_per_second),
        document.number(element, "bb_lat", quantities.seconds, "0"),
        sharing_of(document, element, "bb_sharing_policy", "SHARED"),
    )


def _loopback(document: Document, element: etree._Element) -> tuple[float, float] | None:
    if not element.get("loopback_bw"):
        return None
    return (
        document.number(element, "loopback_bw", quantities.bytes_per_second),
        document.number(element, "loopback_lat", quantities.seconds, "0"),
    )


def cluster_zone(document: Document, cluster: SimgridCluster, parent: Zone, parts: Parts) -> Zone:
    """The zone of a cluster, with its hosts and links, which are added to `parts`. Raises InputError for names that are taken."""
    if cluster.shape is not None:
        zone: StarZone | TopologyZone = TopologyZone(cluster.name, parent, cluster.shape)
    else:
        zone = StarZone(cluster.name, parent)
        if cluster.backbone is not None:
            link = parts.add_link(document, cluster.element, cluster.backbone)
            zone.backbone = (f"{link.name}:up" if link.sharing == "duplex" else link.name,)
    for number in cluster.numbers:
        host = SimgridHost(cluster.host_name(number), cluster.host.flops_per_s, cluster.host.cores)
        point = parts.add_host(document, cluster.element, host, zone)
        zone.members.append(point)
        if isinstance(zone, StarZone):
            zone.up[point], zone.down[point] = _own_links(document, cluster, number, parts)
        if cluster.loopback is not None:
            loopback = SimgridLink(f"{cluster.name}_link_{number}_loopback", *cluster.loopback, "unshared")
            zone.loopbacks[point] = (parts.add_link(document, cluster.element, loopback).name,)
    if isinstance(zone, StarZone):
        router = Point(cluster.router, "router", zone)
        zone.members.append(parts.add_point(document, cluster.element, router))
    return zone


def _own_links(document: Document, cluster: SimgridCluster, number: int, parts: Parts) -> tuple[Links, Links]:
    """The link of a host and its limiter, on the way up and on the way down."""
    cables = cluster.cables
    link = SimgridLink(f"{cluster.name}_link_{number}", cables.bandwidth, cables.latency, cables.sharing)
    parts.add_link(document, cluster.element, link)
    limiter: Links = ()
    if cables.limiter:
        limiter = (f"{link.name}_limiter",)
        parts.add_link(document, cluster.element, SimgridLink(*limiter, cables.limiter, 0.0, "shared"))
    up, down = (f"{link.name}:up", f"{link.name}:down") if link.sharing == "duplex" else (link.name, link.name)
    return (*limiter, up), (down, *limiter)
