# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run: what `--json` prints and `-o FILE.json` writes, what `orrery profile` reads."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path

import orrery
from orrery.errors import InputError
from orrery.record.expected import Expected
from orrery.record.intervals import Interval, MedianInterval

_EXPECTED = "expected a record that `orrery run -o FILE.json` wrote"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a profile, as in TAU's tables."""

    rank: int | None
    """World rank; None: summed over all ranks."""
    phase: int | None
    """Only this phase of the program; None: the whole run."""
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
    """Where simulated time went."""

    summed: list[Row]
    """Over all ranks."""
    per_rank: list[Row]
    """Rank after rank, each as `summed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmUse:
    """Collective calls of one routine that one algorithm served, of all ranks together."""

    routine: str
    """MPI routine."""
    algorithm: str
    """Orrery's name, with its parameters, as `--coll` takes it."""
    calls: int
    """Calls of single ranks."""
    messages: int
    """Messages sent."""
    bytes: int
    """Bytes sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run: how it was set up, how it ended, what it measured."""

    orrery: str = orrery.__version__
    """Version that ran."""
    command: list[str]
    """Program and arguments."""
    platform: str
    """Name of the platform."""
    platform_file: str
    """File that describes it."""
    platform_source: str
    """Where its parameters come from."""
    calibration: dict[str, object] | None = None
    """How good the platform's calibration is: `grade` and `reasons`; None where nobody judged, as of built-in platforms."""
    model: str
    """Network model."""
    selector: str
    """Who chose the collective algorithms."""
    coll: str
    """Algorithms that the user fixed."""
    rules: str | None = None
    """File of rules that overruled the selector."""
    mapping: str
    """How ranks were dealt to hosts."""
    hosts: int
    """Simulated hosts that had a rank."""
    start: str
    """How ranks became processes."""
    clock: str
    """What the program's clocks followed."""
    compute: str | float
    """What computation cost."""
    ranks: int
    """Size of MPI_COMM_WORLD."""
    simulated_s: float
    """Simulated time at which the last rank finalised, or up to where the run came."""
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
    """What `orrery run` ended with."""
    end: str
    """How it ended, `completed` if well."""
    cause: str | None
    """Why it failed; None if it did not."""
    cautions: list[str]
    """What to keep in mind when reading the figures."""
    profile: Profile
    """Where simulated time went."""
    algorithms: list[AlgorithmUse] = field(default_factory=list)
    """Which algorithms served collective calls, by routine."""
    stalled: int = 0
    """Messages that waited for a time-out of a crowded switch."""
    stalled_s: float = 0.0
    """Simulated seconds of these, summed."""
    seed: int = 0
    """Of the noise, of the first replica."""
    vary: str = "noise"
    """What replicas differ in: `noise`, or `calibration`: the platform's parameters as well."""
    replicas_s: list[float] = field(default_factory=list)
    """Simulated time of each replica, the first one included, if there are several."""
    replicas_routines_s: dict[str, list[float]] = field(default_factory=dict)
    """Of each replica the seconds in each routine, without what it calls, summed over all ranks."""
    interval: Interval | None = None
    """What the replicas amount to."""
    expected: Expected | None = None
    """Where the real time is expected, by residuals of measured clusters; None where there are none for the model, and for
    what did not come to its end."""
    jobs: list[dict[str, object]] = field(default_factory=list)
    """Of a replay of several traces: each one's ranks, and when its last one ended."""
    interface: str = "standard"
    """Binary interface of MPI that the program was compiled for."""
    repeats_s: list[float] = field(default_factory=list)
    """Simulated time of each run, if the program ran several times (--repeat); the record is of the one in the middle."""
    repeats: MedianInterval | None = None
    """What these amount to."""
    date: str = ""
    """When it ended, ISO 8601, UTC."""
    folder: str = ""
    """Where it was started."""
    computation: str = ""
    """What tells whether two records rest on the same computation: `none`, the digest of a trace, or of this run alone."""
    noisy: bool = False
    """The platform's noise moves its time: another seed gives another."""
    differs: list[str] = field(default_factory=list)
    """Of a replay: what is not as it was when the trace was recorded, a sentence each."""


_PARTS = (Record, Profile, Row, AlgorithmUse, Interval, MedianInterval, Expected)


def to_json(record: Record | list[Row], indent: int | None = None) -> str:
    """JSON text: an object for each dataclass, its fields by name."""
    names = {kind: [field.name for field in fields(kind)] for kind in _PARTS}

    def members(
        part: Record | Profile | Row | AlgorithmUse | Interval | MedianInterval | Expected,
    ) -> dict[str, object]:
        return {name: getattr(part, name) for name in names[type(part)]}

    return json.dumps(record, default=members, indent=indent, ensure_ascii=False)


def read(source: Path) -> Record:
    """The record in a file. Raises InputError when there is none."""
    try:
        text = source.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{source}: no such file; {_EXPECTED}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        raise InputError(f"{source}: {reason}") from None
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(Record).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        place = f"{key}: " if key else ""
        raise InputError(f"{source}: {place}{first['msg']}; {_EXPECTED}") from None
