# SPDX-License-Identifier: BSD-3-Clause
"""The text files of a Paraver trace, as Extrae writes them: records (.prv), names of events (.pcf) and of nodes (.row).

The records may be compressed (.prv.gz, .prv.xz), as Extrae does where its merger is told to; so may the others.
"""

from __future__ import annotations

import io
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from orrery.errors import InputError
from orrery.trace.compressed import DAMAGED, ENDINGS, is_compressed, opened, said

CALL_TYPES = range(50000001, 50000100)
"""Types of events whose values are calls of MPI's; 0: the call is over."""

SEND_SIZE, RECEIVE_SIZE, IS_ROOT, COMMUNICATOR = range(50100001, 50100005)
"""Types of events that say more of a collective, in bytes and numbers of the head."""

_NUMBER = re.compile("[0-9]{1,18}")
_UNITS_NS = {"": 1000, "_us": 1000, "_ns": 1}
_MOST_TASKS = 1 << 24
_APPLICATION = 1
"""The only one that a trace has."""


@dataclass
class Task:
    """What one rank did, each list in the order of the file, which is that of time."""

    events: array[int] = field(default_factory=lambda: array("q"))
    """Time in ns, type and value of each event of a call, one after the other."""
    sends: array[int] = field(default_factory=lambda: array("q"))
    """When the call began, receiver, bytes, tag."""
    receives: array[int] = field(default_factory=lambda: array("q"))
    """When it was posted, when it was over, sender, bytes, tag."""


@dataclass
class Paraver:
    """A whole trace.

    Memory: at most as much as the file.
    """

    tasks: list[Task]
    nodes: list[str]
    """Where each rank ran; empty: the head does not say."""
    names: Names
    communicators: dict[int, list[int]] = field(default_factory=dict)
    """Ranks, by number."""
    damage: str = ""
    """Where reading ended before the end; empty: it did not."""
    of_threads: int = 0
    """Events of calls of other threads than the first of a rank."""
    states: int = 0
    """Records of what threads were doing."""
    others: Counter[int] = field(default_factory=Counter)
    """Events of other types, by type."""


@dataclass(frozen=True)
class Names:
    """What the .pcf file says."""

    calls: dict[tuple[int, int], str]
    """Names of MPI's routines, by type and value of their events."""
    types: dict[int, str]
    """Names of types of events."""


def read_paraver(path: Path) -> Paraver:
    """Read `path` (.prv) and the names beside it. Raises InputError naming file and line of what cannot be read."""
    names = _names(path)
    try:
        with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8", errors="replace") as text:
            return _records(path, text, names)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: cannot read the trace") from None


def _beside(path: Path, ending: str) -> Path | None:
    """The file of the trace with another ending, which may be compressed, too."""
    plain = path.with_suffix("") if is_compressed(path) else path
    candidates = (plain.with_suffix(ending), *(plain.with_suffix(ending + more) for more in ENDINGS))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _lines(path: Path) -> list[str]:
    try:
        with opened(path) as file:
            return file.read().decode(errors="replace").splitlines()
    except DAMAGED as error:
        raise InputError(f"{path}: cannot decompress it: {said(error)}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: cannot read it") from None


def _names(records: Path) -> Names:
    """From blocks of EVENT_TYPE lines, then VALUES."""
    path = _beside(records, ".pcf")
    if path is None:
        plain = records.with_suffix("") if is_compressed(records) else records
        raise InputError(
            f"{plain.with_suffix('.pcf')}: No such file or directory: the names of calls are beside the records, in a "
            ".pcf file"
        )
    calls: dict[tuple[int, int], str] = {}
    known: dict[int, str] = {}
    types: dict[int, None] = {}
    inside = ""
    for line in _lines(path):
        words = line.split()
        if not words:
            inside, types = "", {}
        elif words[0] in ("EVENT_TYPE", "VALUES"):
            inside = words[0]
        elif inside == "EVENT_TYPE" and len(words) > 1 and _NUMBER.fullmatch(words[1]):
            event = int(words[1])
            known[event] = " ".join(words[2:])
            if event in CALL_TYPES:
                types[event] = None
        elif inside == "VALUES" and _NUMBER.fullmatch(words[0]) and len(words) > 1:
            calls |= {(event, int(words[0])): words[1] for event in types}
    if not any(name.startswith("MPI_") for name in calls.values()):
        raise InputError(f"{path}: names no calls of MPI; expected VALUES of event types from {CALL_TYPES.start} on")
    return Names(calls, known)


def _records(path: Path, file: IO[str], names: Names) -> Paraver:
    number = 1
    found: Paraver | None = None
    try:
        head = _head(path, file.readline())
        found = Paraver([Task() for _ in head.nodes], _nodes(path, head), names)
        for number, line in enumerate(file, start=2):
            if line[:2] not in ("1:", "2:", "3:", "c:"):
                continue
            if not line.endswith("\n"):
                found.damage = f"line {number} is not complete"
                break
            try:
                _take(found, line[0], line[2:].rstrip().split(":"), head.unit_ns)
            except (ValueError, IndexError, OverflowError):
                raise InputError(f'{path}:{number}: cannot be read: "{line.rstrip()[:80]}"') from None
    except DAMAGED as error:
        if found is None:
            raise InputError(f"{path}: cannot decompress it: {said(error)}") from None
        found.damage = f"behind line {number}: {said(error)}"
    return found


@dataclass(frozen=True)
class _Head:
    unit_ns: int
    nodes: list[int]
    """Number of each task's node, from 1; 0: not said."""


def _head(path: Path, line: str) -> _Head:
    """Nanoseconds of the unit, and where the tasks of the only application are: #Paraver (DATE):TIME:NODES:1:TASKS(...)."""
    found = re.match(r"#Paraver \([^)]*\):\d+(_ns|_us)?:[^:(]*(?:\([^)]*\))?:(\d{1,9}):(\d{1,9})\(([^)]*)\)?", line)
    if found is None:
        raise InputError(f"{path}:1: is no head of a Paraver trace: #Paraver (DATE):TIME_ns:NODES(...):1:TASKS(...)")
    applications, tasks = int(found[2]), int(found[3])
    if applications != 1:
        raise InputError(f"{path}:1: {applications} applications; expected one")
    if not 0 < tasks <= min(_MOST_TASKS, len(line)):
        raise InputError(f"{path}:1: {tasks} tasks in a head of {len(line)} characters")
    placed = [task.partition(":")[2] for task in found[4].split(",")]  # THREADS:NODE of each task
    known = len(placed) == tasks and all(map(_NUMBER.fullmatch, placed))
    return _Head(_UNITS_NS[found[1] or ""], [int(node) for node in placed] if known else [0] * tasks)


def _nodes(path: Path, head: _Head) -> list[str]:
    """Names of the nodes of all ranks, from the .row file; without it those that Paraver shows."""
    if not all(head.nodes):
        return []
    row = _beside(path, ".row")
    names = [] if row is None else _names_of_nodes(_lines(row))
    return [names[node - 1] if node <= len(names) else f"NODE {node}" for node in head.nodes]


def _names_of_nodes(lines: list[str]) -> list[str]:
    for at, line in enumerate(lines):
        found = re.fullmatch(r"LEVEL NODE SIZE ([0-9]{1,9})\s*", line)
        if found is not None:
            return [name.strip() for name in lines[at + 1 : at + 1 + int(found[1])] if name.strip()]
    return []


def _take(found: Paraver, kind: str, words: list[str], unit_ns: int) -> None:
    """One record: a state (1), an event (2), a message (3) or a communicator (c)."""
    if kind == "1":
        found.states += 1
        return
    values = [int(word) for word in words]
    if kind == "c":
        members = [task - 1 for task in values[3:]]
        if len(members) != values[2] or any(not 0 <= task < len(found.tasks) for task in members):
            raise ValueError
        found.communicators[values[1]] = members
    elif kind == "2":
        if values[1] == _APPLICATION:
            _take_events(found, values, unit_ns)
    elif values[1] == values[7] == _APPLICATION:
        sender, receiver = _rank(values[2], found), _rank(values[8], found)
        found.tasks[sender].sends.extend((values[4] * unit_ns, receiver, values[12], values[13]))
        found.tasks[receiver].receives.extend(
            (values[10] * unit_ns, values[11] * unit_ns, sender, values[12], values[13])
        )


def _take_events(found: Paraver, values: list[int], unit_ns: int) -> None:
    task = found.tasks[_rank(values[2], found)]
    for event, value in zip(values[5::2], values[6::2], strict=True):
        if not _concerns(event):
            found.others[event] += 1
        elif values[3] != 1:
            found.of_threads += event in CALL_TYPES and value != 0
        else:
            task.events.extend((values[4] * unit_ns, event, value))


def _concerns(event: int) -> bool:
    return event in CALL_TYPES or SEND_SIZE <= event <= COMMUNICATOR


def _rank(task: int, found: Paraver) -> int:
    if not 0 < task <= len(found.tasks):
        raise ValueError
    return task - 1


@dataclass
class ParaverCall:
    """One call of a rank."""

    name: str
    begin_ns: int
    end_ns: int
    send_bytes: int = 0
    receive_bytes: int = 0
    root: bool = False
    comm: int = 0


def calls_of(trace: Paraver, rank: int) -> Iterator[ParaverCall]:
    """The calls of a rank in order; of one that was under way at the end, the end is not known: -1."""
    events = trace.tasks[rank].events
    present: ParaverCall | None = None
    more: dict[int, int] = defaultdict(int)
    for at in range(0, len(events), 3):
        time_ns, event, value = events[at : at + 3]
        if event not in CALL_TYPES:
            more[event] = value
            if present is not None:
                _detail(present, event, value)
        elif value != 0:
            name = trace.names.calls.get((event, value), f"call {value} of type {event}")
            present = ParaverCall(name, time_ns, time_ns)
            # Details may stand before the call in the same record.
            for kind, detail in more.items():
                _detail(present, kind, detail)
            more.clear()
        elif present is not None:
            present.end_ns = time_ns
            yield present
            present = None
            more.clear()
    if present is not None:
        present.end_ns = -1
        yield present


def _detail(call: ParaverCall, event: int, value: int) -> None:
    if event == SEND_SIZE:
        call.send_bytes = max(0, value)
    elif event == RECEIVE_SIZE:
        call.receive_bytes = max(0, value)
    elif event == IS_ROOT:
        call.root = value != 0
    else:
        call.comm = value
