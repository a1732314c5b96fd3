# SPDX-License-Identifier: BSD-3-Clause
"""How nodes of different clusters connect, on a platform with a broker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orrery import _core
    from orrery.platform import schema

TECHNIQUES = ("direct", "reverse", "traversing", "relay")
"""By the core's numbers."""


@dataclass(frozen=True)
class Way:
    """How the first message from a node of one cluster to a node of another makes a connection."""

    source: str
    target: str
    technique: str
    """One of `TECHNIQUES`."""
    reason: str
    """Why it is this one."""
    setup_s: float
    """Seconds from the first message until it can be sent, if the broker has nothing else to do."""
    latency_s: float
    """Latency of the route, a relay's two crossings included."""
    rate_bytes_per_s: float
    """Rate of a flow that is alone on the route."""


def ways(platform: schema.Platform, hardware: _core.Platform) -> Iterator[Way]:
    """The ways between the first nodes of all clusters, in both directions; none without a broker."""
    if platform.broker is None:
        return
    first = [0, *accumulate(cluster.node_count for cluster in platform.clusters)]
    for (start, source), (end, target) in permutations(zip(first, platform.clusters, strict=False), 2):
        connection = hardware.connection(start, end)
        if connection is None:  # the same cluster
            continue
        route = hardware.route(start, end)
        technique = connection.technique.name.lower()
        relay = None if connection.relay is None else platform.clusters[connection.relay].name
        yield Way(
            source.name,
            target.name,
            technique,
            _reason(technique, source, target, relay),
            connection.asks_s + platform.broker.answer_s + connection.then_s,
            route.latency_s,
            route.bandwidth_bytes_per_s,
        )


def _reason(technique: str, source: schema.Cluster, target: schema.Cluster, relay: str | None) -> str:
    caller, called = (f"{cluster.name} ({cluster.connectivity})" for cluster in (source, target))
    return {
        "direct": f"{called} accepts connections",
        "reverse": f"{called} accepts none, {caller} does",
        "traversing": f"neither {caller} nor {called} accepts connections, both are traversable",
        "relay": f"neither {caller} nor {called} accepts connections; the frontal of {relay} relays",
    }[technique]
