# SPDX-License-Identifier: BSD-3-Clause
"""A platform file, declared once: what `platform/*.toml` may say, with a docstring for each key.

Each key that holds a quantity ends in its unit. A bare number is in that unit; a text brings its own:
`latency_s = 24e-6` and `latency_s = "24us"` are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from orrery import units
from orrery.platform.model import Model


def _quantity(read: Callable[[str], float], what: str, example: str) -> BeforeValidator:
    expected = f'expected {what}, or text with a unit such as "{example}"'

    def validate(value: object) -> object:
        if isinstance(value, str):
            try:
                return read(value)
            except ValueError:
                raise ValueError(expected) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(expected)  # noqa: TRY004  pydantic reports ValueError with the place, TypeError as ours
        return value

    return BeforeValidator(validate)


def _listed(value: object) -> object:
    return [value] if isinstance(value, bool) else value


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), _quantity(units.seconds, "a number of seconds", "24us")]
SignedSeconds = Annotated[float, Field(allow_inf_nan=False), _quantity(units.seconds, "a number of seconds", "-3us")]
SecondsPerByte = Annotated[
    float, Field(allow_inf_nan=False), _quantity(units.seconds_per_byte, "a number of seconds per byte", "0.8ns/B")
]
CostPerByte = Annotated[SecondsPerByte, Field(ge=0)]
Rate = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    _quantity(units.bytes_per_second, "a number of bytes per second", "10Gbit/s"),
]
Size = Annotated[int, Field(ge=0), _quantity(units.byte_count, "a whole number of bytes", "64KiB")]
Grade = Literal["good", "usable", "poor"]
Protocol = Literal["asynchronous", "detached", "synchronous", "optimistic"]
Factor = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Table(BaseModel):
    """Any table of the file: unknown keys and values of another type are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, populate_by_name=False)


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
    wraps: Annotated[list[bool], Field(min_length=1), BeforeValidator(_listed)] = [True]
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
    switches: list[str] = []
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


class Regime(Table):
    """What a message costs in one range of sizes: from the end of the regime before it up to its own."""

    end_bytes: Annotated[Size, Field(gt=0)] | None = None
    """First size that no longer belongs to it; the last regime of a list has none."""
    protocol: Protocol
    """When the transfer starts and the sender goes on: `asynchronous` at once; `detached`: starts when the receive is
    posted too, the sender goes on; `synchronous`: both wait for each other; `optimistic`: starts at once, its data are
    dropped where no receive is posted when they come and fetched once one is, the sender waits until they are there."""
    send_overhead_s: Seconds = 0.0
    """o_s: how long any send keeps its sender busy."""
    send_overhead_s_per_byte: SecondsPerByte = 0.0
    """O_s: and for each byte."""
    recv_overhead_s: Seconds = 0.0
    """o_r: how long any receive keeps its receiver busy."""
    recv_overhead_s_per_byte: SecondsPerByte = 0.0
    """O_r: and for each byte."""
    latency_factor: Factor = 1.0
    """L, as a multiple of the route's latency."""
    bandwidth_factor: Factor = 1.0
    """B, as a multiple of the route's bandwidth."""
    latency_s: SignedSeconds = 0.0
    """Added to L, the same on any route; may be negative, L is not."""


class Framing(Table):
    """What a message is on the wire; the rates of links are then those of the wire."""

    header_bytes: Size = 0
    """Header that the MPI sends with each message."""
    payload_bytes: Size = 0
    """What a frame carries of header and data: 1448 for TCP over Ethernet with an MTU of 1500; 0: no frames."""
    overhead_bytes: Size = 0
    """What a frame adds on the wire: 90 for TCP over Ethernet, preamble and gap included."""
    store_and_forward: bool = False
    """Switches send a frame on only when the whole of it is there, so that a message takes the time of a frame (or its
    own, where it is shorter) on all links of its route but the slowest, besides its time on that one."""


class Processors(Table):
    """Processors that the ranks of all nodes take turns on, as where nodes are containers of one machine."""

    count: Annotated[int, Field(ge=0)] = 0
    """How many; 0: every rank has its own."""
    send_work_s: Seconds = 0.0
    """Of a processor, for each message that is sent to another node."""
    recv_work_s: Seconds = 0.0
    """And for each one received, by a receiver that is awake."""
    wake_work_s: Seconds = 0.0
    """Besides, when the receiver slept."""
    idle_wake_s: Seconds = 0.0
    """Part of the latency between nodes: what waking an idle processor takes. A message has it only when its receiver
    sleeps and a processor is idle."""
    frame_work_s: Seconds = 0.0
    """For each frame of a message but its first, while it is on its way; whoever has a processor is held up by it."""
    slice_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.1
    """How long a rank computes before it gives way to those that wait: 0.1 for real-time ranks of Linux (round robin),
    a few milliseconds for others."""


class Noise(Table):
    """What no two runs have alike: delays from exponential distributions, drawn from the seed of the run."""

    handling_s: Seconds = 0.0
    """Spread (standard deviation) of the time that handling a message takes at either side, whose mean is the overhead."""
    rate_fraction: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Mean lengthening of a transfer, relative."""


class Timeouts(Table):
    """Messages that lose so many packets in a crowded switch that their sender waits for a time-out of TCP."""

    wait_s: Seconds = 0.2
    """How long such a message waits; Linux waits 0.2 s at least."""
    flows: Annotated[int, Field(ge=1)] = 1
    """So many messages a port of a switch carries at once without loss."""
    probability: Annotated[float, Field(ge=0, le=1)] = 0.0
    """How likely a message waits that begins while so many others cross a port of a switch on its way; 0: none does."""


class Hybrid(Table):
    """Parameters of the model `hybrid`. What follows the regimes is only modelled where it is given."""

    network: Annotated[list[Regime], Field(min_length=1)]
    """Regimes between nodes, by increasing size."""
    memory: Annotated[list[Regime], Field(min_length=1)]
    """Regimes inside a node, by increasing size."""
    tcp_window_bytes: Size = 0
    """A flow sends at most this much per round trip; 0: no bound."""
    framing: Framing = Framing()
    """Headers and frames."""
    burst_bytes: Size = 0
    """What each link lets pass at once after idleness, as a shaper with a token bucket of this depth does."""
    grants_wait_for_data: bool = False
    """Messages from one node to another follow each other on one connection; the grant of a rendezvous waits on it for
    the data before it, so that exchanges of large messages run at full or half duplex as the times of the calls have
    it. Ranks see requests and grants in calls that wait or test."""
    requests_follow_messages: bool = False
    """The request of a rendezvous, and its grant, stand behind small messages that their node wrote before; needs
    `grants_wait_for_data` and `framing`."""
    send_buffer_bytes: Size = 0
    """A synchronous sender goes on when so much is left of its message. An eager one waits where what its connection has
    still to send would come to more than 1.5 times that. 0: a synchronous sender goes on when its receiver has confirmed
    the last byte, and an eager one at once. Needs `grants_wait_for_data`."""
    queue_bytes: Size = 0
    """Of a running flow, what stands in front of its node's link and delays small messages of other pairs; four times as
    much may stand behind the switch, where the way on is taken; needs `grants_wait_for_data`."""
    later_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Of messages that a node writes one after the other, the rate that the first bytes of each get of that of the one before
    it, as far as those before it leave room in the queue: 1 where they share the link evenly, less where what was written
    first is out first; needs `queue_bytes`."""
    ack_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Load of acknowledgements on the way back, per byte of data; needs `grants_wait_for_data`."""
    processors: Processors = Processors()
    """Processors that handle the messages of all nodes."""
    noise: Noise = Noise()
    """Randomness of a run."""
    timeouts: Timeouts = Timeouts()
    """Time-outs of crowded switches, drawn from the seed of the run; reports say when they acted."""
    first_message_s: Seconds = 0.0
    """What the first message between two ranks on different nodes takes more: their connection is made."""


class LogGPSSet(Table):
    """Parameters of LogGPS for one kind of path."""

    latency_s: Seconds
    """L."""
    overhead_s: Seconds
    """o: of a send and of a receive."""
    send_overhead_s_per_byte: CostPerByte = 0.0
    """O_s."""
    recv_overhead_s_per_byte: CostPerByte = 0.0
    """O_r."""
    gap_s_per_byte_short: CostPerByte = 0.0
    """g: time between bytes of a short message."""
    gap_s_per_byte: CostPerByte
    """G: time between bytes of a long message."""
    short_limit_bytes: Size = 0
    """s: messages below it are short."""
    sync_threshold_bytes: Size
    """S: longer messages wait for their receiver."""


class LogGPS(Table):
    """Parameters of the model `loggps`."""

    network: LogGPSSet
    """Between nodes."""
    memory: LogGPSSet
    """Inside a node."""


class Compute(Table):
    """What the processors of the cluster need for work that MPI itself does."""

    poll_cost_s: Annotated[Seconds, Field(gt=0)] = 1e-6
    """A test or probe that finds nothing takes so long: polling lets simulated time pass."""
    reduce_s_per_byte: CostPerByte = 0.0
    """gamma: combining operands in a reduction, for each byte of the result."""
    copy_s_per_byte: CostPerByte = 0.0
    """Copies inside a collective algorithm, for each byte."""
    nonblocking_collective_s: Seconds = 0.0
    """A rank that waits sees the end of a non-blocking collective so much later than that of a blocking one, in the library's
    own calls too, as where Open MPI agrees on the number of a new communicator."""
    spawn_cost_s: Seconds = 0.1
    """From the call of MPI_Comm_spawn until the new ranks begin: what the resource manager needs to start processes."""


class Storage(Table):
    """A parallel file system: equal servers, over which files are striped. All nodes reach all of it."""

    servers: Annotated[int, Field(gt=0)]
    """How many servers hold data."""
    stripe_bytes: Annotated[Size, Field(gt=0)] = 1 << 20
    """So many consecutive bytes of a file lie on one server, the next on the next one."""
    read_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of one server that only reads."""
    write_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of one server that only writes; both together reach the larger of the two."""
    latency_s: Seconds = 500e-6
    """What each access waits for before its data flow."""
    metadata_latency_s: Seconds = 1e-3
    """What opening, closing, deleting or resizing a file takes."""
    node_bandwidth_bytes_per_s: Rate = 0.0
    """What all ranks of a node reach together; 0: no bound."""


class Reason(Table):
    """Why a calibration is not good."""

    about: str
    """What it is about, in a word: `residual`, `host load`, ..."""
    grade: Literal["usable", "poor"]
    """How good a calibration can be at most with which this was found."""
    found: str
    """What was found."""
    cure: str
    """What to do about it."""


class Verdict(Table):
    """What `orrery calibrate` thinks of its own result."""

    grade: Grade
    """`good`: nothing stands against it; `usable`: what the reasons name is uncertain; `poor`: predictions would be wrong, and
    commands that would make them ask for `--force`."""
    reasons: list[Reason] = Field(default=[], alias="reason")
    """What stands against it, the worst first, one `[[calibration.verdict.reason]]` each."""


class Calibration(Table):
    """How `orrery calibrate` came to the values of the file; the simulation does not use it."""

    verdict: Verdict | None = None
    """How far the values can be trusted; none in files of versions that did not judge."""
    date: str
    """When it was measured."""
    host: str
    """From where."""
    mpi: str
    """What the MPI library says that it is."""
    command: str
    """Command line that started the measuring ranks."""
    mpicc: str
    """What compiled them."""
    nodes: Annotated[int, Field(gt=0)]
    """Nodes that were measured. With one there was no network to measure, and the platform has one node only."""
    ranks_per_node: Annotated[int, Field(gt=0)]
    """Ranks on each."""
    budget_s: Seconds
    """Time that the measurement was given."""
    seed: int
    """Of the sizes that were drawn."""
    samples: Annotated[int, Field(ge=0)]
    """Numbers that were measured."""
    clock_drift_s_per_s: Annotated[float, Field(ge=0)] = 0.0
    """The largest between two nodes."""
    unsteadiness: Annotated[float, Field(ge=0)] = 0.0
    """How much longer the same arithmetic took at times, relative: 0.03 at most on a quiet machine."""
    arithmetic_s: Seconds = 0.0
    """What a fixed piece of arithmetic took: whether processors were as fast as in another calibration."""
    interrupted_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Part of that arithmetic's repetitions which waited for their processor."""
    disjoint_slowdown: Annotated[float, Field(ge=0)] = 1.0
    """Time of large messages of many pairs at once, each on links of its own, over that of one alone."""
    frame_load: Annotated[float, Field(ge=0)] = 0.0
    """Part of shared processors that handling frames takes while all nodes send at the full rate."""
    first_message_s: Seconds = 0.0
    """What the first message of a pair of ranks takes more than later ones."""
    half_duplex_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Part of the exchanges of a pair by blocking calls that went one direction after the other."""
    overlap: list[list[float]] = []
    """For some sizes: bytes, and the part of a transfer that goes on without calls at its sender and at its receiver."""
    noise_quantiles: list[float] = []
    """Which quantiles `noise` gives."""
    intervals: dict[str, list[float]] = {}
    """Confidence intervals of 95 % by key of this file."""
    draws: dict[str, list[float]] = {}
    """Values that the same measurement could have given as well, by key; the n-th of all keys belong together."""
    noise: dict[str, list[float]] = {}
    """Quantiles of measured over fitted times by KIND.REGIME."""
    slowdown: dict[str, list[float]] = {}
    """Transfers at once over one alone, least, median and most, by CASE.TRANSFERS.BYTES."""


class Platform(Table):
    """A whole platform file."""

    name: str
    """Shown in reports."""
    description: str = ""
    """One sentence for `orrery platform list`."""
    source: str = ""
    """Where the parameters come from, and whether they were measured."""
    model: Model = "hybrid"
    """Network model, unless the command line says otherwise."""
    clusters: Annotated[list[Cluster], Field(min_length=1)] = Field(alias="cluster")
    """Clusters, one `[[cluster]]` each."""
    wan: list[Wan] = []
    """Wide-area links, one `[[wan]]` each."""
    hybrid: Hybrid | None = None
    """Parameters of the model `hybrid`."""
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
