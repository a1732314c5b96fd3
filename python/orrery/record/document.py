# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run or a replay, which `--json` prints, `-o FILE.json` writes and `orrery profile` reads."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import orrery
from orrery.documents import check_words, expected_value, parse_json
from orrery.errors import InputError
from orrery.marks import TRACE_MAGIC
from orrery.noise.intervals import Interval, MedianInterval
from orrery.published import members
from orrery.record.expected import ExpectedInterval
from orrery.record.folded import FoldedMemory
from orrery.record.sampled import SampledBlock, SampledTime
from orrery.record.steady import SteadyComputation
from orrery.words import json_text, shell

_EXPECTED = "expected a record that `orrery run -o FILE.json` wrote"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a profile, as in TAU's tables."""

    rank: int | None
    """World rank; None: summed over all ranks."""
    phase: int | None
    """Phase of the program that the row covers; None: the whole run."""
    name: str
    """Routine, `.application` for the program itself, or the phase."""
    percent_time: float
    """Share of inclusive time in the inclusive time of `.application`, in percent."""
    exclusive_s: float
    """Simulated seconds in it, without what it calls."""
    inclusive_s: float
    """Simulated seconds in it and in what it calls."""
    calls: int
    """How often it was called; of the application and of phases: how many ranks were in it."""
    subrs: int
    """How many routines it called."""
    messages: int
    """Messages sent."""
    bytes: int
    """Bytes sent."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Simulated time by routine."""

    summed: list[Row]
    """Summed over all ranks."""
    per_rank: list[Row]
    """Rows of each rank, by rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmUse:
    """Collective calls of one routine that used one algorithm, instead of the same one if another was asked for; summed over
    all ranks.
    """

    routine: str
    """MPI routine."""
    algorithm: str
    """Orrery's name of the algorithm with its parameters, in the syntax of `--coll`."""
    calls: int
    """Calls, each rank counted."""
    messages: int
    """Messages sent."""
    bytes: int
    """Bytes sent."""
    instead_of: str = ""
    """Algorithm that was asked for and does not serve these calls; empty: none was, or it does."""
    why: str = ""
    """Why it does not."""
    asked_by: str = ""
    """What asked for it: `fixed` (--coll), `rules` (a rules file) or `trace` (the recording)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlace:
    """Where a group of ranks landed that the job asked for."""

    name: str
    """Its own name behind those of the groups around it, with "/" between them."""
    colour: int
    """The number that stands for the name."""
    ranks: str
    """Ranks of MPI_COMM_WORLD, such as `0-3,8`."""
    nodes: int
    """How many nodes they were on."""
    clusters: list[str]
    """Names of the clusters that these are in."""
    sites: list[str]
    """Names of the sites, where the platform names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run or replay: its settings, its end and its results."""

    orrery: str = orrery.__version__
    """Version of Orrery."""
    command: list[str]
    """Program and arguments."""
    platform: str
    """Name of the platform."""
    platform_file: str
    """File that describes it."""
    platform_digest: str = ""
    """Digest of its values, equal for files that say the same; empty: written by an earlier version."""
    platform_source: str
    """Where its parameters come from."""
    calibration: dict[str, object] | None = None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none, as for built-in platforms."""
    model: str
    """Network model."""
    selector: str
    """Name of the selector that chose the collective algorithms, but for those in `coll` and `rules`."""
    coll: str
    """Algorithms that the user fixed."""
    rules: str | None = None
    """Rules file that overruled the selector."""
    mapping: str
    """Policy that placed ranks on hosts."""
    hosts: int
    """Simulated hosts that had a rank."""
    start: str
    """How ranks were started: `fork`, from one process in MPI_Init, or `exec`, each afresh; `replay` for a replay."""
    shared_by_fork: str = ""
    """What the program had done before MPI_Init that ranks share if they are forked, in words after "the program has"; with
    `exec` it is why they were not forked. Empty: nothing that is known of, or it was not looked at."""
    clock: str
    """Time that the program's clocks showed."""
    compute: str | float
    """How computation was charged."""
    ranks: int
    """Size of MPI_COMM_WORLD."""
    simulated_s: float
    """Simulated time at which the last rank finalised; of a run that failed, the time that it reached."""
    launched_s: float = 0.0
    """Simulated time at which the last of the ranks left MPI_Init, which is part of `simulated_s`; 0 where the platform has
    no `[launch]`."""
    wall_s: float
    """Time on this host, from the start of the program to the end of its last process."""
    messages: int
    """Messages sent, those inside collectives included."""
    bytes: int
    """Bytes sent."""
    file_accesses: int = 0
    """Reads and writes of files."""
    file_bytes_read: int = 0
    """Bytes read from files."""
    file_bytes_written: int = 0
    """Bytes written to files."""
    events: int
    """Events that the clock processed."""
    peak_rss_bytes: int | None
    """Largest memory of all ranks together, shared pages counted once; None: the run was too short to see."""
    exit_code: int
    """Exit code of `orrery run`; not 0 where there is a cause."""
    end: str
    """How it ended; `completed`: without failure."""
    cause: str | None
    """Why it failed; None if it did not."""
    cautions: list[str]
    """Limits of the results, a sentence each."""
    profile: Profile
    """Simulated time by routine."""
    algorithms: list[AlgorithmUse] = field(default_factory=list)
    """Algorithms of collective calls, by routine."""
    groups: list[GroupPlace] = field(default_factory=list)
    """Groups that the job asked for, by colour."""
    stalled: int = 0
    """Messages that waited for a retransmission time-out."""
    stalled_s: float = 0.0
    """Simulated seconds that these messages waited, summed."""
    connections: dict[str, int] = field(default_factory=dict)
    """Connections between clusters that were made, by technique: `direct`, `reverse`, `traversing`, `relay`; empty: the platform
    has no `[broker]`."""
    connecting_s: float = 0.0
    """Simulated seconds that messages waited for these connections, summed."""
    relayed_messages: int = 0
    """Messages that a frontal relayed."""
    relayed_bytes: int = 0
    """Bytes of these messages."""
    seed: int = 0
    """Seed of the noise of the first replica."""
    vary: str = "noise"
    """What replicas differ in: `noise`, or `calibration`: the platform's parameters as well."""
    sharing_error: float = 1e-10
    """Error, relative to a message, with which links were shared; records that do not say it are exact."""
    replicas_s: list[float] = field(default_factory=list)
    """Simulated time of each replica, the first one included, if there are several."""
    replicas_routines_s: dict[str, list[float]] = field(default_factory=dict)
    """For each routine, its exclusive seconds in each replica, summed over all ranks."""
    interval: Interval | None = None
    """Median and percentiles of the replicas."""
    expected: ExpectedInterval | None = None
    """Interval expected to contain the real time, from residuals on measured clusters; None: there are no residuals for
    the model, or the run did not complete."""
    not_expected: str = ""
    """Why there is no such interval, where the platform is the reason."""
    jobs: list[dict[str, object]] = field(default_factory=list)
    """Each trace of a replay of several: its path, number of ranks, and the time at which its last rank ended."""
    interface: str = "standard"
    """Binary interface of MPI that the program was compiled for."""
    repeats_s: list[float] = field(default_factory=list)
    """Simulated time of each run, if the program ran several times (--repeat); the record is that of the median run."""
    repeats: MedianInterval | None = None
    """Median of these runs, with its confidence interval."""
    repeats_routines_s: dict[str, list[float]] = field(default_factory=dict)
    """For each routine, its exclusive seconds in each of these runs, summed over all ranks."""
    host_of_rank: list[str] = field(default_factory=list)
    """Names of the simulated hosts, by rank; empty above 16,384 ranks."""
    date: str = ""
    """When it ended, ISO 8601, UTC."""
    folder: str = ""
    """Folder in which it was started."""
    computation: str = ""
    """Identifies the measured computation, equal in two records if they use the same: `none`, the digest of a trace, or a
    value of this run alone."""
    noisy: bool = False
    """Whether the simulated time depends on the seed."""
    steady: SteadyComputation | None = None
    """What became of measured computation, or with `--compute raw` would have, but for cold caches; None: there was none."""
    folded: FoldedMemory | None = None
    """Memory that ranks shared instead of having it (ORRERY_SHARED_MALLOC, --fold-heap); None: there was none."""
    sampled: list[SampledBlock] = field(default_factory=list)
    """Blocks of the program that were executed a few times and then skipped (ORRERY_SAMPLE_LOCAL), by file and line."""
    sampled_time: SampledTime | None = None
    """Where the simulated time would be if nothing had been skipped; None: nothing was, or a block was executed once."""
    speeds: list[float] = field(default_factory=list)
    """Speeds of the simulated hosts that had a rank, each once, by increasing speed: 1 computes as fast as the host that measured
    the computation. Empty: written by an earlier version."""
    differs: list[str] = field(default_factory=list)
    """Differences of a replay from the settings with which the trace was recorded, a sentence each."""

    def __post_init__(self) -> None:
        """Whatever failed has an exit code that says so: commands end with that of their record."""
        if self.cause is not None and self.exit_code == 0:
            object.__setattr__(self, "exit_code", 1)

    @property
    def chooser(self) -> str:
        """The selector with what the user fixed: `default (allreduce=ring)`."""
        return f"{self.selector} ({self.coll})" if self.coll else self.selector


_FREE = ("command", "folder", "cause", "cautions", "differs", "jobs", "not_expected", "sampled")
"""Members that hold what users and their programs said, of any characters."""


def to_json(record: Record, indent: int | None = None) -> str:
    """JSON text: an object for each dataclass, with its fields as members."""
    return json_text(json.dumps(record, default=members, indent=indent, ensure_ascii=False))


def _what(source: Path) -> str:
    """What is said of a file that is not text."""
    with source.open("rb") as file:
        if file.read(len(TRACE_MAGIC)) == TRACE_MAGIC:
            return f"is a trace, of which `orrery replay {shell(source)} -o FILE.json` makes a record"
    return f"is not text; {_EXPECTED}"


def _no_json(source: Path, text: str) -> str:
    """Where a text is no JSON, and why."""
    try:
        parse_json(source, text)
    except InputError as error:
        return str(error)
    return f"{source}: not JSON that everybody reads"  # Python's reader takes NaN, say


def read(source: Path) -> Record:
    """The record in a file. Raises InputError if the file cannot be read or holds no record."""
    try:
        text = source.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{source}: no such file; {_EXPECTED}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else _what(source)
        raise InputError(f"{source}: {reason}") from None
    from pydantic import TypeAdapter, ValidationError

    try:
        record = TypeAdapter(Record).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise InputError(f"{_no_json(source, text)}; {_EXPECTED}") from None
        key = ".".join(str(part) for part in first["loc"])
        place = f"{key}: " if key else ""
        raise InputError(f"{source}: {place}{expected_value(first)}; {_EXPECTED}") from None
    if "\\" in text or not text.replace("\n", "").isprintable():
        check_words(source, json.loads(text), free=_FREE)
    return replace(record, selector=record.selector.removesuffix(f" ({record.coll})"))  # 0.2 named what was fixed, too
