# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes share a switch: for matrices between the parts of a platform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.errors import InputError
from orrery.platform import core, schema
from orrery.platform.load import load


def switch_of_nodes(platform: str) -> dict[str, str]:
    """For each node, the cabinet, leaf switch or group that it is in; clusters of one switch are one part.

    Args:
        platform: name or file. One that is not there any more has no parts.
    """
    try:
        loaded = load(platform)
    except InputError:
        return {}
    names = [host.name for host in core.build(loaded.model_dump()).hosts]
    return dict(zip(names, (part for cluster in loaded.clusters for part in _parts(cluster)), strict=True))


def _parts(cluster: schema.Cluster) -> Iterator[str]:
    """The part of each node of a cluster."""
    if cluster.fat_tree is not None:
        size, what = cluster.fat_tree.nodes_per_leaf, "leaf"
    elif cluster.dragonfly is not None:
        fly = cluster.dragonfly
        size, what = fly.chassis_per_group * fly.routers_per_chassis * fly.nodes_per_router, "group"
    elif cluster.cabinets:
        yield from _cabinets(cluster.name, cluster.cabinets)
        return
    elif cluster.virtual is not None:
        size, what = cluster.virtual.per_host, "host"
    else:
        size, what = cluster.node_count, ""
    for node in range(cluster.node_count):
        yield f"{cluster.name} {what} {node // size}" if what else cluster.name


def _cabinets(cluster: str, cabinets: Sequence[schema.Cabinet]) -> Iterator[str]:
    for number, cabinet in enumerate(cabinets, start=1):
        yield from [cabinet.name or f"{cluster} cabinet {number}"] * cabinet.nodes
