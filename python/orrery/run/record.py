# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run: what `--json` writes, what `orrery profile` reads."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields
from pathlib import Path

import orrery
from orrery.errors import InputError
from orrery.output import write_at_once
from orrery.run.replicas import Interval


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
    jobs: list[dict[str, object]] = field(default_factory=list)
    """Of a replay of several traces: each one's ranks, and when its last one ended."""
    interface: str = "standard"
    """Binary interface of MPI that the program was compiled for."""

    def write(self, path: Path) -> None:
        """Write as JSON. Raises InputError when the file cannot be written."""
        try:
            path.write_text(to_json(self, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}: cannot write the record of the run") from None


def to_json(record: Record | list[Row], indent: int | None = None) -> str:
    """JSON text: an object for each dataclass, its fields by name."""
    names = {kind: [field.name for field in fields(kind)] for kind in (Record, Profile, Row, AlgorithmUse, Interval)}

    def members(part: Record | Profile | Row | AlgorithmUse | Interval) -> dict[str, object]:
        return {name: getattr(part, name) for name in names[type(part)]}

    return json.dumps(record, default=members, indent=indent, ensure_ascii=False)


def last_run_file() -> Path:
    """Where the record of the last run is kept: `orrery/last-run.json` in the user's folder for state."""
    base = os.environ.get("XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "orrery" / "last-run.json"


def remember(record: Record) -> None:
    """Keep `record` as the last run, or quietly do not: a full or read-only home does not make a run fail."""
    try:
        write_at_once(last_run_file(), to_json(record))
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return


def read(path: Path | None) -> Record:
    """The record in `path`, or of the last run. Raises InputError when there is none."""
    source = path or last_run_file()
    try:
        text = source.read_text(encoding="utf-8")
    except FileNotFoundError:
        if path is None:
            raise InputError("there is no last run yet: start one with `orrery run`, or name a record") from None
        raise InputError(f"{source}: no such file; expected a record that `orrery run --json FILE` wrote") from None
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
        raise InputError(
            f"{source}: {place}{first['msg']}; expected a record that `orrery run --json FILE` wrote"
        ) from None
