# SPDX-License-Identifier: BSD-3-Clause
"""Routes of a platform of Orrery's, held against those that SimGrid takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.platform import core, toml_writer
from orrery.platform.load import parse
from orrery.platform.simgrid.graphs import Routes
from orrery.platform.simgrid.parts import SimgridLink
from orrery.platform.simgrid.points import Parts, Point
from orrery.platform.simgrid.topologies import Topology
from orrery.platform.simgrid.zones import route

Plain = dict[str, Any]

_RELATIVE = 1e-9  # sums of latencies are rounded


def sample(things: Sequence[Any], most: int) -> list[Any]:
    """At most so many of them, evenly spread: neighbours in pairs, so that short ways are among theirs."""
    if len(things) <= most:
        return list(things)
    step = 2 * len(things) / most
    starts = sorted({int(number * step) for number in range(most // 2)})
    return [thing for start in starts for thing in things[start : start + 2]]


def wanted(points: Sequence[Point]) -> Routes:
    """SimGrid's routes of all pairs. Raises LookupError, as `route` does, for one that SimGrid does not find."""
    found: Routes = {}
    for source, target in permutations(points, 2):
        links = route(source, target)
        if not links:
            raise LookupError(source, target, source.home)
        found[source.name, target.name] = links
    return found


def built(values: Plain) -> _core.Platform:
    """The platform that these values make. Raises InputError for what the core finds impossible."""
    return core.build(parse(Path("platform.toml"), toml_writer.write(values)).model_dump())


def differing(hardware: _core.Platform, routes: Routes) -> Routes:
    """Those routes that are other ones on a platform whose one cluster is a graph."""
    number = {host.name: index for index, host in enumerate(hardware.hosts)}
    names = [link.name.partition("/")[2] for link in hardware.links]
    return {
        ends: links
        for ends, links in routes.items()
        if tuple(names[link] for link in hardware.route(number[ends[0]], number[ends[1]]).links) != links
    }


def routes_alike(hardware: _core.Platform, shape: Topology, parts: Parts, nodes: Sequence[int]) -> bool:
    """Whether both have the same routes between these nodes, up to the names of links: the same ones are shared."""
    ours: dict[str, int] = {}
    theirs: dict[int, str] = {}
    links = hardware.links
    for source, target in permutations(nodes, 2):
        found = _without_wide_ones(hardware.route(source, target).links, links)
        names = shape.route(source, target)
        if len(found) != len(names):
            return False
        for link, name in zip(found, names, strict=True):
            if ours.setdefault(name, link) != link or theirs.setdefault(link, name) != name:
                return False
    return all(_cost_alike(links[link], _named(parts, name)) for name, link in ours.items())


def costs_alike(hardware: _core.Platform, shape: Topology, parts: Parts, nodes: Sequence[int]) -> Iterator[bool]:
    """For each pair of nodes, whether a message that is alone takes the same time."""
    for source, target in permutations(nodes, 2):
        found = hardware.route(source, target)
        latency, rate = parts.cost(shape.route(source, target))
        yield _close(found.latency_s, latency) and _close(found.bandwidth_bytes_per_s, rate)


def _without_wide_ones(route_links: Sequence[int], links: Sequence[Any]) -> list[int]:
    """Links of nodes that are routers themselves are not shared and take no time."""
    return [link for link in route_links if links[link].shared or links[link].latency_s > 0]


def _named(parts: Parts, name: str) -> SimgridLink:
    return parts.links[name.removesuffix(":up").removesuffix(":down")]


def _cost_alike(ours: Any, theirs: SimgridLink) -> bool:
    return (
        _close(ours.bandwidth_bytes_per_s, theirs.bandwidth)
        and _close(ours.latency_s, theirs.latency)
        and ours.shared == (theirs.sharing != "unshared")
    )


def _close(value: float, other: float) -> bool:
    return abs(value - other) <= _RELATIVE * max(abs(value), abs(other))
