# SPDX-License-Identifier: BSD-3-Clause
"""Keys that act only beside another one: without it they would be ignored, so they are mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from orrery.platform import schema
from orrery.platform.draws import Key
from orrery.platform.topology_mistakes import Mistake


class _Rule(NamedTuple):
    keys: tuple[str, ...]
    acts: Callable[[Any], bool]
    """Whether the keys have an effect in this table."""
    needs: str
    """What they act beside, as the file says it."""


_CLUSTER = (
    _Rule(("rail_use", "rail_planes"), lambda cluster: cluster.rails > 1, "rails above 1"),
    _Rule(("socket_bandwidth_bytes_per_s", "socket_latency_s"), lambda cluster: cluster.sockets > 1, "sockets above 1"),
    _Rule(
        ("bandwidth_bytes_per_s", "latency_s", "rails", "node_links", "limiter_factor", "prefix", "first"),
        lambda cluster: cluster.graph is None,
        "nodes that have links of their own; those of a graph have names and links there",
    ),
)
_CABINET = (
    _Rule(
        ("limiter_bytes_per_s", "latency_s"),
        lambda cabinet: cabinet.uplink_bytes_per_s > 0,
        "uplink_bytes_per_s above 0",
    ),
)
_DRAWN = {"fat_tree": "random", "torus": "random-order", "dragonfly": "valiant"}


def dependent_mistakes(platform: schema.Platform) -> Iterator[Mistake]:
    """Keys of the platform that would be ignored."""
    connections = platform.transport.connections
    if platform.node.processors is not None and connections is None:
        yield ("node", "processors"), "acts only beside [transport.connections]; add that table, which may be empty"
    if platform.network is None:
        for name in ("transport", "node"):
            if name in platform.model_fields_set:
                yield (
                    (name,),
                    "acts only beside [network], the parameters of the model hybrid; add that, or remove this table",
                )
    elif connections is not None and connections.requests_follow_messages:
        framing = platform.network.framing
        if framing.header_bytes == 0 and framing.frames is None:
            needed = "[network.framing] with header_bytes, or [network.framing.frames]"
            yield (
                ("transport", "connections", "requests_follow_messages"),
                f"acts only beside {needed}; add that, or remove this key",
            )
    for index, cluster in enumerate(platform.clusters):
        yield from _cluster(("cluster", index), cluster)


def _cluster(key: Key, cluster: schema.Cluster) -> Iterator[Mistake]:
    yield from _ignored(key, cluster, _CLUSTER)
    for index, cabinet in enumerate(cluster.cabinets):
        yield from _ignored((*key, "cabinet", index), cabinet, _CABINET)
    for kind, routing in _DRAWN.items():
        if (fabric := getattr(cluster, kind)) is not None:
            rule = _Rule(("seed",), partial(_routes, routing), f'routing = "{routing}"')
            yield from _ignored((*key, kind), fabric, (rule,))


def _routes(routing: str, fabric: schema.FatTree | schema.Torus | schema.Dragonfly) -> bool:
    return fabric.routing == routing


def _ignored(key: Key, table: schema.Table, rules: tuple[_Rule, ...]) -> Iterator[Mistake]:
    """A key that is there with its default says nothing, and is no mistake."""
    for rule in rules:
        if rule.acts(table):
            continue
        for name in rule.keys:
            if name in table.model_fields_set and getattr(table, name) != type(table).model_fields[name].default:
                yield (*key, name), f"acts only beside {rule.needs}; add that, or remove this key"
