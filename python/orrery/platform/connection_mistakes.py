# SPDX-License-Identifier: BSD-3-Clause
"""What no single key shows about connections between clusters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from orrery.errors import did_you_mean
from orrery.platform import schema
from orrery.platform.model import NO_ROUTES
from orrery.platform.tables.broker import ACCEPTING
from orrery.platform.topology_mistakes import Mistake

_CURE = (
    "give one of them a [cluster.frontal], which relays, or write traversable = true in both if connections can traverse "
    "both firewalls"
)


def connection_mistakes(platform: schema.Platform) -> Iterator[Mistake]:
    """Mistakes of a platform with a broker."""
    for index, cluster in enumerate(platform.clusters):
        if cluster.connectivity == "ports" and cluster.ports is None:
            yield ("cluster", index, "ports"), "is missing (how many ports of each node others may connect to)"
    if platform.broker is None:
        return
    names = [cluster.name for cluster in platform.clusters]
    if (at := platform.broker.cluster) not in names:
        yield ("broker", "cluster"), f"no cluster of this name{did_you_mean(at, names)} ({', '.join(names)})"
    if platform.model == "loggps":
        yield ("broker",), f'{NO_ROUTES}; write model = "hybrid" or "fluid"'
    for (_, earlier), (second, later) in combinations(enumerate(platform.clusters), 2):
        if not _connects(earlier, later):
            yield (
                ("cluster", second, "connectivity"),
                f"neither {_named(earlier)} nor {_named(later)} accepts connections; {_CURE}",
            )


def _named(cluster: schema.Cluster) -> str:
    return f'"{cluster.name}" ({cluster.connectivity})'


def _connects(cluster: schema.Cluster, other: schema.Cluster) -> bool:
    return (
        cluster.connectivity in ACCEPTING
        or other.connectivity in ACCEPTING
        or (cluster.traversable and other.traversable)
        or cluster.frontal is not None
        or other.frontal is not None
    )
