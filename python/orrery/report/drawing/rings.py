# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of dragonflies and graphs, in circles around a centre."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from orrery.platform import schema, topology
from orrery.report.drawing.picture import CABLE, FAR, NODE, SWITCH, Picture, Point

_MOST_GROUPS = 64
_MOST_ROUTERS = 48
_MOST_VERTICES = 600


def dragonfly(fly: schema.Dragonfly) -> Picture:
    """Groups on a circle, the routers of each on a small circle, and straight lines for cables.

    At most 64 groups, 48 routers of each and 4 cables between two groups are drawn.
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

    for group in range(groups):
        for further in range(1, groups):
            other = (group + further) % groups
            if other < group:
                continue
            for cable in range(min(fly.cables_between_groups, 4)):
                here = (cable * (fly.groups - 1) + further - 1) % routers
                there = (cable * (fly.groups - 1) + fly.groups - further - 1) % routers
                picture.line(place(group, here), place(other, there), FAR, width=0.4)
    for group in range(groups):
        middle = _on_circle(large, group, groups)
        picture.dot(middle, small, "#ffffff")
        _group_cables(picture, fly, drawn, [place(group, router) for router in range(drawn)])
        for router in range(drawn):
            picture.dot(place(group, router), 2.6, SWITCH, f"group {group}, router {router}")
    notes = f"{fly.groups:,} groups of {routers:,} routers of {fly.nodes_per_router:,} nodes; {fly.routing}"
    if groups < fly.groups or drawn < routers:
        notes += f"; drawn: {groups} groups of {drawn} routers"
    picture.words(0, picture.bottom + 22, notes)
    return picture


def _group_cables(picture: Picture, fly: schema.Dragonfly, drawn: int, places: Sequence[Point]) -> None:
    """Draw the cables of a group: between the routers of a chassis, and between equal positions of two chassis."""
    columns = fly.routers_per_chassis
    for a in range(drawn):
        for b in range(a + 1, drawn):
            if a // columns == b // columns or a % columns == b % columns:
                picture.line(places[a], places[b], CABLE, width=0.3)


def _on_circle(radius: float, number: int, count: int, centre: Point = (0.0, 0.0), turn: float = 0.0) -> Point:
    angle = 2 * math.pi * number / count - math.pi / 2 + turn
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def graph(shape: schema.Graph) -> Picture:
    """Radial breadth-first tree: the vertex with most neighbours in the centre, the others on rings by distance.

    Of more than 600 vertices, those with one neighbour are left out.
    """
    plain = shape.model_dump()
    names = topology.vertex_names(plain)
    nodes = len(plain["nodes"])
    number = _merged(plain, names)
    pairs = {
        (number[here], number[there]) for here, there, _ in topology.directed(plain, plain["edges"], cables=True)
    } | {(number[here], number[there]) for here, there, _ in topology.directed(plain, plain["routes"])}
    pairs = {(here, there) for here, there in pairs if here != there}
    drawn = sorted(set(number.values()))
    neighbours: list[set[int]] = [set() for _ in names]
    for here, there in pairs:
        neighbours[here].add(there)
        neighbours[there].add(here)
    shown = set(drawn) if len(drawn) <= _MOST_VERTICES else _inner(neighbours)
    places = _radial([others & shown if vertex in shown else set() for vertex, others in enumerate(neighbours)], shown)
    picture = Picture()
    for here, there in sorted(pairs):
        if (here < there or (there, here) not in pairs) and here in shown and there in shown:
            picture.line(places[here], places[there], CABLE, width=0.6)
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
