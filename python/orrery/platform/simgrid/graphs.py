# SPDX-License-Identifier: BSD-3-Clause
"""Any other platform: one cluster whose nodes a graph joins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.platform.simgrid.parts import Edge, Link, Parts, opposite

Plain = dict[str, Any]


def graph(file: Path, parts: Parts, flops_per_s: float) -> Plain:
    """The cluster. Raises InputError where there is no host, or a route goes to a point that is not there.

    Args:
        file: named in errors.
        parts: the platform, flat.
        flops_per_s: of the host that runs simulations; speeds are relative to it.
    """
    if not parts.hosts:
        raise InputError(f"{file}: has no hosts")
    names = {host.name for host in parts.hosts} | set(parts.routers)
    for edge in (*parts.edges, *parts.routes):
        for end in (edge.source, edge.target):
            if end not in names:
                raise InputError(f'{file}: a route leads to "{end}", which is no host and no router')
    crossed = {link for edge in (*parts.edges, *parts.routes) for link in edge.links}
    used = {name for name in parts.links if not crossed.isdisjoint({name, f"{name}:up", f"{name}:down"})}
    return {
        "name": file.stem,
        "cores": 1,
        "graph": {
            # Zones that look for shortest routes count links; the others say every route, which is one edge.
            "routing": "fewest-links" if parts.shortest == {True} else "fewest-edges",
            "switches": parts.routers,
            "node": [_node(host.name, host.cores, host.flops_per_s / flops_per_s) for host in parts.hosts],
            "link": [_link(link) for link in parts.links.values() if link.name in used],
            "edge": [_edge(edge) for edge in _once(parts.edges)],
            "route": [_edge(edge) for edge in parts.routes],
        },
    }


def _node(name: str, cores: int, speed: float) -> Plain:
    return {"name": name} | ({"cores": cores} if cores > 1 else {}) | ({"speed": speed} if speed != 1 else {})


def _link(link: Link) -> Plain:
    sharing = {"sharing": link.sharing} if link.sharing != "duplex" else {}
    return {"name": link.name, "bandwidth_bytes_per_s": link.bandwidth, "latency_s": link.latency} | sharing


def _edge(edge: Edge) -> Plain:
    ends: Plain = {"between": [edge.source, edge.target], "links": list(edge.links)}
    return ends | ({"one_way": True} if edge.one_way else {})


def _once(edges: list[Edge]) -> list[Edge]:
    """A host's way to its cluster and back is one edge where they are each other's opposite."""
    kept: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        back = kept.get((edge.target, edge.source))
        if edge.one_way and back is not None and back.one_way and back.links == opposite(edge.links):
            kept[edge.target, edge.source] = Edge(back.source, back.target, back.links, one_way=False)
        else:
            kept[edge.source, edge.target] = edge
    return list(kept.values())
