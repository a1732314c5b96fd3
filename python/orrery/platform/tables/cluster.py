# SPDX-License-Identifier: BSD-3-Clause
"""Tables of nodes and of what joins them: `[[cluster]]` and `[[wan]]`."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from orrery.platform.tables.quantities import Factor, Rate, Seconds, Table


def _listed(value: object) -> object:
    return [value] if isinstance(value, bool) else value


class Cabinet(Table):
    """Nodes behind one switch."""

    name: str = ""
    """Shown in names of links; by default the cluster's name and the number of the cabinet."""
    nodes: Annotated[int, Field(gt=0)]
    """How many nodes."""
    uplink_bytes_per_s: Rate = 0.0
    """Rate of the link towards the other cabinets, each direction; 0: none of its own."""
    limiter_bytes_per_s: Rate = 0.0
    """Rate that both directions of the uplink reach together; 0: no such limit."""
    latency_s: Seconds = 0.0
    """Latency of the uplink, and again of the downlink."""


class FatTreeLevel(Table):
    """Switches of one level above the leaves, and the cables down from them."""

    down: Annotated[int, Field(gt=0)]
    """How many switches of the level below each one joins."""
    up: Annotated[int, Field(gt=0)] = 1
    """How many switches of this level each one below is joined to; fewer than nodes or cables below: tapered."""
    parallel: Annotated[int, Field(gt=0)] = 1
    """Cables between two switches that are joined."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of a cable, each direction."""
    latency_s: Seconds
    """Latency of a cable and its switch, each direction."""


class FatTree(Table):
    """Leaf switches with nodes, and levels of switches above them."""

    nodes_per_leaf: Annotated[int, Field(gt=0)]
    """Nodes below a leaf switch."""
    levels: list[FatTreeLevel] = Field(default=[], alias="level")
    """From the level above the leaves to the roots, one `[[cluster.fat_tree.level]]` each."""
    routing: Literal["d-mod-k", "s-mod-k", "random"] = "d-mod-k"
    """Who chooses the way up: the number of the target, that of the source, or a draw for each pair of nodes."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of the draws of `random`."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.nodes_per_leaf * math.prod(level.down for level in self.levels)


class Torus(Table):
    """Routers in a grid of any dimension, each joined to its neighbours."""

    sizes: Annotated[list[Annotated[int, Field(gt=0)]], Field(min_length=1, max_length=16)]
    """Routers along each dimension; nodes count along the first one first."""
    wraps: Annotated[list[bool], Field(min_length=1), BeforeValidator(_listed)] = Field(default=[True])
    """Whether the first and the last router of a dimension are neighbours: of all, or of each; false: a mesh."""
    nodes_per_router: Annotated[int, Field(gt=0)] = 1
    """Nodes of a router."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of a cable between routers, each direction."""
    latency_s: Seconds
    """Latency of a cable and its router, each direction."""
    routing: Literal["dimension-order", "random-order"] = "dimension-order"
    """Along one dimension after the other: in the order of `sizes`, or in one drawn for each pair of nodes."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of the draws of `random-order`."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.nodes_per_router * math.prod(self.sizes)


class Cable(Table):
    """A cable, the same in each direction."""

    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of each direction."""
    latency_s: Seconds
    """Latency of the cable and its router, each direction."""


class Dragonfly(Table):
    """Groups of routers, all groups joined to each other."""

    groups: Annotated[int, Field(gt=0)]
    """How many groups."""
    chassis_per_group: Annotated[int, Field(gt=0)] = 1
    """Rows of routers of a group: routers at one place of all rows are joined."""
    routers_per_chassis: Annotated[int, Field(gt=0)]
    """Routers of a row, all joined to each other; with one row this is a group as of Kim and others."""
    nodes_per_router: Annotated[int, Field(gt=0)]
    """Nodes of a router."""
    cables_between_groups: Annotated[int, Field(gt=0)] = 1
    """Cables between any two groups, dealt to the routers of a group in turn."""
    within_chassis: Cable | None = None
    """Cables between routers of a row."""
    between_chassis: Cable | None = None
    """Cables between rows."""
    between_groups: Cable | None = None
    """Cables between groups."""
    routing: Literal["minimal", "valiant"] = "minimal"
    """Straight to the target's group, or through a third one that is drawn for each pair of nodes."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of the draws."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.groups * self.chassis_per_group * self.routers_per_chassis * self.nodes_per_router


class GraphNode(Table):
    """A node of a graph."""

    name: str
    """Its name."""
    cores: Annotated[int, Field(gt=0)] | None = None
    """Its cores; by default as many as the cluster says."""
    speed: Factor | None = None
    """Its speed; by default the one that the cluster says."""


class GraphLink(Table):
    """A link of a graph."""

    name: str
    """Edges and routes refer to it."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Its rate."""
    latency_s: Seconds
    """Its latency."""
    sharing: Literal["duplex", "shared", "unshared"] = "duplex"
    """What its flows share: `duplex` the rate of each direction, `shared` one rate for both directions, `unshared`
    nothing, each flow may have the whole rate."""
    between: list[str] | None = None
    """The two nodes or switches that it joins by an edge, if it is one cable; in its direction `up` from the first."""


class GraphEdge(Table):
    """What is crossed from one node or switch to another, both ways."""

    between: list[str]
    """The two nodes or switches."""
    links: list[str]
    """Links that are crossed, in order; of a duplex one "NAME:up" or "NAME:down", the other one on the way back."""
    one_way: bool = False
    """True: only from the first to the second."""


class Graph(Table):
    """Nodes and switches joined in any way. Routes follow edges; state is the square of vertices with several edges."""

    nodes: list[GraphNode] = Field(alias="node", min_length=1)
    """Nodes, one `[[cluster.graph.node]]` each."""
    switches: list[str] = Field(default=[])
    """Names of switches."""
    links: list[GraphLink] = Field(alias="link")
    """Links, one `[[cluster.graph.link]]` each."""
    edges: list[GraphEdge] = Field(default=[], alias="edge")
    """Edges that cross several links, or share them, beside those of single cables."""
    routes: list[GraphEdge] = Field(default=[], alias="route")
    """Explicit routes of single pairs, which are not part of other routes."""
    routing: Literal["fewest-edges", "fewest-links", "least-latency"] = "fewest-edges"
    """What is least along a route; among equals the edges given first."""
    nodes_forward: bool = True
    """Whether routes between others may pass through nodes."""
    gateway: str = ""
    """Node or switch where wide-area links begin."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return len(self.nodes)


class Cluster(Table):
    """Equal nodes: behind a switch, in cabinets, or joined by a fat-tree, torus, dragonfly or graph."""

    name: str
    """Shown in reports; wide-area links refer to it."""
    prefix: str = ""
    """Node names are this and a number; by default the cluster's name and a dash."""
    first: Annotated[int, Field(ge=0)] = 1
    """Number of the first node."""
    nodes: Annotated[int, Field(gt=0)] | None = None
    """How many nodes, for a cluster without cabinets."""
    site: str = ""
    """Where it stands; clusters of one site have the same. Named for all clusters or for none."""
    cores: Annotated[int, Field(gt=0)]
    """Cores of a node: how many ranks it takes before they share."""
    sockets: Annotated[int, Field(gt=0)] = 1
    """Processors of a node, each with as many of its cores, in their order: the first ranks are on the first one."""
    speed: Factor = 1.0
    """Speed of a core relative to the host that runs the simulation; 2 computes twice as fast."""
    bandwidth_bytes_per_s: Rate = 0.0
    """Rate of a node's link, each direction."""
    latency_s: Seconds = 0.0
    """Latency of a node's uplink, and again of its downlink."""
    rails: Annotated[int, Field(gt=0)] = 1
    """Links that a node has, each of this rate and latency."""
    rail_use: Literal["by-pair", "striped"] = "by-pair"
    """How messages use several rails: all of two nodes take one, drawn for each pair of nodes, or each takes all."""
    rail_planes: bool = False
    """Whether each rail ends at a fat-tree, torus or dragonfly of its own, all alike, as if nodes were in several networks;
    what leaves the cluster takes the first. Striped messages take all planes alike. False: all rails end at one switch."""
    node_links: Literal["shared", "unshared"] = "shared"
    """Whether the flows of a node share its link; `unshared`: its rate is only what each of them reaches."""
    limiter_factor: Annotated[float, Field(ge=1, le=2)] = 2.0
    """What both directions of a node's link reach together, as a multiple of one; 2: full duplex."""
    memory_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of a node's memory link, which messages between its ranks share."""
    memory_latency_s: Seconds
    """Latency of a node's memory link."""
    socket_bandwidth_bytes_per_s: Rate = 0.0
    """Rate of the link between the sockets of a node, whose memory links are then their own: messages between sockets
    cross both memories and this link; 0: all ranks of a node share one memory link."""
    socket_latency_s: Seconds = 0.0
    """What a message between sockets waits for besides the latency of memory."""
    backbone_bytes_per_s: Rate = 0.0
    """Rate of the switch that joins nodes or cabinets; 0: never the bottleneck."""
    backbone_latency_s: Seconds = 0.0
    """Latency of that switch."""
    cabinets: list[Cabinet] = Field(default=[], alias="cabinet")
    """Cabinets, one `[[cluster.cabinet]]` each."""
    fat_tree: FatTree | None = None
    """What joins the nodes, if it is a fat-tree."""
    torus: Torus | None = None
    """What joins the nodes, if it is a torus or a mesh."""
    dragonfly: Dragonfly | None = None
    """What joins the nodes, if it is a dragonfly."""
    graph: Graph | None = None
    """What joins the nodes, if it is anything else; they then have no links of their own."""
    gateway_note: str = ""
    """Free text on how the cluster reaches the outside."""

    @property
    def fabric(self) -> FatTree | Torus | Dragonfly | Graph | None:
        """What joins the nodes, other than a switch or cabinets."""
        return self.fat_tree or self.torus or self.dragonfly or self.graph

    @property
    def node_count(self) -> int:
        """How many nodes, however that is said."""
        if self.nodes is not None:
            return self.nodes
        return self.fabric.places if self.fabric else sum(cabinet.nodes for cabinet in self.cabinets)


class Wan(Table):
    """A wide-area link between two clusters, with one direction each way."""

    from_cluster: str = Field(alias="from")
    """Name of one cluster."""
    to_cluster: str = Field(alias="to")
    """Name of the other."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of each direction."""
    latency_s: Seconds
    """Latency of each direction."""
    limiter_factor: Annotated[float, Field(ge=1, le=2)] = 2.0
    """What both directions reach together, as a multiple of one; 2: full duplex."""
