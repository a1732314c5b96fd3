# SPDX-License-Identifier: BSD-3-Clause
"""From a file of SimGrid's to one of Orrery's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lxml import etree

from orrery.errors import InputError, did_you_mean
from orrery.left_out import Omissions
from orrery.platform import toml_writer
from orrery.platform.simgrid import comparison
from orrery.platform.simgrid.clusters import SimgridCluster, TopologyZone, cluster_zone, describe
from orrery.platform.simgrid.document import Document, kind, read
from orrery.platform.simgrid.graphs import Routes, graph, with_routes
from orrery.platform.simgrid.points import Parts, Point, Zone
from orrery.platform.simgrid.reading import read_zones
from orrery.platform.simgrid.settings import Settings, settings
from orrery.platform.simgrid.structured import only_cluster, structured
from orrery.platform.simgrid.topologies import Topology
from orrery.platform.simgrid.zones import ListedZone, route
from orrery.words import comment, shell

Plain = dict[str, Any]

MOST_COMPARED = 512
"""Hosts between all pairs of which routes are held against SimGrid's; of more hosts some are."""
MOST_LISTED = 256
"""Hosts between all pairs of which a platform file can list routes, if nothing else says them."""
_SAMPLED = 64  # nodes of a topology, or hosts of a zone, where there are more than can be listed
_SAMPLED_HOSTS = 128


@dataclass(frozen=True)
class ConvertedPlatform:
    """A platform file, and what of the other one it does not say."""

    toml: str
    left_out: Omissions


def convert(file: Path, name: str, flops_per_s: float | None, zone: str = "") -> ConvertedPlatform:
    """Read `file`, and say the same as a platform file.

    Args:
        file: XML of SimGrid's, version 3 to 4.1.
        name: of the platform.
        flops_per_s: speed of the host that runs simulations, in the file's unit; by default what the file says of it
            (smpi/host-speed), or else that of its fastest host.
        zone: only what is in the zone or cluster of this name; empty: all.
    Raises:
        InputError: naming file and line of what is wrong, or what Orrery has no word for.
    """
    document, root = read(file)
    said = settings(document, root)
    elements = [part for part in document.parts(root) if kind(part) != "config"]
    if zone:
        elements = [_only(document, root, zone)]
    conversion = _Conversion(document, said, name, flops_per_s or said.host_flops_per_s)
    element = only_cluster(document, elements)
    values = conversion.of_zones(elements) if element is None else conversion.of_cluster(element)
    return ConvertedPlatform(_comments(file, document.left_out, said) + toml_writer.write(values), document.left_out)


class _Conversion:
    """A conversion under way."""

    def __init__(self, document: Document, said: Settings, name: str, flops_per_s: float | None) -> None:
        self._document = document
        self._said = said
        self._name = name
        self._flops_per_s = flops_per_s

    def of_cluster(self, element: etree._Element) -> Plain:
        """A platform that is one cluster: as such where that has SimGrid's routes, or is too large for anything else."""
        parts = Parts()
        cluster = describe(self._document, element, parts)
        table = structured(cluster)
        if table is not None:
            reference = self._reference([cluster.host.flops_per_s])
            table["speed"] = cluster.host.flops_per_s / reference
            table |= self._memory([_first_host(self._document, cluster)])
            values = self._values(table, reference)
            if cluster.shape is None or self._keeps(cluster, cluster.shape, values, parts):
                return values
        elif cluster.shape is not None and cluster.shape.nodes > MOST_LISTED:
            raise InputError(
                f"{self._document.where(element)}: radical: expected numbers without gaps for more than {MOST_LISTED} hosts of a "
                f"{element.get('topology')}"
            )
        world = ListedZone("", None)
        return self._of([world, cluster_zone(self._document, cluster, world, parts)], parts)

    def of_zones(self, elements: Sequence[etree._Element]) -> Plain:
        """Any other platform."""
        parts = Parts()
        return self._of(read_zones(self._document, list(elements), parts), parts)

    def _keeps(self, cluster: SimgridCluster, shape: Topology, values: Plain, parts: Parts) -> bool:
        """Whether a topology stays one: it has the routes of SimGrid's, or more nodes than routes can be listed for."""
        small = shape.nodes <= MOST_LISTED
        nodes = comparison.sample(range(shape.nodes), MOST_LISTED if small else _SAMPLED)
        hardware = comparison.built(values)
        if not shape.cables.limiter and comparison.routes_alike(hardware, shape, parts, nodes):
            return True
        if small:
            return False
        self._note_topology(cluster, list(comparison.costs_alike(hardware, shape, parts, nodes)))
        return True

    def _note_topology(self, cluster: SimgridCluster, alike: Sequence[bool]) -> None:
        left_out = self._document.left_out
        if cluster.cables.limiter:
            left_out.add("limiters of nodes and switches", "")
        if cluster.cables.sharing == "shared":
            left_out.add("SHARED cables", "each direction has the whole rate")
        if others := alike.count(False):
            left_out.add("routes of another latency or rate", f"{len(alike):,} were compared", others)
        left_out.add("which of several cables a message takes", f"there are more than {MOST_LISTED} nodes")

    def _of(self, zones: list[Zone], parts: Parts) -> Plain:
        if not parts.hosts:
            raise InputError(f"{self._document.file}: has no hosts")
        reference = self._reference([host.flops_per_s for host in parts.hosts.values()])
        hosts = [parts.points[name] for name in parts.hosts]
        routes = self._routes(zones, hosts)
        cluster = graph(self._document.file.stem, zones, parts, reference) | self._memory(
            [(host, parts) for host in hosts]
        )
        if any(isinstance(zone, TopologyZone) for zone in zones):
            return self._values(self._listed(cluster, parts, routes), reference)
        try:
            hardware = comparison.built(self._values(cluster, reference))
        except InputError as error:
            if len(hosts) > MOST_LISTED:
                raise InputError(f"{self._document.file}: {error}") from None
            return self._values(self._listed(cluster, parts, routes), reference)
        others = comparison.differing(hardware, routes)
        if others and len(hosts) > MOST_COMPARED:
            self._document.left_out.add("routes along other links", f"{len(routes):,} were compared", len(others))
            others = {}
        return self._values(with_routes(cluster, parts, others, alone=False) if others else cluster, reference)

    def _listed(self, cluster: Plain, parts: Parts, routes: Routes) -> Plain:
        if len(parts.hosts) > MOST_LISTED:
            raise InputError(
                f"{self._document.file}: has {len(parts.hosts):,} hosts, at most {MOST_LISTED} are supported where routes have "
                "to be listed, as of a topology beside other zones; take one part with --zone"
            )
        return with_routes(cluster, parts, routes, alone=True)

    def _routes(self, zones: list[Zone], hosts: list[Point]) -> Routes:
        """Raises InputError for a pair without a route, with the zones that have all of theirs."""
        try:
            few = len(hosts) <= MOST_COMPARED
            return comparison.wanted(hosts if few else comparison.sample(hosts, _SAMPLED_HOSTS))
        except LookupError as error:
            source, target, zone = error.args
        whole = [inner for inner in zones[1:] if _is_whole(inner, hosts)]
        outermost = [inner.name for inner in whole if inner.parent not in whole]
        cure = "add a route" + (f", or take one part with --zone ({', '.join(outermost)})" if outermost else "")
        inside = f' in the zone "{zone.name}"' if zone.name else ""
        raise InputError(
            f'{self._document.file}: no route leads from "{source.name}" to "{target.name}"{inside}, but MPI sends between any '
            f"two hosts: {cure}"
        )

    def _memory(self, hosts: Sequence[tuple[Point, Parts]]) -> Plain:
        """Keys of messages inside a node: the route of a host to itself. Those of other hosts are counted."""
        found = [self._loopback(host, parts) for host, parts in hosts]
        if others := sum(1 for loopback in found if loopback != found[0]):
            self._document.left_out.add("loopbacks other than the first", "a cluster has one", others)
        return {"memory_bandwidth_bytes_per_s": found[0][0], "memory_latency_s": found[0][1]}

    def _loopback(self, host: Point, parts: Parts) -> tuple[float, float]:
        try:
            links = route(host, host)
        except LookupError:
            links = ()
        if not links:
            return self._said.loopback
        latency, rate = parts.cost(links)
        return rate, latency

    def _reference(self, speeds: Sequence[float]) -> float:
        fastest = max(speeds)
        for speed in (min(speeds), self._flops_per_s or fastest):
            if not speed > 0:
                raise InputError(f"{self._document.file}: its hosts have the speed {speed:g}, expected one above 0")
        return self._flops_per_s or fastest

    def _values(self, cluster: Plain, flops_per_s: float) -> Plain:
        file = self._document.file.name
        network = self._said.network
        return {
            "name": self._name,
            "description": f"Converted from SimGrid's {file}",
            "source": f"{file}, not measured by Orrery; speed 1 is {flops_per_s:g} flop/s",
            "model": "fluid" if network is None else "hybrid",
            "cluster": [cluster],
        } | ({} if network is None else {"network": network})


def _first_host(document: Document, cluster: SimgridCluster) -> tuple[Point, Parts]:
    """The first host of a cluster, with its links."""
    parts = Parts()
    first = replace(cluster, numbers=cluster.numbers[:1])
    if first.shape is not None:
        first = replace(first, shape=first.shape.with_links(parts))
    zone = cluster_zone(document, first, ListedZone("", None), parts)
    return zone.members[0], parts


def _is_whole(zone: Zone, hosts: Sequence[Point]) -> bool:
    """Whether the zone has hosts, and all of them have routes to each other."""
    inside = [host for host in hosts if zone in host.home.chain()]
    try:
        comparison.wanted(comparison.sample(inside, _SAMPLED))
    except LookupError:
        return False
    return bool(inside)


def _only(document: Document, root: etree._Element, zone: str) -> etree._Element:
    """The element of a zone. Raises InputError naming the zones that there are."""
    zones = {
        element.get("id", ""): element for element in root.iter(etree.Element) if kind(element) in ("zone", "cluster")
    }
    if zone not in zones:
        close = did_you_mean(zone, list(zones))
        raise InputError(f'{document.file}: no zone "{zone}"{close}; there are: {", ".join(zones)}')
    return zones[zone]


def _comments(file: Path, left_out: Omissions, said: Settings) -> str:
    lines = [comment(f"Converted by `orrery platform import {shell(file.name)}`.")]
    if said.network is None:
        lines += [
            "# The model is fluid: the file holds rates and latencies, not what a message costs its sender and receiver.",
            "# Factors that SimGrid's own models add (LV08, SMPI) are not in the file, and not here.",
        ]
    lines += [comment(f"{line[0].upper()}{line[1:]}.") for line in left_out.lines]
    return "\n".join(lines) + "\n\n"
