# SPDX-License-Identifier: BSD-3-Clause
"""Any other platform: one cluster whose nodes a graph joins, and routes of those pairs for which its shortest paths are
not SimGrid's routes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from orrery.platform.simgrid.parts import Links, SimgridHost, SimgridLink, opposite
from orrery.platform.simgrid.points import Parts, Zone, ZoneEdge
from orrery.platform.simgrid.zones import ListedZone, StarZone

Plain = dict[str, Any]
Routes = dict[tuple[str, str], Links]
"""Links of routes by the names of the hosts at their ends."""


def graph(name: str, zones: Sequence[Zone], parts: Parts, flops_per_s: float) -> Plain:
    """The cluster, with the edges of all zones, and no routes.

    Args:
        name: of the cluster.
        zones: all zones; the first one is around all others.
        parts: their hosts, routers and links.
        flops_per_s: speed of the host that runs simulations; speeds are relative to it.
    """
    edges = _once(edge for zone in zones for edge in zone.edges())
    switches = [point.name for point in parts.points.values() if point.kind == "router"]
    switches += [switch for zone in zones if isinstance(zone, StarZone) for switch in zone.switches]
    tables = [zone for zone in zones if isinstance(zone, ListedZone) and zone.table]
    counts_links = bool(tables) and all(zone.counts_links for zone in tables)
    return {
        "name": name,
        "cores": 1,
        "graph": {
            # Zones that look for shortest routes count links; the others say every route, which is one edge.
            "routing": "fewest-links" if counts_links else "fewest-edges",
            "switches": switches,
            "node": [_node(host, flops_per_s) for host in parts.hosts.values()],
            "link": _used(parts, (edge.links for edge in edges)),
            "edge": [_edge(edge) for edge in edges],
            "route": [],
        },
    }


def with_routes(cluster: Plain, parts: Parts, routes: Routes, *, alone: bool) -> Plain:
    """The cluster with routes of single pairs; `alone`: without edges, all pairs have a route."""
    own = _once(ZoneEdge(*ends, links, one_way=True) for ends, links in routes.items())
    edges = [] if alone else cluster["graph"]["edge"]
    used = [edge.links for edge in own] + [tuple(edge["links"]) for edge in edges]
    graph: Plain = {"switches": []} if alone else {}
    changed = {"link": _used(parts, used), "edge": edges, "route": [_edge(edge) for edge in own]}
    return cluster | {"graph": cluster["graph"] | graph | changed}


def _used(parts: Parts, crossed: Iterable[Links]) -> list[Plain]:
    names = {link.removesuffix(":up").removesuffix(":down") for links in crossed for link in links}
    return [_link(link) for link in parts.links.values() if link.name in names]


def _node(host: SimgridHost, flops_per_s: float) -> Plain:
    speed = host.flops_per_s / flops_per_s
    cores = {"cores": host.cores} if host.cores > 1 else {}
    return {"name": host.name} | cores | ({"speed": speed} if speed != 1 else {})


def _link(link: SimgridLink) -> Plain:
    sharing = {"sharing": link.sharing} if link.sharing != "duplex" else {}
    return {"name": link.name, "bandwidth_bytes_per_s": link.bandwidth, "latency_s": link.latency} | sharing


def _edge(edge: ZoneEdge) -> Plain:
    ends: Plain = {"between": [edge.source, edge.target], "links": list(edge.links)}
    return ends | ({"one_way": True} if edge.one_way else {})


def _once(edges: Iterable[ZoneEdge]) -> list[ZoneEdge]:
    """Two edges that are each other's opposite are one, and so are two between the same ends."""
    kept: dict[tuple[str, str], ZoneEdge] = {}
    for edge in edges:
        back = kept.get((edge.target, edge.source))
        if back is not None and back.links == opposite(edge.links):
            kept[edge.target, edge.source] = ZoneEdge(back.source, back.target, back.links, one_way=False)
        else:
            kept.setdefault((edge.source, edge.target), edge)
    return list(kept.values())
