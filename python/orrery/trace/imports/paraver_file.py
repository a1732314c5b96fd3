# SPDX-License-Identifier: BSD-3-Clause
"""The text files of a Paraver trace, as Extrae writes them: records (.prv), names (.pcf)."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from orrery.errors import InputError

CALL_TYPES = range(50000001, 50000100)
"""Types of events whose values are calls of MPI's; 0: the call is over."""

SEND_SIZE, RECEIVE_SIZE, IS_ROOT, COMMUNICATOR = range(50100001, 50100005)
"""Types of events that say more of a collective, in bytes and numbers of the head."""

_UNITS_NS = {"": 1000, "_us": 1000, "_ns": 1}
_MOST_TASKS = 1 << 24


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
    communicators: dict[int, list[int]]
    """Ranks, by number."""
    calls: dict[tuple[int, int], str]
    """Names of MPI's routines, by type and value of their events."""
    damage: str = ""
    """Where reading ended before the end; empty: it did not."""
    threads: bool = False
    """Other threads than the first of a rank had events of calls, which were left out."""


def read_paraver(path: Path) -> Paraver:
    """Read `path` (.prv) and the names beside it. Raises InputError naming file and line of what cannot be read."""
    calls = _names(path.with_suffix(".pcf"))
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _records(path, file, calls)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: cannot read the trace") from None


def _names(path: Path) -> dict[tuple[int, int], str]:
    """Of calls, from blocks of EVENT_TYPE lines, then VALUES."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}: the names of calls are beside the records, in a .pcf file"
        ) from None
    names: dict[tuple[int, int], str] = {}
    types: list[int] = []
    inside = ""
    for line in text.splitlines():
        words = line.split()
        if not words:
            inside, types = "", []
        elif words[0] in ("EVENT_TYPE", "VALUES"):
            inside = words[0]
        elif inside == "EVENT_TYPE" and len(words) > 1 and words[1].isdecimal():
            types.append(int(words[1]))
        elif inside == "VALUES" and words[0].isdecimal() and len(words) > 1:
            names |= {(one, int(words[0])): words[1] for one in types if one in CALL_TYPES}
    if not any(name.startswith("MPI_") for name in names.values()):
        raise InputError(f"{path}: names no calls of MPI; expected VALUES of event types from {CALL_TYPES.start} on")
    return names


def _records(path: Path, file: IO[str], calls: dict[tuple[int, int], str]) -> Paraver:
    head = file.readline()
    unit_ns, first, count = _head(path, head)
    found = Paraver([Task() for _ in range(count)], {}, calls)
    for number, line in enumerate(file, start=2):
        if line[:2] not in ("2:", "3:", "c:"):
            continue
        if not line.endswith("\n"):
            found.damage = f"line {number} is not complete"
            break
        try:
            _take(found, line[0], line[2:].rstrip().split(":"), first, unit_ns)
        except (ValueError, IndexError, OverflowError):
            raise InputError(f'{path}:{number}: cannot be read: "{line.rstrip()[:80]}"') from None
    return found


def _head(path: Path, line: str) -> tuple[int, int, int]:
    """Nanoseconds of its unit, number of the application that has ranks, and how many."""
    found = re.match(r"#Paraver \(.*?\):(\d+)(_ns|_us)?:[^:(]*(?:\([^)]*\))?:(\d+):(\d+)\(", line)
    if found is None:
        raise InputError(f"{path}:1: is no head of a Paraver trace: #Paraver (DATE):TIME_ns:NODES(...):1:TASKS(...)")
    applications, tasks = int(found[3]), int(found[4])
    if applications != 1:
        raise InputError(f"{path}:1: {applications} applications; expected one")
    if not 0 < tasks <= min(_MOST_TASKS, len(line)):
        raise InputError(f"{path}:1: {tasks} tasks in a head of {len(line)} characters")
    return _UNITS_NS[found[2] or ""], 1, tasks


def _take(found: Paraver, kind: str, words: list[str], application: int, unit_ns: int) -> None:
    """One record: an event (2), a message (3) or a communicator (c)."""
    values = [int(word) for word in words]
    if kind == "c":
        members = [task - 1 for task in values[3:]]
        if len(members) != values[2] or any(not 0 <= task < len(found.tasks) for task in members):
            raise ValueError
        found.communicators[values[1]] = members
    elif kind == "2":
        if values[1] != application:
            return
        events = [(t, v) for t, v in zip(values[5::2], values[6::2], strict=True) if _concerns(t)]
        if events and values[3] != 1:
            found.threads = True
        elif events:
            task = found.tasks[_rank(values[2], found)]
            for event, value in events:
                task.events.extend((values[4] * unit_ns, event, value))
    elif values[1] == values[7] == application:
        sender, receiver = _rank(values[2], found), _rank(values[8], found)
        found.tasks[sender].sends.extend((values[4] * unit_ns, receiver, values[12], values[13]))
        found.tasks[receiver].receives.extend(
            (values[10] * unit_ns, values[11] * unit_ns, sender, values[12], values[13])
        )


def _concerns(event: int) -> bool:
    return event in CALL_TYPES or SEND_SIZE <= event <= COMMUNICATOR


def _rank(task: int, found: Paraver) -> int:
    if not 0 < task <= len(found.tasks):
        raise ValueError
    return task - 1


@dataclass
class CallEvent:
    """One call of a rank."""

    name: str
    begin_ns: int
    end_ns: int
    send_bytes: int = 0
    receive_bytes: int = 0
    root: bool = False
    comm: int = 0


def calls_of(trace: Paraver, rank: int) -> Iterator[CallEvent]:
    """The calls of a rank in order; one that was under way at the end is left out."""
    events = trace.tasks[rank].events
    present: CallEvent | None = None
    more: dict[int, int] = defaultdict(int)
    for at in range(0, len(events), 3):
        time_ns, event, value = events[at : at + 3]
        if event not in CALL_TYPES:
            more[event] = value
            if present is not None:
                _detail(present, event, value)
        elif value != 0:
            name = trace.calls.get((event, value), f"call {value} of type {event}")
            present = CallEvent(name, time_ns, time_ns)
            # Details may stand before the call in the same record.
            for kind, detail in more.items():
                _detail(present, kind, detail)
            more.clear()
        elif present is not None:
            present.end_ns = time_ns
            yield present
            present = None
            more.clear()


def _detail(call: CallEvent, event: int, value: int) -> None:
    if event == SEND_SIZE:
        call.send_bytes = max(0, value)
    elif event == RECEIVE_SIZE:
        call.receive_bytes = max(0, value)
    elif event == IS_ROOT:
        call.root = value != 0
    else:
        call.comm = value
