# SPDX-License-Identifier: BSD-3-Clause
"""Description of the topology that joins the nodes of a cluster, as text."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.platform import schema
from orrery.units import show_rate, show_time

_ALIKE = 1.001
"""Ratio of what a switch gets from below to what it can send up, up to which both count as the same."""


def fabric_lines(cluster: schema.Cluster) -> Iterator[tuple[str, str]]:
    """Pairs of a heading and a text; none for a single switch or cabinets."""
    if cluster.virtual is not None:
        yield from _virtual(cluster, cluster.virtual)
    if cluster.fat_tree is not None:
        yield from _fat_tree(cluster, cluster.fat_tree)
    if (torus := cluster.torus) is not None:
        wraps = torus.wraps * len(torus.sizes) if len(torus.wraps) == 1 else torus.wraps
        kind = "torus" if all(wraps) else "mesh" if not any(wraps) else "part torus"
        nodes = f" of {torus.nodes_per_router} nodes" if torus.nodes_per_router > 1 else ""
        yield kind, f"{' x '.join(map(str, torus.sizes))} routers{nodes}, {torus.routing}"
        yield "cables", f"{show_rate(torus.bandwidth_bytes_per_s)}, {show_time(torus.latency_s)}"
    if cluster.dragonfly is not None:
        yield from _dragonfly(cluster.dragonfly)
    if (graph := cluster.graph) is not None:
        switches, links = len(graph.switches), len(graph.links)
        yield "graph", f"{len(graph.nodes):,} nodes, {switches:,} switches, {links:,} links, {graph.routing}"


def machines_of_host(cluster: schema.Cluster, virtual: schema.Virtual) -> str:
    """How many virtual machines a host has, and what joins each to it."""
    rate = virtual.bandwidth_bytes_per_s or cluster.bandwidth_bytes_per_s
    link = f"{show_rate(rate)}, {show_time(virtual.latency_s)}"
    return f"{virtual.per_host:,} virtual machines a host, each joined by {link}"


def _virtual(cluster: schema.Cluster, virtual: schema.Virtual) -> Iterator[tuple[str, str]]:
    yield "virtual", machines_of_host(cluster, virtual)
    others = f", {virtual.other_cores} of them wanted by others" if virtual.other_cores else ""
    yield "host cores", f"{virtual.host_cores or virtual.per_host * cluster.cores}{others}"


def _fat_tree(cluster: schema.Cluster, tree: schema.FatTree) -> Iterator[tuple[str, str]]:
    leaves, used = tree.places // tree.nodes_per_leaf, -(-cluster.node_count // tree.nodes_per_leaf)
    empty = f", {used} of {leaves} have nodes" if used < leaves else ""
    yield (
        "fat-tree",
        f"{leaves} {'leaf' if leaves == 1 else 'leaves'} of {tree.nodes_per_leaf} nodes{empty}, {tree.routing}",
    )
    below = tree.nodes_per_leaf * cluster.rails * cluster.bandwidth_bytes_per_s
    for number, level in enumerate(tree.levels, start=1):
        parallel = f", {level.parallel} cables to each" if level.parallel > 1 else ""
        cable = f"{show_rate(level.bandwidth_bytes_per_s)}, {show_time(level.latency_s)}"
        above = level.up * level.parallel * level.bandwidth_bytes_per_s
        ratio = below / above
        taper = f"oversubscribed {ratio:.3g} to 1" if ratio > _ALIKE else "not oversubscribed"
        yield (
            f"level {number}",
            f"switches with {level.down} below each; each of these has {level.up} above{parallel}; {cable}; {taper}",
        )
        below = level.down * level.parallel * level.bandwidth_bytes_per_s


def _dragonfly(fly: schema.Dragonfly) -> Iterator[tuple[str, str]]:
    chassis = f"{fly.chassis_per_group} chassis of " if fly.chassis_per_group > 1 else ""
    nodes = f"{fly.routers_per_chassis} routers of {fly.nodes_per_router} nodes"
    yield "dragonfly", f"{fly.groups} groups of {chassis}{nodes}, {fly.routing}"
    cables = {"in chassis": fly.within_chassis, "chassis": fly.between_chassis, "groups": fly.between_groups}
    for what, cable in cables.items():
        if cable is not None:
            count = f", {fly.cables_between_groups} between two groups" if what == "groups" else ""
            yield what, f"{show_rate(cable.bandwidth_bytes_per_s)}, {show_time(cable.latency_s)}{count}"
