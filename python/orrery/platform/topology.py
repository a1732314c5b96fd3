# SPDX-License-Identifier: BSD-3-Clause
"""From what a platform file says about what joins a cluster's nodes, as plain values, to the structs of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from orrery import _core

Plain = dict[str, Any]
Fabric = _core.FatTree | _core.Torus | _core.Dragonfly | _core.Graph

KINDS = ("fat_tree", "torus", "dragonfly", "graph")


def fabric(cluster: Plain) -> tuple[Fabric | None, int]:
    """What joins the nodes, and for how many it has room; None and 0 for a switch or cabinets."""
    if (tree := cluster["fat_tree"]) is not None:
        return _fat_tree(tree)
    if (torus := cluster["torus"]) is not None:
        return _torus(torus)
    if (dragonfly := cluster["dragonfly"]) is not None:
        return _dragonfly(dragonfly)
    if (graph := cluster["graph"]) is not None:
        return _graph(graph, cluster["cores"], cluster["speed"]), len(graph["nodes"])
    return None, 0


def choice(word: str) -> str:
    """The core's name of a choice."""
    return word.upper().replace("-", "_")


def _fat_tree(tree: Plain) -> tuple[_core.FatTree, int]:
    places = tree["nodes_per_leaf"]
    for level in tree["levels"]:
        places *= level["down"]
    levels = [_core.FatTreeLevel(**level) for level in tree["levels"]]
    routing = _core.FatTreeRouting[choice(tree["routing"])]
    return _core.FatTree(**tree | {"levels": levels, "routing": routing}), places


def _torus(torus: Plain) -> tuple[_core.Torus, int]:
    places = torus["nodes_per_router"]
    for size in torus["sizes"]:
        places *= size
    wraps = torus["wraps"]
    if len(wraps) == 1:
        wraps = wraps * len(torus["sizes"])
    return _core.Torus(**torus | {"wraps": wraps, "routing": _core.TorusRouting[choice(torus["routing"])]}), places


def _dragonfly(dragonfly: Plain) -> tuple[_core.Dragonfly, int]:
    routers = dragonfly["groups"] * dragonfly["chassis_per_group"] * dragonfly["routers_per_chassis"]
    kinds = ("within_chassis", "between_chassis", "between_groups")
    cables = {kind: dragonfly[kind] and _core.DragonflyCable(**dragonfly[kind]) for kind in kinds}
    routing = _core.DragonflyRouting[choice(dragonfly["routing"])]
    return _core.Dragonfly(**dragonfly | cables | {"routing": routing}), routers * dragonfly["nodes_per_router"]


def _graph(graph: Plain, cores: int, speed: float) -> _core.Graph:
    vertices = [
        _core.GraphVertex(node["name"], cores=node["cores"] or cores, speed=node["speed"] or speed)
        for node in graph["nodes"]
    ]
    vertices += [_core.GraphVertex(name, node=False) for name in graph["switches"]]
    number = {name: position for position, name in enumerate(vertex_names(graph))}
    position = {way: index for index, way in enumerate(way for link in graph["links"] for way in _ways(link))}
    return _core.Graph(
        vertices=vertices,
        links=[way for link in graph["links"] for way in _links(link)],
        edges=[_edge(*edge, number, position) for edge in directed(graph, graph["edges"], cables=True)],
        routes=[_edge(*route, number, position) for route in directed(graph, graph["routes"])],
        gateway=number[graph["gateway"]] if graph["gateway"] else None,
        nodes_forward=graph["nodes_forward"],
        routing=_core.GraphRouting[choice(graph["routing"])],
    )


def vertex_names(graph: Plain) -> list[str]:
    """Nodes, then switches."""
    return [*(node["name"] for node in graph["nodes"]), *graph["switches"]]


def _ways(link: Plain) -> list[str]:
    """A duplex link is two links, one for each direction."""
    name = link["name"]
    return [f"{name}:up", f"{name}:down"] if link["sharing"] == "duplex" else [name]


def _links(link: Plain) -> list[_core.GraphLink]:
    return [
        _core.GraphLink(
            way,
            bandwidth_bytes_per_s=link["bandwidth_bytes_per_s"],
            latency_s=link["latency_s"],
            shared=link["sharing"] != "unshared",
        )
        for way in _ways(link)
    ]


def directed(graph: Plain, edges: Iterable[Plain], *, cables: bool = False) -> Iterator[tuple[str, str, list[str]]]:
    """From, to, and links with their directions; with `cables`, first those that links are by themselves."""
    if cables:
        for link in graph["links"]:
            if link["between"]:
                way = f"{link['name']}:up" if link["sharing"] == "duplex" else link["name"]
                yield link["between"][0], link["between"][1], [way]
                yield link["between"][1], link["between"][0], [_back(way)]
    for edge in edges:
        here, there = edge["between"]
        yield here, there, edge["links"]
        if not edge["one_way"]:
            yield there, here, [_back(link) for link in reversed(edge["links"])]


def _back(link: str) -> str:
    """The other direction of a duplex link; of another one itself."""
    name, colon, direction = link.rpartition(":")
    if colon and direction in ("up", "down"):
        return f"{name}:{'down' if direction == 'up' else 'up'}"
    return link


def _edge(here: str, there: str, links: list[str], number: dict[str, int], position: dict[str, int]) -> _core.GraphEdge:
    return _core.GraphEdge(number[here], number[there], [position[link] for link in links])
