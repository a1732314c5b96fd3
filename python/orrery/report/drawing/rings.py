# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of dragonflies and graphs, in circles around a centre."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from orrery.platform import schema
from orrery.report.drawing.links import LinkNumbers
from orrery.report.drawing.picture import CABLE, FAR, NODE, PAPER, SWITCH, Picture, Point

_MOST_GROUPS = 64
_MOST_ROUTERS = 48
_MOST_VERTICES = 600
_OPPOSITE = {"up": "down", "down": "up"}


def dragonfly(cluster: str, fly: schema.Dragonfly, hosts: Sequence[str], links: LinkNumbers) -> Picture:
    """Groups on a circle, the routers of each on a small circle, and straight lines for cables.

    At most 64 groups, 48 routers of each and 4 cables between two groups are drawn. `hosts`: names of the nodes of the
    cluster, by number.
    """
    groups = min(fly.groups, _MOST_GROUPS)
    routers = fly.chassis_per_group * fly.routers_per_chassis
    drawn = min(routers, _MOST_ROUTERS)
    small = max(14.0, drawn * 1.9)
    large = max(70.0, groups * (small + 14) / math.pi) if groups > 1 else 0.0
    picture = Picture()

    def place(group: int, router: int) -> Point:
        middle = _on_circle(large, group, groups)
        turn = 2 * math.pi * group / groups
        return _on_circle(small, router % drawn, drawn, middle, turn)

    for from_group, here, to_group, there in _between_groups(fly, groups):
        behind = links.between(_router(cluster, fly, from_group, here), _router(cluster, fly, to_group, there))
        picture.line(place(from_group, here), place(to_group, there), FAR, width=0.4, links=behind)
    for group in range(groups):
        picture.dot(_on_circle(large, group, groups), small, PAPER)
        names = [_router(cluster, fly, group, router) for router in range(drawn)]
        _group_cables(picture, fly, names, [place(group, router) for router in range(drawn)], links)
        for router in range(drawn):
            first = (group * routers + router) * fly.nodes_per_router
            behind = links.of_nodes(hosts[first : first + fly.nodes_per_router])
            picture.dot(place(group, router), 2.6, SWITCH, f"group {group}, router {router}", behind)
    notes = f"{fly.groups:,} groups of {routers:,} routers of {fly.nodes_per_router:,} nodes; {fly.routing}"
    if groups < fly.groups or drawn < routers:
        notes += f"; drawn: {groups} groups of {drawn} routers"
    picture.words(0, picture.bottom + 22, notes)
    return picture


def _between_groups(fly: schema.Dragonfly, groups: int) -> Iterator[tuple[int, int, int, int]]:
    """Cables between the first `groups` groups: group and router at either end."""
    routers = fly.chassis_per_group * fly.routers_per_chassis
    for group, other in combinations(range(groups), 2):
        further = other - group
        for cable in range(min(fly.cables_between_groups, 4)):
            here = (cable * (fly.groups - 1) + further - 1) % routers
            there = (cable * (fly.groups - 1) + fly.groups - further - 1) % routers
            yield group, here, other, there


def _router(cluster: str, fly: schema.Dragonfly, group: int, router: int) -> str:
    """Its name, as the core has it."""
    chassis, position = divmod(router, fly.routers_per_chassis)
    row = f".chassis{chassis}" if fly.chassis_per_group > 1 else ""
    return f"{cluster}/group{group}{row}.router{position}"


def _group_cables(
    picture: Picture, fly: schema.Dragonfly, names: Sequence[str], places: Sequence[Point], links: LinkNumbers
) -> None:
    """Draw the cables of a group: between the routers of a chassis, and between equal positions of two chassis."""
    columns = fly.routers_per_chassis
    for a, b in combinations(range(len(names)), 2):
        if a // columns == b // columns or a % columns == b % columns:
            picture.line(places[a], places[b], CABLE, width=0.3, links=links.between(names[a], names[b]))


def _on_circle(radius: float, number: int, count: int, centre: Point = (0.0, 0.0), turn: float = 0.0) -> Point:
    angle = 2 * math.pi * number / count - math.pi / 2 + turn
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def graph(cluster: str, shape: schema.Graph, links: LinkNumbers) -> Picture:
    """Radial breadth-first tree: the vertex with most neighbours in the centre, the others on rings by distance.

    Of more than 600 vertices, those with one neighbour are left out.
    """
    plain = shape.model_dump()
    names = [*(node["name"] for node in plain["nodes"]), *plain["switches"]]
    nodes = len(plain["nodes"])
    number = _merged(plain, names)
    edges = _edges(plain, number)
    drawn = sorted(set(number.values()))
    neighbours: list[set[int]] = [set() for _ in names]
    for here, there in edges:
        neighbours[here].add(there)
        neighbours[there].add(here)
    shown = set(drawn) if len(drawn) <= _MOST_VERTICES else _inner(neighbours)
    places = _radial([others & shown if vertex in shown else set() for vertex, others in enumerate(neighbours)], shown)
    picture = Picture()
    for (here, there), ways in sorted(edges.items()):
        if here in shown and there in shown:
            behind = links.named(*(f"{cluster}/{way}" for way in ways))
            picture.line(places[here], places[there], CABLE, width=0.6, links=behind)
    for vertex in sorted(shown):
        x, y = places[vertex]
        if vertex < nodes:
            picture.dot((x, y), 4, NODE, names[vertex])
        else:
            picture.box(x - 5, y - 5, 10, 10, SWITCH, title=names[vertex])
        if len(shown) <= 40:
            picture.words(x, y - 8, names[vertex], 9)
    left_out = len(drawn) - len(shown)
    notes = f"{nodes:,} nodes, {len(names) - nodes:,} switches, {len(plain['links']):,} links"
    middle = (picture.left + picture.right) / 2
    picture.words(
        middle, picture.bottom + 22, notes + (f"; {left_out:,} with one neighbour left out" if left_out else "")
    )
    return picture


def _edges(plain: dict[str, Any], number: dict[str, int]) -> dict[tuple[int, int], list[str]]:
    """Pairs of different vertices that are joined, the smaller number first, and the names of the links between them."""
    joined: dict[tuple[int, int], dict[str, None]] = defaultdict(dict)
    for source, target, names in _joined(plain):
        here, there = sorted((number[source], number[target]))
        if here != there:
            joined[here, there].update(dict.fromkeys(names))
    return {pair: list(names) for pair, names in joined.items()}


def _joined(plain: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Both ends of each cable, edge and route, and the names of its links in both directions, as the core has them."""
    for link in plain["links"]:
        if link["between"]:
            name = link["name"]
            yield *link["between"], [f"{name}:up", f"{name}:down"] if link["sharing"] == "duplex" else [name]
    for edge in (*plain["edges"], *plain["routes"]):
        back = [] if edge["one_way"] else [_other_direction(link) for link in reversed(edge["links"])]
        yield *edge["between"], [*edge["links"], *back]


def _other_direction(link: str) -> str:
    """The other direction of a duplex link; of another one itself."""
    name, _, direction = link.rpartition(":")
    return f"{name}:{_OPPOSITE[direction]}" if name and direction in _OPPOSITE else link


def _merged(plain: dict[str, Any], names: Sequence[str]) -> dict[str, int]:
    """Number of the vertex drawn for each name. Switches joined by an edge without links are drawn as one vertex."""
    number = {name: index for index, name in enumerate(names)}
    nodes = len(plain["nodes"])
    for edge in plain["edges"]:
        here, there = (number[name] for name in edge["between"])
        if not edge["links"] and min(here, there) >= nodes:
            number = {name: min(here, there) if index in (here, there) else index for name, index in number.items()}
    return number


def _inner(neighbours: Sequence[set[int]]) -> set[int]:
    """The vertices with several neighbours; of more than 600, those with most neighbours."""
    several = [vertex for vertex, others in enumerate(neighbours) if len(others) > 1]
    several.sort(key=lambda vertex: (-len(neighbours[vertex]), vertex))
    return set(several[:_MOST_VERTICES])


def _radial(neighbours: Sequence[set[int]], shown: set[int]) -> list[Point]:
    """Position of each vertex. Each connected component is a breadth-first tree from its vertex with most neighbours.

    A subtree has a sector whose angle is proportional to its number of leaves. Components are placed side by side.
    """
    places: list[Point] = [(0.0, 0.0)] * len(neighbours)
    seen: set[int] = set()
    left = 0.0
    for start in sorted(shown, key=lambda vertex: (-len(neighbours[vertex]), vertex)):
        if start in seen:
            continue
        children = _tree(start, neighbours, seen)
        weight = _weights(start, children)
        radius = max(60.0, 14.0 * weight[start] / (2 * math.pi))
        depth = _spread(start, children, weight, radius, places)
        reach = radius * depth + 30
        for vertex in children:
            places[vertex] = places[vertex][0] + left + reach, places[vertex][1]
        left += 2 * reach
    return places


def _tree(start: int, neighbours: Sequence[set[int]], seen: set[int]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {start: []}
    seen.add(start)
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for other in sorted(neighbours[at] - seen):
            seen.add(other)
            children[at].append(other)
            children[other] = []
            queue.append(other)
    return children


def _weights(start: int, children: dict[int, list[int]]) -> dict[int, int]:
    """Number of leaves below each vertex, at least 1."""
    order = [start]
    for vertex in order:
        order.extend(children[vertex])
    weight: dict[int, int] = {}
    for vertex in reversed(order):
        weight[vertex] = max(1, sum(weight[child] for child in children[vertex]))
    return weight


def _spread(
    start: int, children: dict[int, list[int]], weight: dict[int, int], radius: float, places: list[Point]
) -> int:
    """Set the positions of a tree around (0, 0). Gives its depth."""
    deepest = 0
    todo = deque([(start, 0, 0.0, 2 * math.pi)])
    while todo:
        vertex, depth, angle, sector = todo.popleft()
        middle = angle + sector / 2
        distance = radius * depth
        places[vertex] = distance * math.cos(middle), distance * math.sin(middle)
        deepest = max(deepest, depth)
        for child in children[vertex]:
            part = sector * weight[child] / weight[vertex]
            todo.append((child, depth + 1, angle, part))
            angle += part
    return deepest
