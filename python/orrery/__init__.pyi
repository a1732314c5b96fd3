# Written from orrery.api by `make reference`; run that instead of editing it. __init__.py loads all when it is used.
import os
from collections.abc import Mapping, Sequence
from typing import Literal

from orrery.api.checks import PathLike as _PathLike
from orrery.api.watching import Watching as _Watching
from orrery.platform.model import Model as _Model
from orrery.api import Advance as Advance
from orrery.api import Calibration as Calibration
from orrery.api import Collectives as Collectives
from orrery.api import Comparison as Comparison
from orrery.api import InterruptedCall as InterruptedCall
from orrery.api import Placement as Placement
from orrery.api import Platform as Platform
from orrery.api import Result as Result
from orrery.api import RunsComparison as RunsComparison
from orrery.api import Table as Table
from orrery.api import Tuning as Tuning
from orrery.api import Usage as Usage
from orrery.api import Validation as Validation
from orrery.api import WatchedRun as WatchedRun
from orrery.api import compare as compare
from orrery.api import compare_runs as compare_runs
from orrery.api import load as load
from orrery.api import platforms as platforms
from orrery.api import prefix as prefix
from orrery.api import profile as profile

__version__: str

def calibrate(
    *,
    output: str | os.PathLike[str] = 'cluster.toml',
    mpirun: str = 'mpirun -np {n}',
    mpicc: str = 'mpicc',
    nodes: int | None = None,
    ppn: int | None = None,
    cabinets: int | str | Sequence[int | str] = (),
    vms_per_host: int | None = None,
    cores: int | None = None,
    budget_s: float = 540.0,
    seed: int = 1,
    name: str | None = None,
    ingest: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    fresh: bool = False,
    accept_bimodal: bool = False,
    most_regimes: int = 6,
    report: _PathLike | None = None,
    overwrite: bool = False,
    progress: _Watching = True,
) -> Calibration:
    """Measure a cluster's MPI and write its platform file, as `orrery calibrate` does; or fit what was measured (`ingest`).

    Args:
        report: FILE.html, the page, where it shall not be beside the platform file.
        output: the platform file to write; FILE.html (or `report`) and the folder FILE.calibration come beside it.
        mpirun: how to start MPI programs, with {n}, {nodes}, {ppn}.
        mpicc: the compiler of that MPI.
        nodes: nodes to measure.
        ppn: ranks on each node; by default 1.
        cabinets: nodes of each cabinet or site, in rank order.
        vms_per_host: nodes are virtual machines, so many on each host, in rank order.
        cores: cores of a node, if not as its system says.
        budget_s: for measuring, such as 5min or 90s; a number: minutes (of Python: seconds).
        seed: seed of the message sizes that are drawn.
        name: name of the platform.
        ingest: use what was measured there, start nothing: a folder of samples, or files with the output of osu_latency
            or of IMB-MPI1 PingPong, which may be several; with these, `cores`, and `nodes` of the cluster, 2 by
            default.
        fresh: measure anew; samples of an earlier run are put aside.
        accept_bimodal: A ping-pong whose times fall into two groups makes no poor calibration, only a usable one.
        most_regimes: between two changes of protocol.
        overwrite: replace files that Orrery did not write.
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher failed, ranks were not where they should be, or too little was measured.
        InterruptedCall: Ctrl-C; samples are kept, and the same call goes on from there.

    Example:
        >>> o.calibrate(nodes=1, ppn=4, budget_s=120, output="workstation.toml").grade
    """

def collective(
    kinds: str | Sequence[str],
    *,
    ranks: int | str | Sequence[int | str],
    sizes: int | str | Sequence[int | str] | None = None,
    root: int = 0,
    platform: str | os.PathLike[str] | Platform = 'default',
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    mapping: str = 'slot',
    selector: str = 'default',
    coll: str = '',
    rules: str | os.PathLike[str] | None = None,
    immediate: bool = False,
    algorithm: str | Sequence[str] = (),
    segments: int | str | Sequence[int | str] | None = None,
    fanout: int = 0,
    most_messages: int = 20000000,
    type_size: str | float = '0',
    type_extent: str | float = '0',
    operation: Literal['built-in', 'commutative', 'not-commutative'] = 'built-in',
    in_place: bool = False,
    replicas: int = 1,
    vary: Literal['noise', 'calibration'] = 'noise',
    seed: int = 0,
    sharing_error: float = 1e-07,
    exact: bool = False,
    force: bool = False,
    progress: _Watching = True,
) -> Collectives:
    """Predict what collective calls cost, by algorithm, as `orrery collective` does; no program is needed.

    Sizes are of the whole vector, of a rank's block or of a pair's block, as `orrery collective --help` says.

    Args:
        kinds: collectives: allreduce, bcast, ...
        ranks: numbers of ranks.
        sizes: sizes, such as 8,64KiB or 8:1M; by default 8,64,512,4KiB,32KiB,256KiB,1MiB.
        root: root of collectives that have one.
        platform: platform to run on: a built-in name (see `orrery platform list`) or a TOML file.
        model: network model: hybrid, loggps or fluid; by default the platform's own.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        selector: selector of collective algorithms: `default`, with thresholds from the literature; a version of an MPI
            library, with its built-in rules; or, where calls are simulated, `best`: of each the algorithm that takes
            least by itself. There are: default, mpich-4.0, mpich-5.0, openmpi-1.3, openmpi-1.6, openmpi-4.1,
            openmpi-5.0, best.
        coll: algorithms that overrule the selector's.
        rules: rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON,
            of MPICH (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI
            (I_MPI_ADJUST_BCAST=1:0-1023;3, as environments or -genv), or [[rule]] tables as of `orrery deploy`.
        immediate: non-blocking calls, such as MPI_Ibcast.
        algorithm: algorithm, by Orrery's name or Open MPI's; or all. May be repeated.
        segments: segment sizes for algorithms that have them; 0: none.
        fanout: chains, or radix of a tree, for algorithms that have such; 0: the algorithm's own.
        most_messages: leave out of `all` what would send more.
        type_size: size of one element of the datatype; 0: 8 for reductions, else 1.
        type_extent: from one element to the next, of a datatype with gaps; 0: no gaps.
        operation: operation of reductions: one of MPI's own, or a user's.
        in_place: an all-to-all with MPI_IN_PLACE.
        replicas: number of simulations, each with its own draw of the platform's noise; the report gives the median and
            the range from the 5th to the 95th percentile.
        vary: what replicas differ in: only `noise`, of messages and nodes, or, from the second one on, also the
            parameters of the platform, drawn within the uncertainty of its `calibration` ([calibration.draws], which
            `orrery calibrate` writes).
        seed: seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same
            times.
        sharing_error: error, relative to a message, with which links are shared among messages: ends move by about as
            much, in all-to-alls on hundreds of nodes of one in a hundred by up to 30 times that. The larger it is, the
            less such simulations take.
        exact: share links as exactly as numbers allow: a `sharing_error` of 1e-10.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is, or no algorithm serves a call.
        InterruptedCall: Ctrl-C; its `result` has the calls that were simulated.

    Example:
        >>> o.collective("allreduce", ranks=64, sizes="8:1MiB", algorithm="all", selector="openmpi-4.1").losses.frame()
    """

def place(
    source: _PathLike | Sequence[str],
    *,
    ranks: int | None = None,
    platform: str | os.PathLike[str] | Platform | None = None,
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    mapping: str | None = None,
    selector: str | None = None,
    groups: str | os.PathLike[str] | None = None,
    replicas: int = 5,
    seed: int | None = None,
    force: bool = False,
) -> Placement:
    """Find the best nodes for the ranks of a program, as `orrery place` does.

    Args:
        source: who sends how much to whom: a trace; a matrix, FILE.csv or FILE.mtx; a record of `orrery profile --json`, FILE.json; or,
            with `ranks`, a program and its arguments, which is run once in simulation.
        ranks: number of ranks of a program, or of a job.
        platform: platform to place ranks on: a built-in name (see `orrery platform list`) or a TOML file; by default
            the one that a trace was recorded on.
        model: network model: hybrid, loggps or fluid; by default the platform's own, or that of the recording.
        mapping: the mapping to compare with, and to keep where no other is better, as `orrery run --map` takes it; by
            default that of the recording, or `slot`.
        selector: selector of collective algorithms, which decides what messages collectives are made of, as of `orrery
            run`; by default that of the recording. There are: default, mpich-4.0, mpich-5.0, openmpi-1.3, openmpi-1.6,
            openmpi-4.1, openmpi-5.0, best.
        groups: job profile: groups of ranks, and what each needs (TOML or XML). Ranks go only where that is met.
        replicas: number of simulations of the best mapping and of the given one, each pair with its own draw of the
            platform's noise, for the interval of the gain.
        seed: seed of the search, and of the noise of the first replica; by default 0, and for the noise that of the
            recording. The same seed gives the same mapping.
        force: use a platform whose calibration is poor.
    Raises:
        InputError: something cannot be used as it is, groups cannot be served, or a simulation failed.

    Example:
        >>> o.place(["./cg", "-v"], ranks=64, platform="graphene").frame()
    """

def replay(
    traces: _PathLike | Sequence[_PathLike],
    *,
    platform: str | os.PathLike[str] | Platform | None = None,
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    mapping: str | None = None,
    launcher: str | None = None,
    selector: str | None = None,
    coll: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    replicas: int | None = None,
    vary: Literal['noise', 'calibration'] | None = None,
    seed: int | None = None,
    sharing_error: float | None = None,
    exact: bool = False,
    force: bool = False,
    ideal: bool = False,
    compute: str | float | None = None,
    compute_scale: str | float | None = None,
    bytes_scale: str | float | None = None,
    match: Literal['again', 'recorded'] | None = None,
    start_s: int | str | Sequence[int | str] | None = None,
    flops_per_s: str | float | None = None,
    trace: _PathLike | None = None,
    report: _PathLike | None = None,
    overwrite: bool = False,
    check: bool = True,
    progress: _Watching = True,
) -> Result:
    """Simulate traces and synthetic workloads, as `orrery replay` does.

    What is None is as in the recording. All replays of one trace have the same computation, so their differences are those of
    what was changed (`compare`).

    Args:
        traces: a file, or several, which are jobs that share the platform: traces of `run(trace=...)` and `orrery capture`, of
            DUMPI, Paraver, OTF2 and SimGrid, GOAL schedules, workloads (TOML); compressed ones (.xz, .gz), too.
        platform: platform to replay on: a built-in name (see `orrery platform list`) or a TOML file; by default the one
            of the recording.
        model: network model: hybrid, loggps or fluid; by default the platform's own.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        launcher: how jobs are started, instead of what the platform's [launch] says: `ssh` or `manager`, the resource
            manager; with a fan-out behind it proxies form a tree: `ssh:8`.
        selector: who chooses collective algorithms: `default`, the thresholds of the literature, a library of some
            version, `best`, the algorithm that takes least by itself, or `recorded`: what the trace says ran, but for
            what --coll fixes, and, where it does not say, the selector of the recording. By default the selector of the
            recording, with what it fixed; of a captured trace, that of its MPI. There are: default, mpich-4.0,
            mpich-5.0, openmpi-1.3, openmpi-1.6, openmpi-4.1, openmpi-5.0, best, recorded.
        coll: collective algorithms to use whatever the selector says, such as
            "allreduce=ring,bcast=binomial:segment=32KiB".
        rules: rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON,
            of MPICH (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI
            (I_MPI_ADJUST_BCAST=1:0-1023;3, as environments or -genv), or [[rule]] tables as of `orrery deploy`.
        replicas: number of simulations, each with its own draw of the platform's noise; the report gives the median and
            the range from the 5th to the 95th percentile.
        vary: what replicas differ in: only `noise`, of messages and nodes, or, from the second one on, also the
            parameters of the platform, drawn within the uncertainty of its `calibration` ([calibration.draws], which
            `orrery calibrate` writes).
        seed: seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same
            times.
        sharing_error: error, relative to a message, with which links are shared among messages: ends move by about as
            much, in all-to-alls on hundreds of nodes of one in a hundred by up to 30 times that. The larger it is, the
            less such simulations take.
        exact: share links as exactly as numbers allow: a `sharing_error` of 1e-10.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
        ideal: replace the network by one that costs nothing: what is left is computation and waiting for it.
        compute: what recorded computation costs: parts of the program that repeat what they usually took the rank
            (`steady`), or just what was measured (`raw`); by default as in the recording, and `raw` for traces that no
            simulation has recorded. In the summary, `regions` are what lies between two calls of MPI, with the time
            measured in them; `host noise` is what the disturbances of the machine that measured added to it, and what
            became of that; `cold caches` is what regions took longer because ranks shared its caches.
        compute_scale: simulated seconds for a second of recorded computation, besides the speed of the platform's
            hosts; 0: none; by default as in the recording.
        bytes_scale: make all messages so many times as long.
        match: whose messages receives of any source take: what comes first on this platform (`again`), or as
            `recorded`.
        start_s: seconds after which each trace begins; those that are not named begin at 0.
        flops_per_s: for time-independent traces of SimGrid: flops that a second of computation stands for.
        trace: FILE.trace, to record in; see `replay`.
        report: FILE.html, a page that explains the result: timeline, waiting, who sends to whom.
        overwrite: replace files that Orrery did not write.
        check: raise SimulationError if it fails; otherwise the result says so (`Result.completed`).
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: no rank can go on, or a trace was cut off; it has the `result` so far.
        InterruptedCall: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> ring = o.replay("heat.trace", coll="allreduce=ring")
        >>> fast = o.replay("heat.trace", platform=o.Platform.load("graphene").with_values({"cluster.latency_s": "1us"}))
    """

def run(
    command: str | Sequence[str | os.PathLike[str] | float],
    *,
    ranks: int,
    platform: str | os.PathLike[str] | Platform = 'default',
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    mapping: str = 'slot',
    launcher: str = '',
    selector: str = 'default',
    coll: str = '',
    rules: str | os.PathLike[str] | None = None,
    replicas: int = 1,
    vary: Literal['noise', 'calibration'] = 'noise',
    seed: int = 0,
    sharing_error: float = 1e-07,
    exact: bool = False,
    force: bool = False,
    launch: Literal['auto', 'fork', 'exec'] = 'auto',
    clock: Literal['simulated', 'host'] = 'simulated',
    compute: str | float = 'steady',
    data: Literal['all', 'none'] = 'all',
    fold_heap: str | float = 0,
    whole: bool = False,
    label: bool = False,
    timeout_s: str | float | None = None,
    spawn_limit: int = 256,
    repeat: int = 1,
    groups: str | os.PathLike[str] | None = None,
    groups_unmet: Literal['refuse', 'warn'] = 'refuse',
    groups_out: _PathLike | None = None,
    trace: _PathLike | None = None,
    report: _PathLike | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    check: bool = True,
    progress: _Watching = True,
) -> Result:
    """Run an MPI program on a simulated cluster, as `orrery run` does.

    Args:
        command: program and arguments, texts, paths or numbers; a single text is split as a shell does. Several programs in one MPI_COMM_WORLD have ":" between
            them, each later one with its own "-n", N.
        ranks: number of ranks: the size of MPI_COMM_WORLD; of several programs, that of the first.
        groups_out: FILE, to write the job profile back with its blanks filled in.
        quiet: what the program writes goes nowhere, and it has nothing to read.
        platform: platform to run on: a built-in name (see `orrery platform list`) or a TOML file.
        model: network model: hybrid, loggps or fluid; by default the platform's own.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        launcher: how jobs are started, instead of what the platform's [launch] says: `ssh` or `manager`, the resource
            manager; with a fan-out behind it proxies form a tree: `ssh:8`.
        selector: selector of collective algorithms: `default`, with thresholds from the literature; a version of an MPI
            library, with its built-in rules; or, where calls are simulated, `best`: of each the algorithm that takes
            least by itself. There are: default, mpich-4.0, mpich-5.0, openmpi-1.3, openmpi-1.6, openmpi-4.1,
            openmpi-5.0, best.
        coll: collective algorithms to use whatever the selector says, such as
            "allreduce=ring,bcast=binomial:segment=32KiB".
        rules: rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON,
            of MPICH (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI
            (I_MPI_ADJUST_BCAST=1:0-1023;3, as environments or -genv), or [[rule]] tables as of `orrery deploy`.
        replicas: number of simulations, each with its own draw of the platform's noise; the report gives the median and
            the range from the 5th to the 95th percentile.
        vary: what replicas differ in: only `noise`, of messages and nodes, or, from the second one on, also the
            parameters of the platform, drawn within the uncertainty of its `calibration` ([calibration.draws], which
            `orrery calibrate` writes).
        seed: seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same
            times.
        sharing_error: error, relative to a message, with which links are shared among messages: ends move by about as
            much, in all-to-alls on hundreds of nodes of one in a hundred by up to 30 times that. The larger it is, the
            less such simulations take.
        exact: share links as exactly as numbers allow: a `sharing_error` of 1e-10.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
        launch: how ranks become processes: `fork` starts the program once and forks it in MPI_Init, `exec` starts it
            once for each rank; `auto` forks, except scripts, Python programs and others that need no MPI themselves,
            several programs, and those that have done something by then that ranks must not share (an open file, a seed
            from the clock).
        clock: what clocks, timers and waits with a limit follow in the program: `simulated` time or that of this
            `host`.
        compute: what computation costs: as many seconds as the thread that calls MPI used a processor here, scaled by
            the platform's speed. `steady`: parts of the program that repeat cost each rank what they usually take it,
            without what disturbed single measurements; a FACTOR times that; `raw` (or `cpu`): just what was measured;
            or `none`, which makes times the same in every run. In the summary, `regions` are what lies between two
            calls of MPI, with the time measured in them; `host noise` is what this machine's disturbances added to it,
            and what became of that; `cold caches` is what regions took longer because ranks share this machine's
            caches.
        data: what messages carry: `all`, or `none` of the floating-point numbers of messages longer than 1 KiB, which
            saves the time to copy them. Receivers keep what they had. Integers, bytes, packed data, structures and
            short messages arrive.
        fold_heap: blocks of the heap that are at least as large as SIZE, such as 1MiB, are the same few pages in all
            ranks: for programs that would need more memory than there is here. What is in such a block is overwritten
            by others, so nothing may depend on it; the first rank has its own, which is looked at for integers and
            addresses.
        whole: do all that the program would leave out by orrery.h: execute the blocks that it samples
            (ORRERY_SAMPLE_LOCAL) each time, and give each rank memory of its own where they share it
            (ORRERY_SHARED_MALLOC).
        label: put `[rank] ` before each line that the program writes.
        timeout_s: end the run when it has taken so many seconds of this host's time; it then exits with 124.
        spawn_limit: how many ranks the program may start besides, with MPI_Comm_spawn.
        repeat: run the program so many times, and give the median of its simulated times with an interval: computation
            is measured on this host, and no two runs are equal. Six runs make an interval of 95 % confidence. Only the
            first run's output is shown, and only it reads standard input.
        groups: job profile, TOML or XML: which groups of ranks the program asks for, and what they need of processors
            and of the network. The program sees them as process sets (orrery://group/NAME) and by orrery/groups.h.
        groups_unmet: what happens if groups get less than they need: `refuse` to run, naming it, or `warn` and run.
        trace: FILE.trace, to record in; see `replay`.
        report: FILE.html, a page that explains the result: timeline, waiting, who sends to whom.
        overwrite: replace files that Orrery did not write.
        check: raise SimulationError if it fails; otherwise the result says so (`Result.completed`).
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: the program crashed, is not there, left early, or no rank could go on; it has the `result` so far.
        InterruptedCall: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> result = o.run(["./heat2d", "1024", "100"], ranks=64, platform="graphene", mapping="node")
        >>> result.simulated_s, result.routines
    """

def tune(
    kinds: str | Sequence[str] = (),
    *,
    platform: str | os.PathLike[str] | Platform = 'default',
    ranks: int | str | Sequence[int | str] | None = None,
    sizes: int | str | Sequence[int | str] | None = None,
    mapping: str | None = None,
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    seed: int = 0,
    force: bool = False,
    mpirun: str | None = None,
    mpicc: str | None = None,
    share: float = 0.1,
    rounds: int = 3,
    keep: str | os.PathLike[str] | None = None,
    library: str | None = None,
    own_choices: str | os.PathLike[str] | None = None,
    program: str | os.PathLike[str] | None = None,
    own: bool = True,
    any_operation: bool = False,
    check: bool = False,
    check_program: str | None = None,
    least_gain: float = 0.05,
    budget_s: float | None = None,
    progress: _Watching = True,
) -> Tuning:
    """Find settings that make collective calls of a real MPI quicker on a cluster, as `orrery tune` does.

    Args:
        kinds: collectives; by default barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall.
        platform: platform to run on: a built-in name (see `orrery platform list`) or a TOML file.
        ranks: numbers of ranks of communicators, by default 4,8,16. Between two of them the rules for the number in the
            middle hold, which is only simulated. With `program`: of the program.
        sizes: sizes, as `orrery collective` has them: of the vector, or of one block; by default 4:1MiB.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        model: network model: hybrid, loggps or fluid; by default the platform's own.
        seed: seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same
            times.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
        mpirun: measure what the simulation cannot decide, on the real library: what starts programs with it, such as
            "mpirun -np {n} --hostfile hosts".
        mpicc: compiler of that MPI; by default the one beside the launcher.
        share: share of the loops of a search without simulation that are measured at most.
        rounds: how often each is measured, in turn with the others.
        keep: keep each loop here as soon as it is timed, and go on from those that are here.
        library: the library: openmpi-4.1, openmpi-5.0, mpich-4.0, mpich-5.0, intel-2021. By default that of `mpirun`.
        own_choices: what the library chooses itself, where Orrery does not know that (intel-2021): rules that `orrery
            tune discover` has written.
        program: tune only what this calls, weighted by the time in it, as its ranks arrive: a trace, or with `ranks` a
            program, which is run first.
        own: say where an algorithm of Orrery's own, which `orrery deploy` would run, is quicker by more than 10 % than
            all of the library's.
        any_operation: leave out algorithms of Open MPI that give wrong results for operations that do not commute
            (MPI_Op_create with commute 0), which its rules cannot tell apart. With `program` that has such operations
            they are always left out.
        check: compare the rules with the library as it is on the real cluster, in turn, and take out those whose gains
            do not hold.
        check_program: with `check`: compare the wall time of this program, too, on the largest number of ranks.
        least_gain: gains of less keep the library's own choice.
        budget_s: simulate for so long at most, 2min, 90s, or a number of minutes (in Python seconds, a number). What is
            left then keeps the library's own choice.
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher or a program on the real library failed.
        InterruptedCall: Ctrl-C, or the end of the budget; its `result` has rules of what was there.

    Example:
        >>> o.tune("allreduce", library="mpich-5.0", platform="graphene", ranks=64).frame()
    """

def validate(
    times: _PathLike | Sequence[_PathLike],
    *,
    platform: str | os.PathLike[str] | Platform = 'default',
    selector: str = 'default',
    coll: str = '',
    rules: str | os.PathLike[str] | None = None,
    mapping: str = 'slot',
    replicas: int = 3,
    vary: Literal['noise', 'calibration'] = 'noise',
    seed: int = 0,
    force: bool = False,
    nodes: int | None = None,
    ppn: int | None = None,
    models: _Model | Sequence[_Model] = ('hybrid', 'loggps', 'fluid'),
    where: Mapping[str, str] | None = None,
    ranks: int | None = None,
    progress: _Watching = True,
) -> Validation:
    """Compare measured collectives with predictions, as `orrery validate collectives --ingest` does.

    Args:
        times: files of measured times: CSV, as `orrery validate collectives --keep` writes them, or what the OSU micro-benchmarks,
            IMB-MPI1, nccl-tests or rccl-tests print.
        models: network models; the first one that the platform has parameters for makes the verdict.
        where: only rows whose columns have these values.
        ranks: how many ranks measured tables are of that do not say it.
        platform: platform to run on: a built-in name (see `orrery platform list`) or a TOML file.
        selector: selector of collective algorithms: `default`, with thresholds from the literature; a version of an MPI
            library, with its built-in rules; or, where calls are simulated, `best`: of each the algorithm that takes
            least by itself. There are: default, mpich-4.0, mpich-5.0, openmpi-1.3, openmpi-1.6, openmpi-4.1,
            openmpi-5.0, best.
        coll: collective algorithms to use whatever the selector says, such as
            "allreduce=ring,bcast=binomial:segment=32KiB".
        rules: rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON,
            of MPICH (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI
            (I_MPI_ADJUST_BCAST=1:0-1023;3, as environments or -genv), or [[rule]] tables as of `orrery deploy`.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        replicas: predict as intervals: median, 5th and 95th percentile over so many seeds of the noise.
        vary: what replicas differ in: only `noise`, of messages and nodes, or, from the second one on, also the
            parameters of the platform, drawn within the uncertainty of its `calibration` ([calibration.draws], which
            `orrery calibrate` writes).
        seed: seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same
            times.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
        nodes: nodes of measured tables that do not say it.
        ppn: ranks on each node, of measured tables that do not say it.
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: a file, the platform or the selector cannot be used.
        InterruptedCall: Ctrl-C; its `result` has the cases that were simulated.

    Example:
        >>> o.validate("times.csv", platform="cluster.toml", where={"impl": "openmpi"}).frame()
    """

def watch(
    command: Sequence[str],
    *,
    platform: str | os.PathLike[str] | Platform = 'default',
    model: Literal['hybrid', 'loggps', 'fluid'] | None = None,
    mapping: str | None = None,
    selector: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    every_s: float = 10.0,
    mpicc: str | None = None,
    force: bool = False,
    quiet: bool = False,
) -> WatchedRun:
    """Run a program on a real MPI and hold its calls against what a platform expects, as `orrery watch` does.

    By default ranks are where the names of their hosts are on the platform, or else in the order of the hosts, and the selector
    is guessed from the library.

    Args:
        command: what starts the program, such as ["mpirun", "-np", "64", "./cg"].
        quiet: Orrery itself says nothing on standard error while the program runs.
        platform: platform that says what is expected: a built-in name, or the file that `orrery calibrate` wrote.
        model: network model: hybrid, loggps or fluid; by default the platform's own.
        mapping: where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn,
            `socket` fills nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets,
            leaves or groups in turn, `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH`
            reads a host file or a rank file, which may bind ranks to cores. Behind all but the last, "@HOSTS" uses only
            these: `slot@node-1,node-2:4`; and "/CORES" binds the ranks of each node to cores, in turn: `slot/0,2`, or
            `slot/0+1,2+3` to several each.
        selector: selector of collective algorithms: `default`, with thresholds from the literature; a version of an MPI
            library, with its built-in rules; or, where calls are simulated, `best`: of each the algorithm that takes
            least by itself. There are: default, mpich-4.0, mpich-5.0, openmpi-1.3, openmpi-1.6, openmpi-4.1,
            openmpi-5.0.
        rules: rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON,
            of MPICH (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI
            (I_MPI_ADJUST_BCAST=1:0-1023;3, as environments or -genv), or [[rule]] tables as of `orrery deploy`.
        every_s: from one line to the next while the program runs.
        mpicc: compiler of your MPI; by default the one that lies beside mpirun.
        force: use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than
            its cores.
    Raises:
        InputError: something cannot be used as it is, or the command cannot be started.
        orrery.errors.OrreryError: no rank was watched.

    Example:
        >>> o.watch(["mpirun", "-np", "8", "./cg"], platform="cluster.toml").findings
    """
