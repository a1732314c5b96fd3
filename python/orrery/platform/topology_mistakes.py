# SPDX-License-Identifier: BSD-3-Clause
"""What no single key of a cluster shows about how its nodes are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from orrery.errors import did_you_mean
from orrery.platform import schema
from orrery.platform.draws import Key

Mistake = tuple[Key, str]


def topology_mistakes(key: Key, cluster: schema.Cluster) -> Iterator[Mistake]:
    """Mistakes of one cluster, which the file holds at `key`."""
    kinds = [kind for kind in ("fat_tree", "torus", "dragonfly", "graph") if getattr(cluster, kind) is not None]
    if cluster.graph is None:
        yield from _node_link_mistakes(key, cluster)
    if not kinds:
        return
    for kind in kinds[1:]:
        yield (*key, kind), f"a {kinds[0]} joins the nodes already; remove one of them"
    if cluster.cabinets:
        yield (*key, "cabinet"), f"a {kinds[0]} joins the nodes; remove it or the cabinets"
    if cluster.backbone_bytes_per_s:
        yield (*key, "backbone_bytes_per_s"), f"a {kinds[0]} joins the nodes; remove it or the backbone"
    places = cluster.fabric.places if cluster.fabric else 0
    if cluster.nodes is not None and cluster.nodes > places:
        yield (*key, "nodes"), f"the {kinds[0]} has room for {places}"
    yield from _fabric_mistakes((*key, kinds[0]), cluster)


def _node_link_mistakes(key: Key, cluster: schema.Cluster) -> Iterator[Mistake]:
    if "bandwidth_bytes_per_s" not in cluster.model_fields_set:
        yield (*key, "bandwidth_bytes_per_s"), "is missing (rate of a node's link, each direction)"
    elif cluster.bandwidth_bytes_per_s <= 0:
        yield (*key, "bandwidth_bytes_per_s"), "expected more than 0 (rate of a node's link, each direction)"
    if "latency_s" not in cluster.model_fields_set:
        yield (*key, "latency_s"), "is missing (latency of a node's uplink, and again of its downlink)"


def _fabric_mistakes(key: Key, cluster: schema.Cluster) -> Iterator[Mistake]:
    if cluster.torus is not None:
        dimensions = len(cluster.torus.sizes)
        if len(cluster.torus.wraps) not in (1, dimensions):
            yield (*key, "wraps"), f"expected true, false, or one of them for each of the {dimensions} dimensions"
    if cluster.dragonfly is not None:
        yield from _dragonfly_mistakes(key, cluster.dragonfly)
    if cluster.graph is not None:
        yield from _graph_mistakes(key, cluster.graph)


def _dragonfly_mistakes(key: Key, dragonfly: schema.Dragonfly) -> Iterator[Mistake]:
    needed = {
        "within_chassis": dragonfly.routers_per_chassis > 1,
        "between_chassis": dragonfly.chassis_per_group > 1,
        "between_groups": dragonfly.groups > 1,
    }
    for cable, wanted in needed.items():
        if wanted and getattr(dragonfly, cable) is None:
            yield (*key, cable), "is missing (bandwidth_bytes_per_s and latency_s of these cables)"


def _graph_mistakes(key: Key, graph: schema.Graph) -> Iterator[Mistake]:
    names = [*(node.name for node in graph.nodes), *graph.switches]
    yield from _repeated((*key, "node"), names, "node or switch")
    yield from _repeated((*key, "link"), [link.name for link in graph.links], "link")
    if graph.gateway and graph.gateway not in names:
        yield (*key, "gateway"), f"no node or switch of this name{did_you_mean(graph.gateway, names)}"
    known = set(names)
    ways = {way for link in graph.links for way in _ways(link)}
    for index, link in enumerate(graph.links):
        if link.between is not None:
            yield from _end_mistakes((*key, "link", index, "between"), link.between, known)
    for kind, edges in (("edge", graph.edges), ("route", graph.routes)):
        for index, edge in enumerate(edges):
            yield from _end_mistakes((*key, kind, index, "between"), edge.between, known)
            for name in edge.links:
                if name not in ways:
                    cure = did_you_mean(name, sorted(ways))
                    yield (
                        (*key, kind, index, "links"),
                        f'no link "{name}"{cure} (of a duplex one: NAME:up or NAME:down)',
                    )


def _ways(link: schema.GraphLink) -> tuple[str, ...]:
    return (f"{link.name}:up", f"{link.name}:down") if link.sharing == "duplex" else (link.name,)


def _repeated(key: Key, names: Iterable[str], what: str) -> Iterator[Mistake]:
    for name, count in Counter(names).items():
        if count > 1:
            yield key, f'{count} have the name "{name}"; give each {what} its own'


def _end_mistakes(key: Key, between: list[str], known: set[str]) -> Iterator[Mistake]:
    if len(between) != 2 or between[0] == between[1]:
        yield key, "expected the names of two nodes or switches"
    for name in between:
        if name not in known:
            yield key, f'no node or switch "{name}"{did_you_mean(name, sorted(known))}'
