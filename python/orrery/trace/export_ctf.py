# SPDX-License-Identifier: BSD-3-Clause
"""The Common Trace Format 1.8, which babeltrace2 and Trace Compass read: `metadata`, and a file of events for each rank.

Written by hand (https://diamon.org/ctf/v1.8.3): libraries that write it are for C, and what Babeltrace has for Python is not
on PyPI.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from struct import Struct
from typing import BinaryIO

import orrery
from orrery import _core
from orrery.left_out import Omissions
from orrery.trace.timed_calls import TimedCalls
from orrery.words import ctf, name

METADATA = "metadata"
_MAGIC = 0xC1FC1FC1
_MANY = 1 << 16
"""Events of a packet, of which there is one in memory."""

# Little-endian and without gaps, as the metadata say.
_HEADER = Struct("<II")
_CONTEXT = Struct("<QQQQI")
_ENTER_LEAVE = Struct("<HQH")
_MESSAGE = Struct("<HQIIiq")
_COLLECTIVE = Struct("<HQHHIiq")
_ENTER, _LEAVE, _SEND, _RECEIVE, _BEGIN = range(5)
_DESCRIPTION = """/* CTF 1.8 */
/* Written by Orrery {version} */
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := int64_t;
trace {{
  major = 1;
  minor = 8;
  byte_order = le;
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; }};
}};
env {{
{environment}}};
clock {{
  name = run;
  description = "since the start of the run";
  freq = 1000000000;
}};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.run.value; }} := ns_t;
stream {{
  id = 0;
  packet.context := struct {{
    uint64_t content_size; uint64_t packet_size; ns_t timestamp_begin; ns_t timestamp_end; uint32_t rank; string host;
  }};
  event.header := struct {{ uint16_t id; ns_t timestamp; }};
}};
{events}"""
_EVENTS = (
    ("mpi_enter", "{routines} routine;"),
    ("mpi_leave", "{routines} routine;"),
    ("mpi_send", "uint32_t destination; uint32_t comm; int32_t tag; int64_t bytes;"),
    ("mpi_receive", "uint32_t source; uint32_t comm; int32_t tag; int64_t bytes;"),
    ("mpi_collective", "{collectives} kind; {algorithms} algorithm; uint32_t comm; int32_t root; int64_t bytes;"),
)


def export_ctf(file: _core.TraceFile, folder: Path) -> Omissions:
    """Write `metadata`, and `rank-0` and so on, into a folder. Returns what is not in them.

    Raises InputError when the trace does not say when anything happened, or what.
    """
    line = TimedCalls.of(file)
    line.leave_out_messages()
    line.leave_out_sites()
    messages = _by_operation(line)
    for rank, host in enumerate(line.hosts):
        with (folder / f"rank-{rank}").open("wb") as out:
            _write_packets(out, rank, host, _events(line, rank, messages[rank]))
    (folder / METADATA).write_text(_metadata(file), encoding="utf-8")
    return line.left_out


_Event = tuple[int, bytes]
"""When, and what is written."""


def _by_operation(line: TimedCalls) -> list[defaultdict[int, list[_Event]]]:
    """By rank, then by operation: what it sent, and what was received with it."""
    found = [defaultdict[int, list[_Event]](list) for _ in line.hosts]
    sent, shift = line.sent, line.start_up.shift_ns
    columns = (sent.begin_ns, sent.end_ns, sent.source, sent.destination, sent.comm, sent.tag, sent.bytes,
               sent.sent_by, sent.completed_by)  # fmt: skip
    for begin, end, source, destination, comm, tag, size, sent_by, completed_by in zip(*columns, strict=True):
        began, ended = begin + shift, end + shift
        found[source][sent_by].append((began, _MESSAGE.pack(_SEND, began, destination, comm, tag, size)))
        found[destination][completed_by].append((ended, _MESSAGE.pack(_RECEIVE, ended, source, comm, tag, size)))
    return found


def _events(line: TimedCalls, rank: int, messages: Mapping[int, list[_Event]]) -> Iterator[_Event]:
    """In the order of time: messages are within the calls that sent them, and that completed their receives."""
    collective = _core.operation_kinds().index("collective")
    for call in line.calls(rank):
        if not call.routine:  # a sleep
            continue
        yield call.begin_ns, _ENTER_LEAVE.pack(_ENTER, call.begin_ns, call.routine)
        if call.kind == collective:
            what = (call.collective, call.algorithm, call.comm, call.peer, call.bytes)
            yield call.begin_ns, _COLLECTIVE.pack(_BEGIN, call.begin_ns, *what)
        inside = [event for number in range(call.number, call.behind) for event in messages.get(number, ())]
        yield from sorted(inside) if len(inside) > 1 else inside
        yield call.end_ns, _ENTER_LEAVE.pack(_LEAVE, call.end_ns, call.routine)


def _write_packets(out: BinaryIO, rank: int, host: str, events: Iterable[_Event]) -> None:
    """There is one at least."""
    word = name(host).encode() + b"\0"
    batch: list[bytes] = []
    first = last = 0

    def flush() -> None:
        content = b"".join(batch)
        bits = 8 * (_HEADER.size + _CONTEXT.size + len(word) + len(content))
        out.write(_HEADER.pack(_MAGIC, 0) + _CONTEXT.pack(bits, bits, first, last, rank) + word + content)
        batch.clear()

    for last, what in events:
        if not batch:
            first = last
        batch.append(what)
        if len(batch) == _MANY:
            flush()
    if batch or out.tell() == 0:
        flush()


def _metadata(file: _core.TraceFile) -> str:
    names = {
        "routines": _enumeration(file.routines),
        "algorithms": _enumeration({0: "unknown"} | {number: name for number, name in file.algorithms.items() if name}),
        "collectives": _enumeration(dict(enumerate(_core.collective_kinds()))),
    }
    events = "".join(
        f'event {{\n  name = "{name}";\n  id = {number};\n  stream_id = 0;\n'
        f"  fields := struct {{ {fields.format(**names)} }};\n}};\n"
        for number, (name, fields) in enumerate(_EVENTS)
    )
    known = {"tracer_name": "Orrery", "ranks": str(file.ranks)} | dict(file.properties)
    environment = "".join(f"  {_word(key)} = {ctf(value)};\n" for key, value in known.items())
    return _DESCRIPTION.format(version=orrery.__version__, environment=environment, events=events)


def _enumeration(names: Mapping[int, str]) -> str:
    members = ", ".join(f"{ctf(name)} = {number}" for number, name in sorted(names.items()) if number < 1 << 16)
    return f"enum : uint16_t {{ {members} }}"


def _word(text: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in text)
