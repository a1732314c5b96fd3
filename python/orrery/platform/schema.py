# SPDX-License-Identifier: BSD-3-Clause
"""A platform file: all of its tables, each declared in a module of `tables`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.model import Model
from orrery.platform.tables.broker import Broker, Frontal
from orrery.platform.tables.calibration import Calibration, Grade, Reason, Verdict
from orrery.platform.tables.cluster import (
    Cabinet,
    Cable,
    Cluster,
    Dragonfly,
    FatTree,
    FatTreeLevel,
    Graph,
    GraphEdge,
    GraphLink,
    GraphNode,
    Torus,
    Virtual,
    Wan,
)
from orrery.platform.tables.compute import Compute
from orrery.platform.tables.launch import Launch
from orrery.platform.tables.network import Frames, Framing, LogGPS, LogGPSSet, Network, Regime
from orrery.platform.tables.node import Hypervisor, Node, Processors
from orrery.platform.tables.quantities import Seconds, Size, Table
from orrery.platform.tables.remarks import CalibrationSource, Code, Needs
from orrery.platform.tables.storage import Storage
from orrery.platform.tables.transport import Connections, Queue, Timeouts, Transport

__all__ = [
    "Broker",
    "Cabinet",
    "Cable",
    "Calibration",
    "Cluster",
    "Compute",
    "Connections",
    "Dragonfly",
    "FatTree",
    "FatTreeLevel",
    "Frames",
    "Framing",
    "Frontal",
    "Grade",
    "Graph",
    "GraphEdge",
    "GraphLink",
    "GraphNode",
    "Hypervisor",
    "Launch",
    "LogGPS",
    "LogGPSSet",
    "Network",
    "Node",
    "Platform",
    "Processors",
    "Queue",
    "Reason",
    "Regime",
    "Seconds",
    "Size",
    "Storage",
    "Table",
    "Timeouts",
    "Torus",
    "Transport",
    "Verdict",
    "Virtual",
    "Wan",
]


def _has_network(_: object, platform: Platform) -> bool:
    return platform.network is not None


_HYBRID = Needs("[network], the parameters of the model hybrid", _has_network)


class Platform(Table):
    """A simulated cluster, or several: nodes and what joins them, and what messages, files and computation cost there."""

    name: str
    """Name of the platform, in reports."""
    description: str = ""
    """One sentence about the platform, for `orrery platform list`."""
    source: str = ""
    """Where the parameters come from, and whether they were measured, for reports."""
    measured: list[str] = Field(default=[])
    """Keys, or tables with all that is in them, whose values were measured on this very cluster or published for it, by the names
    that `orrery platform keys` takes: "memory_bandwidth_bytes_per_s", "network.between_nodes". While there are others,
    simulations say that parts of the platform are typical, and `orrery compare` on which of them a verdict hangs. What `orrery calibrate` measured need not be named."""
    model: Model = "hybrid"
    """Network model, unless the command line names another one. `hybrid` needs [network] and `loggps` needs [loggps];
    `fluid` has latency and bandwidth only."""
    clusters: Annotated[list[Cluster], Field(min_length=1), Code("src/platform/platform.hpp")] = Field(alias="cluster")
    """Clusters, one `[[cluster]]` each."""
    wan: Annotated[list[Wan], Code("src/platform/wan_paths.hpp")] = Field(default=[])
    """Wide-area links between clusters, one `[[wan]]` each. They join all clusters of the file, directly or through
    others."""
    broker: Annotated[
        Broker | None,
        Needs("several clusters", lambda platform, _: len(platform.clusters) > 1),
        Code("src/transport/brokered.hpp"),
    ] = None
    """What makes connections between clusters with firewalls and address translation."""
    network: Annotated[Network | None, Code("src/network/hybrid.hpp")] = None
    """Parameters of the model `hybrid`."""
    transport: Annotated[Transport, _HYBRID, Code("src/transport/transport.hpp")] = Transport()
    """What connections, queues and time-outs of TCP add to the model `hybrid`."""
    node: Annotated[Node, _HYBRID, Code("src/node")] = Node()
    """What processors and progress of the nodes add to the model `hybrid`."""
    loggps: Annotated[LogGPS | None, Code("src/network/loggps.cpp")] = None
    """Parameters of the model `loggps`."""
    storage: Annotated[Storage | None, Code("src/storage/storage.hpp")] = None
    """What accesses to files cost. Without this table: as a small file system with typical values."""
    compute: Annotated[Compute, Code("src/kernel/kernel.hpp")] = Compute()
    """What work of the MPI library itself costs."""
    launch: Annotated[Launch | None, Code("src/startup/startup.hpp")] = None
    """What it takes to start a job. Without this table nothing: ranks leave MPI_Init at simulated time 0. Ranks that
    MPI_Comm_spawn starts take `spawn_cost_s` of [compute]."""
    calibration: Annotated[
        Calibration | None, CalibrationSource("written with the file"), Code("python/orrery/calibrate")
    ] = None
    """How `orrery calibrate` came to the values of the file, and how far they can be trusted."""

    def cores_of_hosts(self) -> list[int]:
        """Cores of every host, in the order of the core's host numbers."""
        return [
            cores
            for cluster in self.clusters
            for cores in (
                [node.cores or cluster.cores for node in cluster.graph.nodes]
                if cluster.graph
                else [cluster.cores] * cluster.node_count
            )
        ]
