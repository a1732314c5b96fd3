# SPDX-License-Identifier: BSD-3-Clause
"""What crosses each level of a platform under a mapping."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orrery.collective.laboratory import Laboratory
from orrery.placement.matrix import TrafficMatrix
from orrery.placement.tree import way_of

NAMES = ("inside_node", "between_nodes", "between_cabinets", "between_clusters", "between_sites")
"""From near to far: what is named is the largest border that a message crosses."""


def bytes_by_level(matrix: TrafficMatrix, host_of_rank: Sequence[int], laboratory: Laboratory) -> dict[str, float]:
    """Bytes of all messages by the level that they cross, without levels that the platform does not have."""
    ways = {host: way_of(laboratory, host) for host in set(host_of_rank)}
    sites = {way[0]: number for number, way in enumerate(ways.values())}
    table = np.array(
        [[sites[ways[host][0]], ways[host][1], ways[host][2], host] for host in host_of_rank], dtype=np.int64
    )
    apart = table[matrix.sources] != table[matrix.targets]
    level = np.where(apart[:, 0], 4, np.where(apart[:, 1], 3, np.where(apart[:, 2], 2, np.where(apart[:, 3], 1, 0))))
    sums = np.bincount(level, matrix.bytes, len(NAMES))
    there = _levels_of(laboratory)
    return {name: float(sums[number]) for number, name in enumerate(NAMES) if name in there}


def _levels_of(laboratory: Laboratory) -> set[str]:
    hardware = laboratory.hardware
    ways = [way_of(laboratory, host) for host in range(len(hardware.hosts))]
    several = {"between_sites": 0, "between_clusters": 1, "between_cabinets": 2}
    found = {name for name, column in several.items() if len({way[column] for way in ways}) > 1}
    if "between_sites" in found and len({way[0] for way in ways}) == len({way[1] for way in ways}):
        found.discard("between_clusters")  # each site is one cluster
    if len({way[2] for way in ways}) == len({way[1] for way in ways}):
        found.discard("between_cabinets")
    return found | {"inside_node", "between_nodes"}
