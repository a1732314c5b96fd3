# SPDX-License-Identifier: BSD-3-Clause
"""Tables of nodes and of what joins them: `[[cluster]]` and `[[wan]]`."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from orrery.platform.tables.broker import ACCEPTING, Connectivity, Frontal
from orrery.platform.tables.quantities import Factor, OrOne, Rate, Seconds, Table
from orrery.platform.tables.remarks import CalibrationSource, Code, Needs

FatTreeRouting = Literal["d-mod-k", "s-mod-k", "random"]
TorusRouting = Literal["dimension-order", "random-order"]
DragonflyRouting = Literal["minimal", "valiant"]
GraphRouting = Literal["fewest-edges", "fewest-links", "least-latency"]
Sharing = Literal["duplex", "shared", "unshared"]
RailUse = Literal["by-pair", "striped"]
NodeLinks = Literal["shared", "unshared"]

_SEVERAL_RAILS = Needs("rails above 1", lambda cluster, _: cluster.rails > 1)
_SEVERAL_SOCKETS = Needs("sockets above 1", lambda cluster, _: cluster.sockets > 1)
_NODE_LINKS = Needs(
    "nodes that have links of their own; those of a graph have names and links there",
    lambda cluster, _: cluster.graph is None,
)
_UPLINK = Needs("uplink_bytes_per_s above 0", lambda cabinet, _: cabinet.uplink_bytes_per_s > 0)
_HYPERVISOR = Needs(
    "[node.hypervisor], which shares the cores of a host", lambda _, platform: platform.node.hypervisor is not None
)
_BROKER = Needs("[broker], which makes connections", lambda _, platform: platform.broker is not None)
_TOGETHER = CalibrationSource("fixed work of all ranks at once, and of one alone; --vms-per-host")
_PAIRS = CalibrationSource("large messages of 1, 2, ... pairs between the same two hosts at once; --vms-per-host")
_ACROSS = CalibrationSource("large messages of several pairs across cabinets at once")


def _one_switch(cluster: Any) -> bool:
    return not cluster.cabinets and cluster.fabric is None and cluster.rails == 1 and cluster.node_links == "shared"


class Cabinet(Table):
    """Nodes behind one switch."""

    name: str = ""
    """Name of the cabinet, in names of links. By default the cluster's name and the number of the cabinet."""
    nodes: Annotated[int, Field(gt=0)]
    """How many nodes the cabinet has."""
    uplink_bytes_per_s: Annotated[Rate, _ACROSS] = 0.0
    """Rate of the link towards the other cabinets, each direction; 0: it is never the bottleneck."""
    limiter_bytes_per_s: Annotated[Rate, _UPLINK, _ACROSS] = 0.0
    """Rate that both directions of that link reach together; 0: no such bound."""
    latency_s: Annotated[Seconds, _UPLINK, CalibrationSource("small messages across cabinets")] = 0.0
    """Latency of the uplink, and again of the downlink."""


class FatTreeLevel(Table):
    """Switches of one level above the leaves, and the cables down from them."""

    down: Annotated[int, Field(gt=0)]
    """How many switches of the level below each switch is joined to; above the leaves, leaf switches."""
    up: Annotated[int, Field(gt=0)] = 1
    """How many switches of this level each switch below is joined to. The tree is tapered where a switch has fewer cables up
    than nodes or cables below."""
    parallel: Annotated[int, Field(gt=0)] = 1
    """How many cables join two switches."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of a cable, each direction."""
    latency_s: Seconds
    """Latency of a cable and its switch, each direction."""


class FatTree(Table):
    """Leaf switches with nodes, and levels of switches above them."""

    nodes_per_leaf: Annotated[int, Field(gt=0)]
    """How many nodes a leaf switch joins."""
    levels: list[FatTreeLevel] = Field(default=[], alias="level")
    """Levels of switches, from the one above the leaves to the roots, one `[[cluster.fat_tree.level]]` each."""
    routing: FatTreeRouting = "d-mod-k"
    """What chooses the way up: the number of the target node (`d-mod-k`), that of the source node (`s-mod-k`), or a draw for
    each pair of nodes (`random`)."""
    seed: Annotated[int, Field(ge=0), Needs('routing = "random"', lambda fabric, _: fabric.routing == "random")] = 0
    """Seed of the draws of `random`."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.nodes_per_leaf * math.prod(level.down for level in self.levels)


class Torus(Table):
    """Routers in a grid of any dimension, each joined to its neighbours."""

    sizes: Annotated[list[Annotated[int, Field(gt=0)]], Field(min_length=1, max_length=16)]
    """How many routers there are along each dimension. Nodes are numbered along the first dimension first."""
    wraps: Annotated[list[bool], Field(min_length=1), OrOne()] = Field(default=[True])
    """Whether the first and the last router of a dimension are neighbours: one value for all dimensions, or one for each.
    With `false` it is a mesh."""
    nodes_per_router: Annotated[int, Field(gt=0)] = 1
    """How many nodes a router joins."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of a cable between routers, each direction."""
    latency_s: Seconds
    """Latency of a cable and its router, each direction."""
    routing: TorusRouting = "dimension-order"
    """Routes follow one dimension after the other: in the order of `sizes` (`dimension-order`), or in an order that is drawn for
    each pair of nodes (`random-order`)."""
    seed: Annotated[
        int, Field(ge=0), Needs('routing = "random-order"', lambda fabric, _: fabric.routing == "random-order")
    ] = 0
    """Seed of the draws of `random-order`."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.nodes_per_router * math.prod(self.sizes)


class Cable(Table):
    """A cable, the same in each direction."""

    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of the cable, each direction."""
    latency_s: Seconds
    """Latency of the cable and its router, each direction."""


class Dragonfly(Table):
    """Groups of routers, all groups joined to each other."""

    groups: Annotated[int, Field(gt=0)]
    """How many groups there are."""
    chassis_per_group: Annotated[int, Field(gt=0)] = 1
    """How many chassis a group has: rows of routers. Routers at the same place of all rows are joined to each other."""
    routers_per_chassis: Annotated[int, Field(gt=0)]
    """How many routers a chassis has, all joined to each other. With one chassis the group is fully connected."""
    nodes_per_router: Annotated[int, Field(gt=0)]
    """How many nodes a router joins."""
    cables_between_groups: Annotated[int, Field(gt=0)] = 1
    """How many cables join any two groups. The routers of a group get them in turn."""
    within_chassis: Cable | None = None
    """Cables between routers of a chassis. Required if a chassis has several routers."""
    between_chassis: Cable | None = None
    """Cables between chassis. Required if a group has several chassis."""
    between_groups: Cable | None = None
    """Cables between groups. Required if there are several groups."""
    routing: DragonflyRouting = "minimal"
    """Routes go straight to the group of the target (`minimal`), or through a third group that is drawn for each pair of nodes
    (`valiant`)."""
    seed: Annotated[int, Field(ge=0), Needs('routing = "valiant"', lambda fabric, _: fabric.routing == "valiant")] = 0
    """Seed of the draws of `valiant`."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return self.groups * self.chassis_per_group * self.routers_per_chassis * self.nodes_per_router


class GraphNode(Table):
    """A node of a graph."""

    name: str
    """Name of the node. Edges, routes and links refer to it."""
    cores: Annotated[int, Field(gt=0)] | None = None
    """How many cores the node has; by default as many as the cluster says."""
    speed: Factor | None = None
    """Speed of a core of the node; by default the one that the cluster says."""


class GraphLink(Table):
    """A link of a graph."""

    name: str
    """Name of the link. Edges and routes refer to it."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of the link."""
    latency_s: Seconds
    """Latency of the link."""
    sharing: Sharing = "duplex"
    """What flows share on the link. `duplex`: each direction has the rate, and flows of one direction share it. `shared`: all
    flows of both directions share one rate. `unshared`: flows share nothing, each may have the whole rate."""
    between: list[str] | None = None
    """The two nodes or switches that the link joins, if it is an edge by itself. Its direction `up` is from the first to the
    second."""


class GraphEdge(Table):
    """Links that are crossed on the way from one node or switch to another, and back."""

    between: list[str]
    """The two nodes or switches at its ends."""
    links: list[str]
    """Names of the links that are crossed, in order. Of a duplex link this is "NAME:up" or "NAME:down"; the way back takes
    the other direction."""
    one_way: bool = False
    """Whether the links are crossed only from the first to the second end."""


class Graph(Table):
    """Nodes and switches that are joined in any way; routes follow the edges. Memory grows with the square of the number
    of nodes and switches that have several edges.
    """

    nodes: list[GraphNode] = Field(alias="node", min_length=1)
    """Nodes, one `[[cluster.graph.node]]` each."""
    switches: list[str] = Field(default=[])
    """Names of the switches."""
    links: list[GraphLink] = Field(alias="link")
    """Links, one `[[cluster.graph.link]]` each."""
    edges: list[GraphEdge] = Field(default=[], alias="edge")
    """Edges that cross several links, or that share links, one `[[cluster.graph.edge]]` each. A link that is an edge by itself
    says so in `between`."""
    routes: list[GraphEdge] = Field(default=[], alias="route")
    """Routes of single pairs, one `[[cluster.graph.route]]` each. No other route goes along them."""
    routing: GraphRouting = "fewest-edges"
    """What is least along a route: the number of edges, the number of links, or the latency. Among equal routes the edges that
    are given first decide."""
    nodes_forward: bool = True
    """Whether routes between others may pass through nodes."""
    gateway: str = ""
    """Name of the node or switch where wide-area links begin."""

    @property
    def places(self) -> int:
        """Most nodes."""
        return len(self.nodes)


class Virtual(Table):
    """Hosts of virtual machines. What the cluster says of links, memory and speed is that of a host; its nodes, which are
    virtual machines, share it.
    """

    per_host: Annotated[int, Field(gt=0)] = 1
    """How many nodes a host runs. The first ones are on the first host, and so on; the last host may have fewer."""
    host_cores: Annotated[Annotated[int, Field(gt=0)] | None, _HYPERVISOR, _TOGETHER] = None
    """How many cores a host has for its virtual machines. By default as many as they have together, so that they do not share
    any. Fewer are shared in time slices, as `[node.hypervisor]` says."""
    other_cores: Annotated[int, Field(ge=0), _HYPERVISOR] = 0
    """How many virtual processors of other users compute on each host all the time."""
    bandwidth_bytes_per_s: Annotated[Rate, _PAIRS] = 0.0
    """Rate of the link of a virtual machine to the virtual bridge of its host, each direction; 0: that of the host's
    link."""
    latency_s: Annotated[Seconds, CalibrationSource("small messages inside a host, and between hosts")] = 0.0
    """Latency of that link, of the virtual NIC and the bridge, on the way out, and again on the way in. A message between two
    machines of one host crosses these links and the memory of the host, any other the links of the hosts besides."""


class Cluster(Table):
    """Nodes that are alike: behind one switch, in cabinets, or joined by a fat-tree, a torus, a dragonfly or a graph."""

    name: str
    """Name of the cluster, in reports. Wide-area links refer to it."""
    prefix: Annotated[str, _NODE_LINKS] = ""
    """Beginning of the names of nodes, before their numbers. By default the cluster's name and a dash."""
    suffix: Annotated[str, _NODE_LINKS] = ""
    """End of the names of nodes, after their numbers: a domain, such as ".example.org"."""
    first: Annotated[int, Field(ge=0), _NODE_LINKS] = 1
    """Number of the first node."""
    nodes: Annotated[int, Field(gt=0)] | None = None
    """How many nodes the cluster has. Required unless it has cabinets, which have nodes of their own, or a topology that says
    how many there are; of such a topology it may be fewer."""
    site: str = ""
    """Name of the site where the cluster stands. Either all clusters of the file have one, or none."""
    cores: Annotated[int, Field(gt=0), CalibrationSource("processors that a node has, as it says; --cores")]
    """How many cores a node has. More ranks than that share them."""
    sockets: Annotated[int, Field(gt=0)] = 1
    """How many sockets a node has. Each has an equal part of the cores, and the first ranks are on the first socket."""
    speed: Annotated[Factor, CalibrationSource("the same arithmetic on a node and on this host")] = 1.0
    """Speed of a core, relative to the host that runs the simulation: with 2 ranks compute twice as fast."""
    bandwidth_bytes_per_s: Annotated[Rate, _NODE_LINKS, CalibrationSource("one-way times of large messages")] = 0.0
    """Rate of a node's link, each direction. Required unless the cluster has a graph."""
    latency_s: Annotated[Seconds, _NODE_LINKS, CalibrationSource("half the latency of small messages")] = 0.0
    """Latency of a node's uplink, and again of its downlink. Required unless the cluster has a graph."""
    rails: Annotated[int, Field(gt=0), _NODE_LINKS] = 1
    """How many links (rails) a node has, each of this rate and latency."""
    rail_use: Annotated[RailUse, _SEVERAL_RAILS] = "by-pair"
    """How messages use several rails. `by-pair`: all messages between two nodes take one rail, which is drawn for the pair.
    `striped`: each message takes all rails."""
    rail_planes: Annotated[bool, _SEVERAL_RAILS] = False
    """Whether each rail ends at a fat-tree, torus or dragonfly of its own, as if the nodes were in several equal networks.
    Messages to other clusters take the first one. With `false` all rails of a node end at one switch."""
    node_links: Annotated[NodeLinks, _NODE_LINKS] = "shared"
    """Whether the flows of a node share its link. `unshared`: they do not; each may reach the rate of the link."""
    limiter_factor: Annotated[
        float,
        Field(ge=1, le=2),
        _NODE_LINKS,
        CalibrationSource("rings of MPI_Sendrecv: each node sends to one and receives from another"),
    ] = 2.0
    """Rate that both directions of a node's link reach together, as a multiple of the rate of one: 2 is full duplex."""
    memory_bandwidth_bytes_per_s: Annotated[
        Rate, Field(gt=0), CalibrationSource("large messages of 1, 2, 4, ... pairs of ranks of a node at once")
    ]
    """Rate of a node's memory link, which all messages inside the node share: what all its cores reach together."""
    memory_latency_s: Annotated[Seconds, CalibrationSource("small messages inside a node")]
    """Latency of a node's memory link."""
    socket_bandwidth_bytes_per_s: Annotated[Rate, _SEVERAL_SOCKETS] = 0.0
    """Rate of the link between the sockets of a node. Each socket then has a memory link of its own, and a message between
    sockets crosses both memory links and this one. 0: all ranks of a node share one memory link."""
    socket_latency_s: Annotated[Seconds, _SEVERAL_SOCKETS] = 0.0
    """Latency that a message between sockets has besides that of memory."""
    backbone_bytes_per_s: Rate = 0.0
    """Rate of the switch that joins the nodes, or the cabinets; 0: it is never the bottleneck."""
    backbone_latency_s: Seconds = 0.0
    """Latency of that switch."""
    cabinets: list[Cabinet] = Field(default=[], alias="cabinet")
    """Cabinets, one `[[cluster.cabinet]]` each."""
    fat_tree: Annotated[FatTree | None, Code("src/platform/fabric/fat_tree.hpp")] = None
    """What joins the nodes, if it is a fat-tree."""
    torus: Annotated[Torus | None, Code("src/platform/fabric/torus.hpp")] = None
    """What joins the nodes, if it is a torus or a mesh."""
    dragonfly: Annotated[Dragonfly | None, Code("src/platform/fabric/dragonfly.hpp")] = None
    """What joins the nodes, if it is a dragonfly."""
    graph: Annotated[Graph | None, Code("src/platform/fabric/graph.hpp")] = None
    """What joins the nodes, if it is anything else. The nodes then have no links but those of the graph."""
    virtual: Annotated[
        Virtual | None,
        Needs(
            "nodes behind one switch: without cabinets, rails or a topology", lambda cluster, _: _one_switch(cluster)
        ),
        Code("src/platform/layout.hpp"),
    ] = None
    """That the nodes are virtual machines, and how many share a host. Without this table each node is a host."""
    connectivity: Annotated[Connectivity, _BROKER] = "open"
    """Which connections from other clusters its nodes accept. `open`: all. `ports`: those to a range of ports. `nat`: none, as
    their addresses are translated. `outbound`: none, as a firewall lets only connections out."""
    ports: Annotated[
        Annotated[int, Field(gt=0)] | None,
        Needs('connectivity = "ports"', lambda cluster, _: cluster.connectivity == "ports"),
    ] = None
    """How many ports of each node others may connect to. Each rank listens on one of its own, so a node cannot have more ranks.
    Required with `ports`."""
    traversable: Annotated[
        bool,
        Needs('connectivity = "nat" or "outbound"', lambda cluster, _: cluster.connectivity not in ACCEPTING),
    ] = False
    """Whether connections can traverse the firewall or the address translation: a request from a node passes where one to that
    node has left before. An address translation must keep the port that the broker was told."""
    frontal: Annotated[Frontal | None, _BROKER, Code("src/platform/reach.hpp")] = None
    """The front-end machine, which relays messages between nodes that cannot connect. Two clusters without any other technique
    need one of them."""
    gateway_note: str = ""
    """Remark on how the cluster is joined to others, for reports."""

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
    """Name of one of the two clusters."""
    to_cluster: str = Field(alias="to")
    """Name of the other cluster."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of the link, each direction."""
    latency_s: Seconds
    """Latency of the link, each direction."""
    limiter_factor: Annotated[float, Field(ge=1, le=2)] = 2.0
    """Rate that both directions of the link reach together, as a multiple of the rate of one: 2 is full duplex."""
