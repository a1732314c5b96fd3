# SPDX-License-Identifier: BSD-3-Clause
"""A platform file: all of its tables, each declared in a module of `tables`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.model import Model
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
    Wan,
)
from orrery.platform.tables.compute import Compute
from orrery.platform.tables.network import Frames, Framing, LogGPS, LogGPSSet, Network, Regime
from orrery.platform.tables.node import Node, Processors
from orrery.platform.tables.quantities import Seconds, Size, Table
from orrery.platform.tables.storage import Storage
from orrery.platform.tables.transport import Connections, Queue, Timeouts, Transport

__all__ = [
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
    "Grade",
    "Graph",
    "GraphEdge",
    "GraphLink",
    "GraphNode",
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
    "Wan",
]


class Platform(Table):
    """A whole platform file."""

    name: str
    """Shown in reports."""
    description: str = ""
    """One sentence for `orrery platform list`."""
    source: str = ""
    """Where the parameters come from, and whether they were measured."""
    model: Model = "hybrid"
    """Model of the network, unless the command line says otherwise."""
    clusters: Annotated[list[Cluster], Field(min_length=1)] = Field(alias="cluster")
    """Clusters, one `[[cluster]]` each."""
    wan: list[Wan] = Field(default=[])
    """Wide-area links, one `[[wan]]` each."""
    network: Network | None = None
    """Parameters of the model `hybrid`."""
    transport: Transport = Transport()
    """What connections, queues and time-outs of TCP add to it."""
    node: Node = Node()
    """What processors and progress of the nodes add to it."""
    loggps: LogGPS | None = None
    """Parameters of the model `loggps`."""
    storage: Storage | None = None
    """What files cost; without it as a small file system of typical values does."""
    compute: Compute = Compute()
    """Costs of processor work inside MPI."""
    calibration: Calibration | None = None
    """How the values were measured."""

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
