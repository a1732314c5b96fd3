"""
Orrery's core: platforms, network models, collective algorithms and runs of live programs.
"""

from collections.abc import Callable, Mapping, Sequence
import enum
from typing import Annotated, Any, overload


class Technique(enum.Enum):
    """How a connection between clusters is made."""

    DIRECT = 0
    """To a node that accepts it."""

    REVERSE = 1
    """The other way round."""

    TRAVERSING = 2
    """Both nodes connect at the same time."""

    RELAY = 3
    """Both nodes connect to a frontal, which passes everything on."""

class Connection:
    """What it takes to make a connection between clusters."""

    @property
    def technique(self) -> Technique: ...

    @property
    def asks_s(self) -> float:
        """Until the question is at the broker."""

    @property
    def then_s(self) -> float:
        """From its answer until the sender can send."""

    @property
    def relay(self) -> int | None:
        """Index of the cluster whose frontal relays; None: none does."""

class Host:
    @property
    def name(self) -> str: ...

    @property
    def cores(self) -> int: ...

    @property
    def sockets(self) -> int: ...

    @property
    def speed(self) -> float:
        """Relative to the host that runs the simulation."""

class LinkKind(enum.Enum):
    """Position of a link in the cluster."""

    NODE_UP = 0
    """From a node to its switch."""

    NODE_DOWN = 1
    """From the switch to a node."""

    NODE_LIMITER = 2
    """All flows from and to a node."""

    MEMORY = 3
    """Between ranks of one node, or of one socket of it."""

    SOCKETS = 4
    """Between the sockets of a node."""

    CABINET_UP = 5
    """From a cabinet's switch to the cluster's backbone."""

    CABINET_DOWN = 6
    """From the backbone to the switch of a cabinet."""

    CABINET_LIMITER = 7
    """All flows from and to a cabinet."""

    BACKBONE = 8
    """A cluster's core switch."""

    FABRIC = 9
    """
    Between switches of a fat-tree, torus or dragonfly; any link of a graph.
    """

    WAN = 10
    """Between two clusters, one direction."""

    WAN_LIMITER = 11
    """Between two clusters, both directions together."""

    FRONTAL_IN = 12
    """From the gateway of a cluster to its frontal."""

    FRONTAL_OUT = 13
    """From the frontal to the gateway."""

    RELAY = 14
    """All that a frontal relays."""

class Link:
    @property
    def name(self) -> str: ...

    @property
    def bandwidth_bytes_per_s(self) -> float: ...

    @property
    def latency_s(self) -> float: ...

    @property
    def shared(self) -> bool:
        """False: every flow may use the whole bandwidth."""

    @property
    def kind(self) -> LinkKind: ...

    @property
    def source(self) -> int | None:
        """
        Number of the host or switch where it begins; None for limiters, and in graphs.
        """

    @property
    def target(self) -> int | None: ...

class Route:
    """Ordered links between two hosts."""

    @property
    def links(self) -> list[int]:
        """Positions in `Platform.links`."""

    @property
    def latency_s(self) -> float: ...

    @property
    def bandwidth_bytes_per_s(self) -> float: ...

class Platform:
    """The simulated hardware. Immutable."""

    def __init__(self, values: dict[str, object]) -> None:
        """
        From the values of a platform file: name, clusters, wide-area links, broker.
        """

    @property
    def name(self) -> str: ...

    @property
    def hosts(self) -> list[Host]: ...

    @property
    def links(self) -> list[Link]: ...

    def link(self, number: int) -> Link:
        """By its position in `links`, without the others."""

    def route(self, source: int, target: int) -> Route:
        """
        Between two positions in `hosts`, or places; of a host to itself its memory link.
        """

    def place(self, host: int, socket: int) -> int:
        """A number that stands for a socket of a host wherever ranks are placed."""

    def connection(self, source: int, target: int) -> Connection | None:
        """
        How the first message makes it; None: in one cluster, or without a broker.
        """

    def cluster_of(self, host: int) -> int: ...

    def cabinet_of(self, host: int) -> int: ...

    @property
    def link_count(self) -> int: ...

    @property
    def cabinet_count(self) -> int:
        """Leaves of fat-trees and groups of dragonflies included."""

    @property
    def longest_route(self) -> int:
        """In links; no route has more."""

    @property
    def switch_count(self) -> int: ...

    def vertex_name(self, vertex: int) -> str:
        """Name of a host, or of a switch: these are numbered after the hosts."""

class Network:
    """
    Parameters of the model `hybrid`: regimes of message sizes, over links that flows share.
    """

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

class LogGPS:
    """
    Parameters of the model `loggps`: one port for each node and direction, no topology, no contention.
    """

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

class Transport:
    """
    What TCP adds to messages between nodes. Each part acts only where it is given.
    """

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

class Node:
    """What nodes add to messages. Each part acts only where it is given."""

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

class Storage:
    """
    A parallel file system that all nodes reach: files are striped over equal servers.
    """

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

class Launch:
    """
    How the processes of a job are started, and what they do in MPI_Init. A process manager as Hydra is assumed: mpiexec on the node of rank 0, and on each node a proxy, which starts the ranks of the node and exchanges their addresses.
    """

    def __init__(self, values: dict[str, object]) -> None:
        """From the values of its keys."""

SHARING_ERROR: float = 1e-07

EXACT_SHARING: float = 1e-10

class Hybrid:
    """The network model `hybrid`, and its layers."""

    def __init__(self, network: Network, *, transport: Transport = ..., node: Node = ..., seed: int = 0, sharing_error: float = 1e-07) -> None:
        """
        The seed is that of all noise; the error, relative to a message, is that with which links are shared.
        """

class Fluid:
    """Latency and bandwidth only, with contention."""

    def __init__(self, network: Network = ..., *, sharing_error: float = 1e-07) -> None:
        """
        Fluid model; of the settings of `Hybrid`, protocols and frames act, and the error of sharing.
        """

class Algorithm:
    """A collective algorithm and what must hold for it to be used."""

    @property
    def collective(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def power_of_two_only(self) -> bool: ...

    @property
    def commutative_only(self) -> bool: ...

    @property
    def even_only(self) -> bool: ...

    @property
    def segments(self) -> bool:
        """Obeys a segment size."""

    @property
    def fans_out(self) -> bool:
        """Obeys a fan-out: chains, the radix of a tree, or requests at a time."""

    @property
    def defined_in(self) -> str:
        """The collective in whose namespace its function is."""

    @property
    def openmpi(self) -> str:
        """Its name in Open MPI's component `tuned`; empty: it is not there."""

    @property
    def libnbc(self) -> str:
        """Its name in the component `libnbc`, for calls that do not block."""

    @property
    def mpich(self) -> str:
        """Its names in MPICH for blocking calls, separated by blanks."""

    @property
    def mpich_immediate(self) -> str:
        """Its names in MPICH for immediate calls."""

    @property
    def between_groups(self) -> bool:
        """For inter-communicators, and no others."""

    @property
    def source(self) -> str: ...

def algorithms() -> list[Algorithm]:
    """All collective algorithms, sorted by collective."""

class DynamicRules:
    """Rules of Open MPI's for communicators of some sizes."""

    def __init__(self, collective: str, size_from: int, size_to: int, rules: Sequence[tuple[int, int, str, int, int]], ranks: str = 'any') -> None:
        """
        `rules`, the first that fits decides: bytes from, bytes to (both included), algorithm by Open MPI's name
        (empty: the library decides), segment size, fan-out; `ranks`: "any", "one-per-node" or "single-node".
        """

class MpichRules:
    """
    What a tuning file of MPICH's says (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE).
    """

    def __init__(self, json: str) -> None:
        """
        Raises InputError naming the line that is wrong and what would be right.
        """

def mpich_tree(release: str, of_device: bool) -> str:
    """
    The tree of conditions by which a release of MPICH chooses, as it is built in: lines "condition" or
    "condition: algorithm setting=value ...", one level deeper per two blanks, collectives on top, names of
    algorithms without what is before "intra", "inter" or "allcomm". `of_device`: that of compositions, which
    comes first. Raises InputError naming the releases that are here.
    """

class NamedRule:
    """A rule of ours: which algorithm blocking calls of some sizes use."""

    def __init__(self, collective: str, *, ranks: tuple[int, int], bytes: tuple[int, int], algorithm: str) -> None:
        """
        `ranks`, `bytes`: from and to, both included; bytes as `CollectiveCall` has them; `algorithm`: as `fixed` of a
        selector takes it; empty: the library decides. Raises InputError for what there is not.
        """

class Selector:
    """Says which algorithm a collective call uses."""

    def __init__(self, name: str = 'default', fixed: str = '', rules: Sequence[DynamicRules] = [], mpich: MpichRules | None = None, named: Sequence[NamedRule] = []) -> None:
        """
        `fixed` overrules per collective: "allreduce=ring,bcast=binomial:segment=32KiB"; then come `named`, of which
        the first that fits decides, `rules`, and `mpich`.
        """

    @property
    def name(self) -> str: ...

    @property
    def fixed(self) -> list[str]:
        """Collectives that `fixed` names an algorithm for."""

    @property
    def ruled(self) -> list[str]:
        """Collectives that the user's rules say something about."""

    def choose(self, call: CollectiveCall) -> Choice:
        """Other threads run meanwhile."""

class Places:
    """Which ranks of a communicator are near each other."""

    def __init__(self, platform: Platform, host_of_rank: Sequence[int]) -> None: ...

    @staticmethod
    def of_nodes(node_of_rank: Sequence[int]) -> Places:
        """Where only the nodes are known, by any numbers."""

class CollectiveCall:
    """A call as all ranks of a communicator make it together."""

    def __init__(self, collective: str, *, size: int, bytes: int, root: int = 0, element: int = 1, immediate: bool = False, places: Places | None = None, commutative: bool = True, built_in: bool = True, in_place: bool = False, extent: int = 0) -> None:
        """
        `size`: ranks; `bytes`: of the vector, or of every block; `element`: bytes of what is not cut; `immediate`: a
        non-blocking call; `places`: hierarchical algorithms need them; `commutative`, `built_in`: the operation of a
        reduction; `in_place`: of an alltoall(v, w); `extent`: bytes from one element to the next, 0: as `element`.
        """

    @property
    def size(self) -> int:
        """Ranks."""

class Choice:
    """An algorithm and its parameters."""

    @property
    def algorithm(self) -> str: ...

    @property
    def segments(self) -> bool:
        """Obeys a segment size."""

    @property
    def segment_bytes(self) -> int:
        """0: not segmented."""

    @property
    def name(self) -> str:
        """The algorithm with its parameters, as `fixed` of a selector takes it."""

    @property
    def instead_of(self) -> str:
        """
        An algorithm that was asked for and does not serve the call; empty: what was asked for does.
        """

    @property
    def why(self) -> str:
        """Why it does not."""

    @property
    def ruled(self) -> bool:
        """Whether a rule of the user's decided."""

    def with_segment(self, bytes: int) -> Choice: ...

def accepting_choices(call: CollectiveCall) -> list[Choice]:
    """
    All algorithms that serve the call, without segments; among them such as leave it to another one.
    """

def served_choice(call: CollectiveCall, choice: Choice) -> Choice:
    """
    The choice under the name of the algorithm whose messages it sends: that to which the chosen one leaves the call.
    """

def named_choice(call: CollectiveCall, algorithm: str, segment: int = 0, fanout: int = 0) -> Choice:
    """
    An algorithm named by the user, by Orrery's name or Open MPI's. Where it does not serve the call, the one that
    Open MPI runs instead.
    """

def estimated_messages(call: CollectiveCall, choice: Choice) -> int:
    """How many messages the call sends, about."""

def selectors() -> list[str]:
    """Names of all selectors."""

def collective_messages(call: CollectiveCall, choice: Choice) -> list[tuple[int, int, int, int]]:
    """(source, number among the messages of its source, destination, bytes)"""

class Stop:
    """
    Ends simulations under way, from another thread: they raise KeyboardInterrupt.
    """

    def __init__(self) -> None: ...

    def set(self) -> None: ...

class CallCost:
    """What one call of a collective costs."""

    @property
    def time_s(self) -> float:
        """
        From the call, which all ranks make at one moment, until the last of them goes on.
        """

    @property
    def messages(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def events(self) -> int:
        """Processed by the clock."""

    @property
    def stalled(self) -> int:
        """Messages that waited for a time-out of a crowded switch."""

def best_selector(platform: Platform, model: Hybrid | LogGPS | Fluid, *, host_of_rank: Sequence[int], reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, nonblocking_collective_s: float = 0.0, otherwise: Selector, stop: Stop | None = None) -> Selector:
    """
    Takes the algorithm that is the cheapest in simulation, simulated when it is first asked for.
    """

def simulate_call(platform: Platform, model: Hybrid | LogGPS | Fluid, call: CollectiveCall, choice: Choice, *, host_of_rank: Sequence[int], reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, nonblocking_collective_s: float = 0.0, stop: Stop | None = None) -> CallCost:
    """
    Simulates one call without a program; other threads run meanwhile. `host_of_rank`: positions in
    `platform.hosts`.
    """

def simulate_timed_calls(platform: Platform, model: Hybrid | LogGPS | Fluid, call: CollectiveCall, selector: Selector, repetitions: int, *, host_of_rank: Sequence[int], reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, nonblocking_collective_s: float = 0.0, mean: bool = False, stop: Stop | None = None) -> list[float]:
    """
    Calls with a barrier before each: for each repetition the longest time, in seconds, that a rank spends in it;
    `mean`: the mean time over the ranks.
    """

def simulate_loop(platform: Platform, model: Hybrid | LogGPS | Fluid, selector: Selector, bodies: Sequence[Sequence[tuple[str, int, int, int]]], turns: int, *, host_of_rank: Sequence[int], reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, stop: Stop | None = None) -> list[float]:
    """
    A loop of a benchmark: for each turn the seconds that rank 0 takes. `bodies`: for each rank its steps, (what, peer
    or root, bytes, bytes of an element); what: send, recv, isend, irecv, waitall, or a collective.
    """

class LinkLoad:
    """
    Bytes on the wire that each link carried in each bucket of simulated time.
    """

    @property
    def bucket_ns(self) -> int:
        """Length of a bucket."""

    @property
    def buckets(self) -> int:
        """From time 0 to the end of the run, in the last one."""

    @property
    def numbers(self) -> bytes:
        """Positions in `Platform.links` (u32) of those that carried something."""

    @property
    def carried(self) -> bytes:
        """By link, then bucket (f64)."""

class Profile:
    """Time per rank, phase and routine: columns of equal length."""

    def __len__(self) -> int: ...

    @property
    def rank(self) -> Annotated[memoryview, dict(dtype='uint32', shape=(None,))]: ...

    @property
    def phase(self) -> Annotated[memoryview, dict(dtype='uint32', shape=(None,))]:
        """0: outside of any."""

    @property
    def routine(self) -> Annotated[memoryview, dict(dtype='uint32', shape=(None,))]:
        """Positions in `routine_names()`; 0: the application itself."""

    @property
    def calls(self) -> Annotated[memoryview, dict(dtype='uint64', shape=(None,))]: ...

    @property
    def time_s(self) -> Annotated[memoryview, dict(dtype='float64', shape=(None,))]:
        """Simulated."""

    @property
    def messages(self) -> Annotated[memoryview, dict(dtype='uint64', shape=(None,))]:
        """Sent."""

    @property
    def bytes(self) -> Annotated[memoryview, dict(dtype='int64', shape=(None,))]:
        """Sent."""

class AlgorithmUse:
    """Collective calls of one routine that one algorithm served."""

    @property
    def routine(self) -> int:
        """Position in `routine_names()`."""

    @property
    def collective(self) -> str: ...

    @property
    def algorithm(self) -> str:
        """With its parameters, as `fixed` of a selector takes it."""

    @property
    def calls(self) -> int:
        """Number of calls of single ranks."""

    @property
    def ruled(self) -> int:
        """Number of these about which rules of the user decided."""

    @property
    def instead_of(self) -> str:
        """
        An algorithm that was asked for and did not serve these calls; empty: what was asked for did.
        """

    @property
    def why(self) -> str:
        """Why it did not."""

    @property
    def asked_by(self) -> str:
        """Who asked for it: "fixed", "rules" or "trace"."""

    @property
    def messages(self) -> int:
        """Sent."""

    @property
    def bytes(self) -> int:
        """Sent."""

class AlgorithmUses:
    """Algorithms of collective calls that become messages, counted."""

    def __init__(self) -> None: ...

    def sorted(self) -> list[AlgorithmUse]:
        """By routine, then by algorithm."""

class Progress:
    """How far a run is."""

    @property
    def now_s(self) -> float:
        """Simulated time."""

    @property
    def messages(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def ranks_alive(self) -> int: ...

class Simulated:
    """A run, live or replayed. Results are there once it has ended."""

    def progress(self) -> Progress: ...

    def algorithm_use(self) -> list[AlgorithmUse]:
        """Which algorithms served collective calls; by routine."""

    def profile(self) -> Profile:
        """
        Calls that only look at what a rank knows take no simulated time, but are counted.
        """

    @property
    def simulated_s(self) -> float: ...

    @property
    def end_of_ranks_s(self) -> list[float]:
        """Simulated time at which each rank finalised."""

    @property
    def launched_s(self) -> float:
        """
        Simulated time at which the last of the ranks that are there from the start left MPI_Init.
        """

    @property
    def messages_sent(self) -> int: ...

    @property
    def bytes_sent(self) -> int: ...

    @property
    def file_accesses(self) -> int: ...

    @property
    def file_bytes_read(self) -> int: ...

    @property
    def file_bytes_written(self) -> int: ...

    @property
    def events(self) -> int:
        """Processed by the clock."""

    @property
    def stalled(self) -> int:
        """Messages that waited for a time-out of a crowded switch."""

    @property
    def stalled_s(self) -> float: ...

    @property
    def connections(self) -> list[int]:
        """
        Connections between clusters that were made, by number of their technique.
        """

    @property
    def connecting_s(self) -> float:
        """
        Sum of the times by which messages were later as a connection between clusters was made.
        """

    @property
    def relayed_messages(self) -> int: ...

    @property
    def relayed_bytes(self) -> int: ...

    @property
    def unreceived(self) -> tuple[int, int, int, int]:
        """
        Messages that were sent and not received: how many, bytes; source and destination of one of them.
        """

    @property
    def outside_waits(self) -> int:
        """
        How often a rank waited for something outside of the simulation, so that the others went on without it.
        """

    @property
    def bytes_per_idle_rank(self) -> int: ...

    def stop(self) -> None:
        """From any thread: ends the run."""

    def record_links(self) -> bool:
        """
        Before the run: keeps what each link carries. False: the network model has no links.
        """

    def link_load(self) -> LinkLoad | None:
        """
        After the run; None: it was not asked for, or the network model has no links.
        """

class Start(enum.Enum):
    """How ranks become processes."""

    FORK = 0
    """The program starts once and forks its ranks in MPI_Init."""

    EXEC = 1
    """Every rank is started afresh."""

    AUTO = 2
    """
    As FORK; if the program has done something by then that each rank should do by itself, as EXEC.
    """

class End(enum.Enum):
    """How a run ended."""

    COMPLETED = 0
    """Every rank finalised and ended with status 0."""

    EXIT_STATUS = 1
    """Every rank finalised, but one ended with another status."""

    CRASHED = 2
    """A rank was killed by a signal."""

    LEFT_EARLY = 3
    """A rank ended without MPI_Finalize."""

    ABORTED = 4
    """MPI_Abort, or an MPI error that is fatal."""

    DEADLOCKED = 5
    """No rank could go on."""

    NOT_MPI = 6
    """The program ended without MPI_Init."""

    NOT_STARTED = 7
    """The program could not be started."""

    INTERRUPTED = 8
    """Stopped from outside."""

    BAD_STREAM = 9
    """A rank asked for what MPI does not allow."""

class Outcome:
    """How a run ended, and to whom it happened."""

    @property
    def end(self) -> End: ...

    @property
    def exit_code(self) -> int:
        """
        For the shell: 0, the rank's own, 128 + signal, 130 for Ctrl-C, else 1.
        """

    @property
    def rank(self) -> int | None:
        """Whom it happened to, if to one."""

    @property
    def signal(self) -> int | None: ...

    @property
    def routine(self) -> str:
        """
        MPI routine that the rank was in or had left last; empty before the first.
        """

    @property
    def in_routine(self) -> bool:
        """It was inside."""

    @property
    def text(self) -> str:
        """The cause in one line."""

    @property
    def deadlock(self) -> str | None:
        """Report of who waits for whom."""

    @property
    def afresh(self) -> bool:
        """Start.AUTO: ranks were started afresh."""

    @property
    def shared_by_fork(self) -> str:
        """
        What forked ranks share, or would, in words after "the program has"; empty: nothing that is known of.
        """

    @property
    def trace_error(self) -> str:
        """Why the trace is not complete; empty if it is."""

    @property
    def wall_s(self) -> float: ...

    @property
    def peak_rss_bytes(self) -> int:
        """
        Largest sum of the ranks' proportional set sizes seen, a few times a second; above 64 ranks estimated from
        16. 0: the run was too short to see one.
        """

class HeapPlace:
    """
    A place in the program that asked for large blocks of the heap, in one rank.
    """

    @property
    def file(self) -> str:
        """File of the machine code."""

    @property
    def offset(self) -> int:
        """Into it, bytes."""

    @property
    def blocks(self) -> int: ...

    @property
    def words(self) -> int:
        """Looked at that are not 0."""

    @property
    def suspected(self) -> int:
        """Number of these that are no floating-point numbers."""

class Folding:
    """Memory that ranks share instead of having it."""

    @property
    def asked_bytes(self) -> int:
        """By all ranks, most at once."""

    @property
    def held_bytes(self) -> int:
        """What stands for it."""

    @property
    def places(self) -> list[HeapPlace]:
        """By file and offset."""

class SampledBlock:
    """A block that the program sampled; in seconds of this host's processor."""

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def together(self) -> bool:
        """All ranks sampled it together."""

    @property
    def executed(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def mean_s(self) -> float:
        """Mean of the executions."""

    @property
    def half_width_s(self) -> float:
        """Half-width of the interval of this mean, at 95 %."""

class Sampling:
    """What a run skipped, and how far its time may be off because of it."""

    @property
    def blocks(self) -> list[SampledBlock]:
        """By file and line."""

    @property
    def shorter(self) -> float:
        """Part of the simulated time."""

    @property
    def longer(self) -> float:
        """Part of the simulated time."""

    @property
    def in_all_s(self) -> float:
        """Simulated seconds: by no more in either direction."""

class ChargedComputation:
    """
    What became of measured computation, in seconds of this host, all ranks together.
    """

    @property
    def is_steady(self) -> bool:
        """
        Whether it was charged so; otherwise it was charged as measured, and this would have become of it.
        """

    @property
    def regions(self) -> int:
        """That ranks came through."""

    @property
    def repeated(self) -> int:
        """Number of these that a rank came through more than once."""

    @property
    def samples(self) -> int:
        """Number of samples of regions."""

    @property
    def with_instructions(self) -> int:
        """Samples whose instructions were counted."""

    @property
    def other_s(self) -> float:
        """That belongs to no region, and is charged as it is."""

    @property
    def measured_s(self) -> float:
        """Measured seconds of regions."""

    @property
    def charged_s(self) -> float:
        """For it."""

    @property
    def repeated_s(self) -> float:
        """Measured seconds of regions that the rank had come through before."""

    @property
    def moved_s(self) -> float:
        """By how much each sample was charged more or less than it was measured."""

    @property
    def removed_s(self) -> float:
        """Seconds of outliers that nothing has confirmed, charged to nobody."""

    @property
    def cold_s(self) -> float:
        """
        That went into filling caches that other ranks had used, and is charged to nobody.
        """

    @property
    def outliers(self) -> int: ...

class Run(Simulated):
    """One run of a program on a platform."""

    def __init__(self, platform: Platform, model: Hybrid | LogGPS | Fluid, selector: Selector, *, command: Sequence[str], environment: Sequence[str], directory: str = '', host_of_rank: Sequence[int], compute_factor: Sequence[float] = [], start: Start = Start.AUTO, label: bool = False, no_data: bool = False, fold_from_bytes: int = 0, execute_all: bool = False, measure_compute: bool = True, compute_scale: float = 1.0, simulated_clock: bool = True, buffered_limit_bytes: int = 0, storage: Storage | None = None, launch: Launch | None = None, poll_cost_s: float = 1e-06, reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, nonblocking_collective_s: float = 0.0, ranks: int = 0, spawn_cost_s: float = 0.1, steady: bool = False, trace: str = '', trace_properties: Sequence[tuple[str, str]] = [], programs: Sequence[tuple[Sequence[str], Sequence[str], str, int]] = []) -> None:
        """
        `environment`: "NAME=value", complete. `host_of_rank`: positions in `platform.hosts`, of `ranks` ranks
        (0: of all) and of those that the program may start later. `compute_factor`, per rank: simulated seconds per
        second measured here; empty: from the speeds of the hosts. `steady`: computation that repeats is charged without what disturbed its measurement.
        `trace`: file that the run is recorded in; empty: none.
        `programs`: command, environment, directory and ranks of each, where there are several; then with Start.EXEC.
        """

    def run(self, output: Callable[[int, bool, bytes], object] | None = None) -> Outcome:
        """
        Runs to the end. `output(rank, error_stream, text)` gets whole lines, from another thread; rank -1: not
        labelled. Ctrl-C ends the run with End.INTERRUPTED.
        """

    def signal(self, number: int) -> int:
        """
        Passes a signal that came for the run on to its ranks, from any thread; SIGINT, SIGTERM and SIGHUP only to those
        that have a handler. Gives how many processes got it.
        """

    def sampling(self) -> Sampling:
        """What the program sampled and skipped."""

    def memory_waits(self) -> tuple[int, float]:
        """
        How many ranks may have waited for others by reading memory in a loop, and for how many seconds of this host's
        processors others went on meanwhile.
        """

    def folding(self) -> Folding:
        """Memory that ranks share."""

    def computation(self) -> ChargedComputation:
        """What became of the computation that was measured."""

def launcher_variables() -> list[tuple[str, str]]:
    """
    Environment variables by which a rank's program finds out its place, as launchers of other MPI libraries set them: the first part of each name, which tells the library, and the rest.
    """

def routine_names() -> list[str]:
    """
    Names of MPI routines, by the numbers of profiles; 0: the application itself.
    """

class TraceFile:
    """A trace of Orrery's format, opened for reading."""

    def __init__(self, path: str) -> None: ...

    @property
    def ranks(self) -> int:
        """At the start of the run."""

    @property
    def streams(self) -> int:
        """Ranks, those that were started later included."""

    @property
    def records(self) -> int:
        """Operations and answers of all ranks."""

    @property
    def size(self) -> int:
        """Bytes."""

    @property
    def version(self) -> int: ...

    @property
    def properties(self) -> list[tuple[str, str]]:
        """Where the trace comes from: pairs of key and value."""

    @property
    def damage(self) -> list[str]:
        """What is wrong with the file; empty: it is whole."""

    def damaged_blocks(self) -> list[tuple[int, int]]:
        """
        Pairs of a rank and the byte of the file at which its first damaged block begins; reads all blocks.
        """

    @property
    def cut_off(self) -> list[int]:
        """Ranks of whose streams the end is not there."""

    @property
    def communicators(self) -> list[tuple[int, int]]:
        """Pairs of number and size, but for MPI_COMM_WORLD."""

    def members(self, comm: int) -> tuple[list[int], int]:
        """
        World ranks of the members of a communicator, those of two groups one behind the other, and how many the first group
        has; 0: there is only one.
        """

    @property
    def routines(self) -> dict[int, str]:
        """Names by number."""

    @property
    def algorithms(self) -> dict[int, str]:
        """Names of those of collectives that ran, by number."""

    @property
    def sites(self) -> dict[int, str]:
        """
        Call sites by number: "file:line function", or "module+0xoffset"; of call paths the outermost first, with " => "
        between.
        """

    def local_calls(self, rank: int) -> list[tuple[int, int, int, int]]:
        """
        Calls that are no operations: phase, routine, how many, ns in all of them. Without calls: what MPI_Init took before
        the start of the run, or MPI_Finalize behind its end.
        """

    @property
    def hosts(self) -> dict[int, str]:
        """Where ranks ran, by rank; empty: not known."""

class MergedTrace:
    """What came of putting a run's trace together."""

    @property
    def missing(self) -> list[int]:
        """Ranks without a file."""

    @property
    def cut_off(self) -> list[int]:
        """Ranks whose streams have no end."""

    @property
    def damage(self) -> list[str]:
        """What could not be read, a sentence each."""

    @property
    def operations(self) -> int: ...

def merge_traces(parts: Sequence[str], path: str, properties: Sequence[tuple[str, str]], sites: Mapping[str, str] = {}) -> MergedTrace:
    """
    Traces of single ranks, as the capture library writes them, become the trace of a run. `sites`: what is written for
    call sites, by what the parts have for them.
    """

def recover_trace(path: str, rest: str) -> bool:
    """
    Appends to the trace of a rank that was killed what it kept in its other file; whether there was anything.
    """

def choices_in(path: str) -> int:
    """
    How many operations of a trace ask what came first: receives of any source, tests, probes.
    """

class TraceUsage:
    """Who called what how often and for how long, who sent how much to whom."""

    @overload
    def __init__(self, path: str) -> None: ...

    @overload
    def __init__(self, file: TraceFile) -> None: ...

    @property
    def calls(self) -> list[tuple[int, int, int, int, float, int, int]]:
        """Rank, phase, routine, calls, seconds, messages, bytes."""

    @property
    def sites(self) -> list[tuple[int, int, int, int, float, float, float, int, int]]:
        """
        Site, routine, ranks that called from there, calls, seconds, of the shortest call, of the longest, messages, bytes.
        """

    @property
    def local(self) -> list[int]:
        """
        Routines whose calls are counted beside the operations, such as MPI_Comm_rank.
        """

    @property
    def edges(self) -> list[tuple[int, int, int, int]]:
        """From, to, messages, bytes."""

    @property
    def sizes(self) -> list[tuple[int, int, int, int]]:
        """
        Routine, power of two that is the upper end of the sizes (-1: no bytes), how many, bytes.
        """

    @property
    def comms(self) -> list[tuple[int, int, int, int, int, int]]:
        """
        Communicator, size, messages, their bytes, collective calls of all ranks, their bytes.
        """

    @property
    def ranks(self) -> list[tuple[int, float, float, float, int, int, int, bool]]:
        """
        Rank, seconds in all, in MPI, of computation (processor time), calls, messages, bytes, whether cut off.
        """

class Source:
    """What can be replayed, once."""

    @property
    def ranks(self) -> int: ...

    @property
    def capacity(self) -> int:
        """Ranks, those that are started later included."""

    @property
    def cautions(self) -> list[str]:
        """What whoever reads the result should know, a sentence each."""

def open_trace(path: str, *, recorded_matches: bool = False, recorded_algorithms: bool = False, but_for: str = '', bytes_factor: float = 1.0) -> Source:
    """
    A trace of Orrery's format. `recorded_matches`: receives of any source take what they took then.
    `recorded_algorithms`: collectives run as they did then, but for those that are fixed in `but_for`.
    """

def open_ti(paths: Sequence[str], *, flops_per_s: float = 1000000000.0, bytes_factor: float = 1.0) -> Source:
    """
    A time-independent trace of SimGrid's: one file per rank, by rank, or one of all ranks.
    """

class ReplayEnd(enum.Enum):
    """How a replay ended."""

    COMPLETED = 0
    """All streams came to their ends."""

    DEADLOCKED = 1
    """No rank could go on."""

    INTERRUPTED = 2
    """Stopped from outside."""

class Replay(Simulated):
    """One simulation of sources, as jobs on one platform."""

    def __init__(self, platform: Platform, model: Hybrid | LogGPS | Fluid, selector: Selector, *, sources: Sequence[Source], start_s: Sequence[float] = [], host_of_rank: Sequence[int], compute_factor: Sequence[float], storage: Storage | None = None, launch: Launch | None = None, poll_cost_s: float = 1e-06, reduce_s_per_byte: float = 0.0, copy_s_per_byte: float = 0.0, nonblocking_collective_s: float = 0.0, spawn_cost_s: float = 0.1, steady: bool = False, trace: str = '', trace_properties: Sequence[tuple[str, str]] = [], count_edges: bool = False) -> None:
        """
        Takes the sources. `start_s`, per source: when it begins. `host_of_rank`: positions in `platform.hosts`, of all
        ranks of the first source, then of the second. `compute_factor`, per rank: simulated seconds per recorded one. `steady`: recorded computation that repeats is charged without what disturbed its measurement. `trace`: file
        that the replay is recorded in; empty: none. `count_edges`: who sends how much to whom.
        """

    def run(self) -> ReplayEnd:
        """
        To the end, or until Ctrl-C or `stop`. Raises InputError when a source is not what MPI allows.
        """

    @property
    def edges(self) -> list[tuple[int, int, int, int]]:
        """
        From, to, messages, bytes of what ranks sent each other; empty unless it was to be counted.
        """

    def computation(self) -> ChargedComputation:
        """What became of the computation that was recorded."""

    @property
    def deadlock(self) -> str | None:
        """Report of who waits for whom."""

    @property
    def first_ranks(self) -> list[int]:
        """First rank of each source."""

    @property
    def cut_off(self) -> int:
        """Ranks whose streams ended because their file did."""

    @property
    def operations(self) -> int:
        """Number of operations of the sources so far, roughly."""

    @property
    def operations_expected(self) -> int:
        """In all; 0: not known."""

    @property
    def trace_error(self) -> str:
        """Why the trace is not complete; empty if it is."""

    @property
    def wall_s(self) -> float:
        """Time that it took here."""

class WorkloadPhase:
    """
    What all ranks of a synthetic workload do, before they do the next thing.
    """

    @property
    def repeat(self) -> int: ...

    @repeat.setter
    def repeat(self, arg: int, /) -> None: ...

    @property
    def compute_s(self) -> float:
        """Computation of every rank before each repetition."""

    @compute_s.setter
    def compute_s(self, arg: float, /) -> None: ...

    @property
    def imbalance(self) -> float:
        """Computation varies from (1 - imbalance) to (1 + imbalance) times that."""

    @imbalance.setter
    def imbalance(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of these variations."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @staticmethod
    def compute() -> WorkloadPhase: ...

    @staticmethod
    def halo(grid: Sequence[int], bytes: Sequence[int], periodic: bool) -> WorkloadPhase:
        """`bytes`: of a message, by dimension."""

    @staticmethod
    def wavefront(grid: Sequence[int], bytes: Sequence[int], planes: int, sweeps: int, compute_s: float) -> WorkloadPhase:
        """`compute_s`: of a plane on a rank."""

    @staticmethod
    def master_worker(tasks: int, task_bytes: int, result_bytes: int, compute_s: float, imbalance: float, seed: int) -> WorkloadPhase:
        """`compute_s`: mean of a task."""

    @staticmethod
    def collective(kind: str, bytes: int, element: int, root: int) -> WorkloadPhase: ...

    @staticmethod
    def random(messages: int, least_bytes: int, most_bytes: int, seed: int) -> WorkloadPhase: ...

def open_workload(phases: Sequence[WorkloadPhase], *, ranks: int, steps: int = 1, bytes_factor: float = 1.0) -> Source:
    """A synthetic workload: the phases one after the other, `steps` times."""

def write_goal(source: Source, steady: bool, selector: Selector, uses: AlgorithmUses, path: str, *, text: bool = True, lossy: bool = False) -> dict[str, tuple[str, int]]:
    """
    Writes a source as a GOAL schedule, computation as measured or `steady` (less its noise), collectives as the messages of their algorithms, which `uses` counts. What was left out: why, and how often.
    """

def open_goal(path: str) -> Source:
    """A GOAL schedule, text or binary, for any network model."""

class LogGOPSRun:
    """What a schedule takes under the LogGOPS model."""

    @property
    def end_ns(self) -> list[int]:
        """By rank."""

    @property
    def events(self) -> int:
        """Operations and messages."""

    @property
    def complete(self) -> bool:
        """Everything was done."""

    def text(self) -> str:
        """For people."""

    def to_json(self) -> str:
        """All of it."""

def run_loggops(schedule: str, parameters: str = '') -> LogGOPSRun:
    """
    Runs a GOAL schedule under the LogGOPS model, as LogGOPSim does. `parameters`: such as "L=2500,o=1500".
    Raises InputError for a schedule or parameters that are none, and KeyboardInterrupt for Ctrl-C.
    """

class TraceReader:
    """
    The stream of one rank of a trace, record after record. `steady`: computation less its noise.
    """

    def __init__(self, file: TraceFile, rank: int, steady: bool = False) -> None: ...

    def read(self, most: int) -> list[tuple[Any, ...]]:
        """
        The next records, at most so many; none: the stream is over. Operations are tuples of kind, routine, flags,
        mode, collective, peer, tag, comm, request, compute_s, bytes, element, extent, requests, counts, begin_ns, end_ns,
        algorithm that ran, call site; answers are tuples of flag, source, tag, sequence, bytes, thread, completed.
        """

    @property
    def cut_off(self) -> bool:
        """Once it is over."""

def collective_steps(file: TraceFile, rank: int, selector: Selector, collective: str, comm: int, root: int, bytes: int, element: int, flags: int, counts: Sequence[int], routine: int, uses: AlgorithmUses) -> list[tuple[int, bool, int, int, int, int, list[int]]]:
    """
    What a rank does in a collective call on a communicator of the trace, by the algorithm that `selector` chooses and `uses` counts:
    kind, whether it blocks, world rank of the other side, tag, bytes, request, requests that are waited for.
    """

def collective_sums(file: TraceFile) -> list[tuple[str, int, int, int, int, int, bool, bool, bool, str, int, int, float]]:
    """
    Blocking collective calls that are alike, the longest first: collective, communicator, bytes (-1: blocks differ),
    root, element, extent, whether the operation commutes, whether it is built in, whether in place, algorithm that ran,
    calls of all ranks, ranks that made them, seconds inside of them, summed over ranks.
    """

def members_of(file: TraceFile, comm: int) -> tuple[list[int], int]:
    """
    World ranks of a communicator, by rank, and how many are in its first group (0: it has one); none: the trace does
    not say.
    """

def operation_kinds() -> list[str]:
    """Names of the kinds of operations, by their numbers."""

def operation_vocabulary() -> list[tuple[str, str, str, str]]:
    """
    Kinds of operations, by their numbers: name, names of the fields that say what such an operation does (with
    blanks between), when it is answered (`always`, `never`, `if matched`), what it is.
    """

def operation_flags() -> list[tuple[str, int, str, str]]:
    """
    Flags of operations: name, bit, kinds that have it (with blanks between; `all`), what it is.
    """

def collective_kinds() -> list[str]:
    """Names of the kinds of collectives, by their numbers."""

def collective_vocabulary() -> list[tuple[str, bool, bool]]:
    """
    Kinds of collectives, by their numbers: name, whether a call names a root, whether it reduces.
    """

class TraceWriter:
    """A new trace. What is not closed is one that was cut off."""

    def __init__(self, path: str, ranks: int) -> None: ...

    def property(self, key: str, value: str) -> None:
        """
        Where the trace comes from: `program`, `source`, `date`, what you like.
        """

    def names(self, table: int, first: int, names: Sequence[str]) -> None:
        """Names the numbers from `first` on in a table (docs/trace-format.md)."""

    def communicator(self, number: int, members: Sequence[int], first_group: int = 0) -> None:
        """
        World ranks of the members, by rank; of an inter-communicator first those of one group.
        """

    def operation(self, rank: int, kind: int, *, routine: int = 0, flags: int = 0, mode: int = 0, collective: str = '', peer: int = 0, tag: int = 0, comm: int = 0, request: int = 0, compute_s: float = 0.0, bytes: int = 0, element: int = 0, requests: Sequence[int] = [], counts: Sequence[int] = [], begin_ns: int = -1, end_ns: int = -1, site: int = 0, faults: int = 0, instructions: int = 0, warm: int = 0) -> None:
        """
        The next of a rank; `kind`: position in operation_kinds(). `site`: where it was called, in the table of call
        sites; `faults`, `instructions`: page faults and instructions in the computation before it; `warm`: what
        part of its usual time its region takes with warm caches, in thousandths, from now on.
        """

    def answer(self, rank: int, flag: bool = False, source: int = -1, tag: int = -2, bytes: int = 0, completed: Sequence[int] = []) -> None:
        """What the operation before was answered."""

    def local_calls(self, rank: int, calls: Sequence[tuple[int, int, int]]) -> None:
        """
        Calls of a rank that are no operations: routine, how many, ns in all of them. Without calls: what a call that is an
        operation took before the start of the run, or behind its end.
        """

    def end(self, rank: int, complete: bool = True) -> None:
        """The rank does nothing more."""

    def close(self) -> None:
        """Raises InputError when something could not be written."""

class SlicedTrace:
    """What came of cutting a piece out of a trace."""

    @property
    def operations(self) -> int: ...

    @property
    def messages_left_out(self) -> int:
        """Sends and receives whose other side is outside."""

    @property
    def collectives_left_out(self) -> int:
        """Calls that not all members made inside."""

    @property
    def obstacles(self) -> list[str]:
        """Why the slice cannot be replayed; empty: it can."""

def slice_trace(file: TraceFile, path: str, ranks: Sequence[int] = [], from_s: float | None = None, to_s: float | None = None) -> SlicedTrace:
    """
    Writes what `ranks` (increasing; none: all) began from `from_s` on and before `to_s` as a trace of its own.
    """

class TraceEvents:
    """The calls of one rank of a trace, in the order of time."""

    def __init__(self, file: TraceFile, rank: int) -> None: ...

    def read(self, most: int) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """
        The next ones, at most so many; none: it is over. Columns: begin and end in ns (i64), bytes (i64), numbers of its first operation and of the first behind it (u64),
        peer, tag (i32), communicator (u32), routine, algorithm (u16), kind, collective (u8), call site (u32).
        """

def trace_end_ns(file: TraceFile) -> int:
    """
    When the last call of a trace ends. Raises InputError when it does not say when anything happened.
    """

def trace_waits(file: TraceFile) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    """
    All waits of a trace by rank and begin, as columns: begin and end in ns (i64), rank, for whom (u32), routine (u16), cause (u8). Ctrl-C ends it.
    """

def trace_messages(file: TraceFile) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
    """
    All messages of a trace by begin, as columns: those of TraceTimeline.sent. Ctrl-C ends it.
    """

class TraceTimeline:
    """
    What ranks did when, which messages went where, why ranks waited, the critical path.
    """

    def __init__(self, path: str, *, cells: int = 2000000, buckets: int = 16384, events: int = 400000, waits: int = 100, axis_ns: int = 0) -> None: ...

    @property
    def ranks(self) -> int: ...

    @property
    def end_ns(self) -> int:
        """End of the last call."""

    @property
    def operations(self) -> int: ...

    @property
    def calls(self) -> int: ...

    @property
    def messages(self) -> int: ...

    @property
    def complete(self) -> bool:
        """Whether `intervals` and `sent` are all that there are."""

    @property
    def cut_off(self) -> list[int]:
        """Ranks whose streams do not come to their ends."""

    @property
    def levels(self) -> list[tuple[int, int, bytes]]:
        """
        Nanoseconds of a bucket, buckets of a rank, cells (u32); the finest first.
        """

    @property
    def intervals(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """
        Begin and end in ns (i64), bytes (i64), rank (u32), communicator (u32), routine (u16), algorithm (u16), state (u8).
        """

    @property
    def sent(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """
        Begin and end in ns (i64), bytes (i64), from, to (u32), tag (i32), communicator (u32), and the numbers of operations in their streams (u64):
        that sent it, that posted the receive, after which the receive was over; whether the trace says when (u8).
        """

    @property
    def path(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Begin and end in ns (i64), rank (u32), routine (u16), state (u8)."""

    @property
    def wait_sums(self) -> list[tuple[int, int, int, int, int]]:
        """Rank, routine, cause, waits, nanoseconds."""

    @property
    def longest(self) -> list[tuple[int, int, int, int, int, int]]:
        """
        Begin and end in ns, rank, for whom, routine, cause; the longest first.
        """

    @property
    def caused_ns(self) -> list[int]:
        """By rank: how long others waited for it."""

    @property
    def path_by_state_ns(self) -> list[int]:
        """By state."""

    @property
    def path_by_rank_ns(self) -> list[int]:
        """By rank."""

    @property
    def path_changes(self) -> int:
        """How often the path goes from one rank to another."""

    @property
    def path_joined(self) -> int:
        """
        Segments of the path that are part of a neighbour, as there were too many.
        """

    @property
    def unknown(self) -> tuple[int, int, int, int]:
        """
        Sends without a receive, receives without a send, collective calls without all members, operations of threads.
        """

class PlacementPart:
    """A part of a platform to place ranks on."""

    def __init__(self, *, parent: int = 0, slots: int = 0, message_s: float = 0.0, byte_s: float = 0.0, border_byte_s: float = 0.0) -> None:
        """
        `parent`: position of a part before it. `message_s`, `byte_s`: of messages between ranks whose smallest common
        part it is. `border_byte_s`: for so long a byte that enters or leaves occupies shared links.
        """

class PlacementSearch:
    """
    Which rank goes to which leaf of a tree, for a matrix of messages and bytes. Ctrl-C ends a search.
    """

    def __init__(self, *, offsets: Sequence[int], peers: Sequence[int], messages: Sequence[float], bytes: Sequence[float], parts: Sequence[PlacementPart], kind_of_rank: Sequence[int] = [], may_use: Sequence[Sequence[bool]] = []) -> None:
        """
        A symmetric matrix by rows; parts, the whole first. `may_use`, by kind: the parts that its ranks may be on.
        Raises InputError.
        """

    def cost(self, mapping: Sequence[int]) -> tuple[float, float]:
        """Cost of pairs, mean of all ranks, and of the busiest border; seconds."""

    def divide(self, seed: int) -> list[int]:
        """From the whole to the leaves; kinds are not looked at."""

    def fit(self, mapping: Sequence[int]) -> list[int]:
        """
        A mapping like this in which no leaf is too full. Raises InputError if there is no such mapping.
        """

    def exchange(self, mapping: Sequence[int], seed: int) -> list[int]:
        """With pairs swapped while that lowers the cost."""
