# SPDX-License-Identifier: BSD-3-Clause
"""Platform files to start from, for clusters of a kind: filled with a number of nodes and of cores, and with typical values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from string import Template
from typing import Literal

from orrery.errors import InputError, did_you_mean
from orrery.words import toml

_FOLDER = Path(__file__).parent / "templates"
_COMMENT = re.compile(r"^(\S.*?) +# (.*)$", re.MULTILINE)
_COLUMN = 43
"""Where comments behind values begin."""
_ROUTERS, _PER_ROUTER = 32, 16
"""How many routers a group of a dragonfly has, and how many nodes each of them joins."""


@dataclass(frozen=True, kw_only=True)
class ClusterKind:
    """A kind of cluster."""

    network: str
    """What joins the nodes, in words."""
    transport: Literal["tcp", "rdma"]
    latency: str
    """Latency of a node's link, with its unit."""
    fabric: str = ""
    """File with what joins several switches; empty: there is one switch."""
    gigabits: int
    """Rate of a node's link, in Gb/s."""
    nodes: int
    """How many there are unless the user says otherwise."""
    cores: int
    """How many a node has unless the user says otherwise."""
    memory: int
    """Rate that messages of all cores of a node reach together, in GB/s."""
    shape: Callable[[str, int], Mapping[str, int]]
    """Gives what else the file has, from the name of the template and the number of nodes. Raises InputError for too many."""


def _no_shape(_name: str, _nodes: int) -> Mapping[str, int]:
    return {}


def _fat_tree(ports: int) -> Callable[[str, int], Mapping[str, int]]:
    """Two levels of switches of so many ports, as many cables up as down."""
    per_leaf = ports // 2

    def shape(name: str, nodes: int) -> Mapping[str, int]:
        leaves = ceil(nodes / per_leaf)
        if leaves > ports:
            raise InputError(
                f"--nodes {nodes}: two levels of switches of {ports} ports join at most {ports * per_leaf:,} nodes; make the file "
                f"for so many (orrery platform new {name} --nodes {ports * per_leaf}) and add a level to it"
            )
        parallel = max(count for count in range(1, per_leaf + 1) if per_leaf % count == 0 and count * leaves <= ports)
        return {
            "per_leaf": per_leaf, "ports": ports, "leaves": leaves, "spines": per_leaf // parallel, "parallel": parallel,
        }  # fmt: skip

    return shape


def _dragonfly(_name: str, nodes: int) -> Mapping[str, int]:
    groups = ceil(nodes / (_ROUTERS * _PER_ROUTER))
    between = max(1, _ROUTERS * _PER_ROUTER // 2 // max(1, groups - 1))
    return {"groups": groups, "routers": _ROUTERS, "per_router": _PER_ROUTER, "between": between}


TEMPLATES = {
    "ethernet-10": ClusterKind(
        network="10 Gb/s Ethernet, TCP, one switch", transport="tcp", latency="10us",
        gigabits=10, nodes=16, cores=32, memory=40, shape=_no_shape,
    ),
    "ethernet-25": ClusterKind(
        network="25 Gb/s Ethernet, TCP, one switch", transport="tcp", latency="10us",
        gigabits=25, nodes=32, cores=48, memory=70, shape=_no_shape,
    ),
    "fat-tree-100": ClusterKind(
        network="InfiniBand of 100 Gb/s, a fat-tree of switches of 36 ports", transport="rdma", latency="400ns",
        fabric="fat-tree", gigabits=100, nodes=144, cores=48, memory=70, shape=_fat_tree(36),
    ),
    "fat-tree-200": ClusterKind(
        network="InfiniBand of 200 Gb/s, a fat-tree of switches of 40 ports", transport="rdma", latency="400ns",
        fabric="fat-tree", gigabits=200, nodes=200, cores=64, memory=100, shape=_fat_tree(40),
    ),
    "fat-tree-400": ClusterKind(
        network="InfiniBand of 400 Gb/s, a fat-tree of switches of 64 ports", transport="rdma", latency="400ns",
        fabric="fat-tree", gigabits=400, nodes=256, cores=128, memory=200, shape=_fat_tree(64),
    ),
    "dragonfly-200": ClusterKind(
        network="Slingshot of 200 Gb/s, a dragonfly", transport="rdma", latency="800ns",
        fabric="dragonfly", gigabits=200, nodes=1024, cores=128, memory=130, shape=_dragonfly,
    ),
}  # fmt: skip
"""Kinds of clusters that there are templates for, by name."""


def filled(template: str, *, nodes: int | None = None, cores: int | None = None, name: str = "") -> str:
    """The text of a platform file.

    Args:
        template: one of `TEMPLATES`.
        nodes: how many there are; None: as the template has it.
        cores: of a node; None: as the template has it.
        name: of the platform; empty: that of the template.
    Raises:
        InputError: there is no such template, or it cannot join so many nodes.
    """
    kind = TEMPLATES.get(template)
    if kind is None:
        raise InputError(
            f'"{template}": no such template{did_you_mean(template, TEMPLATES)} (there are: {", ".join(TEMPLATES)})'
        )
    nodes = nodes or kind.nodes
    values = {
        "template": template, "name": toml(name or template), "nodes": nodes, "cores": cores or kind.cores,
        "gigabits": kind.gigabits, "network": kind.network, "latency": kind.latency, "memory": kind.memory,
        "memory_latency": "300ns" if kind.transport == "tcp" else "200ns", **kind.shape(template, nodes),
    }  # fmt: skip
    parts = ["cluster", *([kind.fabric] if kind.fabric else []), f"{kind.transport}-messages"]
    text = "\n".join((_FOLDER / f"{part}.toml").read_text(encoding="utf-8") for part in parts)
    return _COMMENT.sub(lambda line: f"{line[1]:<{_COLUMN}} # {line[2]}", Template(text).substitute(values))
