# SPDX-License-Identifier: BSD-3-Clause
"""Timelines for ui.perfetto.dev: hosts are processes, ranks are their threads, messages are flows and a counter.

Two forms say the same: Chrome's JSON, and Perfetto's own, a protobuf message `Trace`. Of the latter some twenty fields are
written, by hand (https://protobuf.dev/programming-guides/encoding): the package `perfetto` would bring `protobuf` and its
compiled descriptions of a thousand messages to the users of one command.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import IO, Any, BinaryIO

import orrery
from orrery import _core
from orrery.trace.reading import Operation
from orrery.trace.timed_calls import Place, Timeline, timed, under_way

_COUNTER = "messages under way"


def export_perfetto(file: _core.TraceFile, out: IO[str]) -> None:
    """Chrome's JSON, which chrome://tracing draws, too; times in microseconds."""
    out.write(f'{{"orrery":"{orrery.__version__}","displayTimeUnit":"ns","traceEvents":[')
    out.write(",\n".join(map(json.dumps, _events(Timeline.of(file)))))
    out.write("]}\n")


def _events(line: Timeline) -> Iterator[dict[str, Any]]:
    processes = line.processes
    for name, number in processes.items():
        yield {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}}
    of_rank = [processes[name] for name in line.hosts]
    for rank, process in enumerate(of_rank):
        at = {"pid": process, "tid": rank}
        yield {"ph": "M", **at, "name": "thread_name", "args": {"name": f"rank {rank}"}}
        for _, one in timed(line.file, rank):
            times = {"ts": one.begin_ns / 1000, "dur": (one.end_ns - one.begin_ns) / 1000}
            yield {"ph": "X", **at, "name": one.routine, **times, "args": arguments(one)}
    about = {"cat": "message", "name": "message"}
    for number, message in enumerate(line.messages, start=1):
        sender, receiver = message.sent[0], message.received[0]
        begin = {"ts": message.begin_ns / 1000, "pid": of_rank[sender], "tid": sender}
        # An arrow ends in the call that is open at its time: a ns before the end, when that call is over.
        end = {"ts": max(message.begin_ns, message.end_ns - 1) / 1000, "pid": of_rank[receiver], "tid": receiver}
        yield {"ph": "s", "id": number, **about, **begin}
        yield {"ph": "f", "bp": "e", "id": number, **about, **end}
    for time_ns, count in under_way(line.messages):
        yield {"ph": "C", "pid": 0, "name": _COUNTER, "ts": time_ns / 1000, "args": {"messages": count}}


def arguments(o: Operation) -> dict[str, int | str]:
    """What is said of a call besides its name and its times."""
    said: dict[str, int | str] = {"kind": o.kind}
    if o.kind in ("isend", "irecv", "put", "get", "accumulate"):
        said |= {"peer": o.peer, "tag": o.tag, "bytes": o.bytes}
    if o.collective:
        said |= {"collective": o.collective, "bytes": o.bytes}
    if o.ran:
        said["algorithm"] = o.ran
    if o.comm:
        said["comm"] = o.comm
    return said


# Numbers of the fields that are written, as in protos/perfetto/trace of Perfetto.
_PACKET = 1  # Trace
_TIMESTAMP, _SEQUENCE, _EVENT, _DESCRIPTOR = 8, 10, 11, 60  # TracePacket
_UUID, _NAME, _PROCESS, _THREAD, _PARENT, _COUNTER_TRACK = 1, 2, 3, 4, 5, 8  # TrackDescriptor
_PID, _PROCESS_NAME = 1, 6  # ProcessDescriptor
_THREAD_PID, _TID, _THREAD_NAME = 1, 2, 5  # ThreadDescriptor
_NOTE, _TYPE, _TRACK, _EVENT_NAME, _VALUE, _FLOW, _LAST_OF_FLOW = 4, 9, 11, 23, 30, 47, 48  # TrackEvent
_NOTE_INT, _NOTE_TEXT, _NOTE_NAME = 4, 6, 10  # DebugAnnotation
_BEGIN, _END, _COUNT = 1, 2, 4  # TrackEvent.Type
_ABOUT_TRACK, _COUNTER_UUID, _FIRST_PROCESS = 1, 2, 1 << 20
_FIRST_RANK = 1 << 32


def export_pftrace(file: _core.TraceFile, out: BinaryIO) -> None:
    """Perfetto's own form, times in nanoseconds. The first packet names a track without events after Orrery's version."""
    line = Timeline.of(file)
    about = f"Orrery {orrery.__version__}"
    out.write(_packet(_text(_DESCRIPTOR, _uint(_UUID, _ABOUT_TRACK) + _text(_NAME, about))))
    for name, number in line.processes.items():
        process = _uint(_PID, number) + _text(_PROCESS_NAME, name)
        out.write(_packet(_text(_DESCRIPTOR, _uint(_UUID, _FIRST_PROCESS + number) + _text(_PROCESS, process))))
    leaving, coming = _flows(line)
    for rank, host in enumerate(line.hosts):
        number = line.processes[host]
        thread = _uint(_THREAD_PID, number) + _uint(_TID, rank + 1) + _text(_THREAD_NAME, f"rank {rank}")
        track = _uint(_UUID, _FIRST_RANK + rank) + _text(_THREAD, thread) + _uint(_PARENT, _FIRST_PROCESS + number)
        out.write(_packet(_text(_DESCRIPTOR, track)))
        for at, one in timed(file, rank):
            flows = _flow_ids(leaving.get((rank, at)), coming.get((rank, at)))
            out.write(_slice(_FIRST_RANK + rank, one, flows))
    counter = _uint(_UUID, _COUNTER_UUID) + _text(_NAME, _COUNTER) + _text(_COUNTER_TRACK, b"")
    out.write(_packet(_text(_DESCRIPTOR, counter)))
    for time_ns, count in under_way(line.messages):
        event = _uint(_TYPE, _COUNT) + _uint(_TRACK, _COUNTER_UUID) + _uint(_VALUE, count)
        out.write(_packet(_uint(_TIMESTAMP, time_ns) + _text(_EVENT, event)))


def _flows(line: Timeline) -> tuple[Mapping[Place, list[int]], Mapping[Place, list[int]]]:
    """Numbers of the messages, from 1 on, that leave in a call, and that are complete in it."""
    leaving, coming = defaultdict[Place, list[int]](list), defaultdict[Place, list[int]](list)
    for number, one in enumerate(line.messages, start=1):
        leaving[one.sent].append(number)
        coming[one.received].append(number)
    return leaving, coming


def _flow_ids(leaving: list[int] | None, coming: list[int] | None) -> bytes:
    return b"".join(
        _key(field, 1) + number.to_bytes(8, "little")
        for field, numbers in ((_FLOW, leaving), (_LAST_OF_FLOW, coming))
        for number in numbers or ()
    )


def _slice(track: int, one: Operation, flows: bytes) -> bytes:
    notes = b"".join(_note(name, value) for name, value in arguments(one).items())
    begin = _uint(_TYPE, _BEGIN) + _uint(_TRACK, track) + _text(_EVENT_NAME, one.routine) + flows + notes
    end = _uint(_TYPE, _END) + _uint(_TRACK, track)
    return _packet(_uint(_TIMESTAMP, one.begin_ns) + _text(_EVENT, begin)) + _packet(
        _uint(_TIMESTAMP, one.end_ns) + _text(_EVENT, end)
    )


def _note(name: str, value: int | str) -> bytes:
    said = _text(_NOTE_TEXT, value) if isinstance(value, str) else _uint(_NOTE_INT, value)
    return _text(_NOTE, _text(_NOTE_NAME, name) + said)


def _packet(content: bytes) -> bytes:
    return _text(_PACKET, content + _uint(_SEQUENCE, 1))


def _uint(field: int, value: int) -> bytes:
    """A field that is a number; negative ones are those of int64."""
    return _key(field, 0) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _text(field: int, value: str | bytes) -> bytes:
    """A field that is a text, or another message."""
    data = value.encode() if isinstance(value, str) else value
    return _key(field, 2) + _varint(len(data)) + data


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Seven bits to a byte, the lowest first; bit 7 says that more follow."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
