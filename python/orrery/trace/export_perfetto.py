# SPDX-License-Identifier: BSD-3-Clause
"""Timelines for ui.perfetto.dev: hosts are processes, ranks are their threads, messages are flows and a counter.

Two forms say the same: Chrome's JSON, and Perfetto's own, a protobuf message `Trace`. Of the latter some twenty fields are
written, by hand (https://protobuf.dev/programming-guides/encoding): the package `perfetto` would bring `protobuf` and its
compiled descriptions of a thousand messages to the users of one command.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import IO, BinaryIO, TypeVar

import orrery
from orrery import _core
from orrery.left_out import Omissions
from orrery.trace.start_up import STARTS
from orrery.trace.timed_calls import TimedCalls
from orrery.trace.timeline import TimelineCall
from orrery.words import name as word

_COUNTER = "messages under way"
_MESSAGES = frozenset(("isend", "irecv", "put", "get", "accumulate"))
_REMEMBERED = 1 << 16
"""Calls whose description is kept for others that say the same."""


def export_perfetto(file: _core.TraceFile, out: IO[str]) -> Omissions:
    """Chrome's JSON, which chrome://tracing draws, too; times in microseconds. Returns what is not in it.

    Raises InputError when the trace does not say when anything happened, or what.
    """
    line = _line(file)
    out.write(f'{{"orrery":"{orrery.__version__}","displayTimeUnit":"ns","traceEvents":[')
    separator = ""
    for event in _events(line):
        out.write(separator + event)
        separator = ",\n"
    out.write("]}\n")
    return line.left_out


def _line(file: _core.TraceFile) -> TimedCalls:
    line = TimedCalls.of(file)
    line.leave_out_messages()
    line.leave_out_untimed()
    return line


def _events(line: TimedCalls) -> Iterator[str]:
    processes = line.processes
    for name, number in processes.items():
        yield json.dumps({"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}})
    of_rank = [processes[name] for name in line.hosts]
    said = _remembered(line.file, _as_json)
    for rank, process in enumerate(of_rank):
        at = f'"pid": {process}, "tid": {rank}'
        yield f'{{"ph": "M", {at}, "name": "thread_name", "args": {{"name": "rank {rank}"}}}}'
        for call in line.calls(rank):
            name, arguments = said(_described(call))
            times = f'"ts": {call.begin_ns / 1000}, "dur": {(call.end_ns - call.begin_ns) / 1000}'
            yield f'{{"ph": "X", {at}, "name": {name}, {times}, "args": {arguments}}}'
    for number, message in enumerate(line.messages(), start=1):
        about = f'"id": {number}, "cat": "message", "name": "message"'
        begin = f'"ts": {message.begin_ns / 1000}, "pid": {of_rank[message.source]}, "tid": {message.source}'
        # An arrow ends in the call that is open at its time: a ns before the end, when that call is over.
        end_us = max(message.begin_ns, message.end_ns - 1) / 1000
        end = f'"ts": {end_us}, "pid": {of_rank[message.destination]}, "tid": {message.destination}'
        yield f'{{"ph": "s", {about}, {begin}}}'
        yield f'{{"ph": "f", "bp": "e", {about}, {end}}}'
    for time_ns, count in line.under_way():
        yield json.dumps({"ph": "C", "pid": 0, "name": _COUNTER, "ts": time_ns / 1000, "args": {"messages": count}})


def _as_json(name: str, arguments: dict[str, int | str]) -> tuple[str, str]:
    return json.dumps(name), json.dumps(arguments)


_Described = tuple[int, int, int, int, int, int, int, int, int]
_Said = TypeVar("_Said")


def _described(call: TimelineCall) -> _Described:
    """What is said of a call besides its times."""
    return (
        call.routine,
        call.kind,
        call.collective,
        call.peer,
        call.tag,
        call.bytes,
        call.algorithm,
        call.comm,
        call.site,
    )


def _remembered(
    file: _core.TraceFile, say: Callable[[str, dict[str, int | str]], _Said]
) -> Callable[[_Described], _Said]:
    """What `say` makes of the name and the arguments of a call; many calls say the same."""
    routines, algorithms, sites = file.routines, file.algorithms, file.sites
    kinds, collectives = _core.operation_kinds(), _core.collective_kinds()

    @lru_cache(_REMEMBERED)
    def said(described: _Described) -> _Said:
        routine, kind, collective, peer, tag, size, algorithm, comm, site = described
        arguments: dict[str, int | str] = {"kind": "start-up" if routines[routine] in STARTS else kinds[kind]}
        if kinds[kind] in _MESSAGES:
            arguments |= {"peer": peer, "tag": tag, "bytes": size}
        if kinds[kind] == "collective":
            arguments |= {"collective": collectives[collective], "bytes": size}
        if algorithms.get(algorithm):
            arguments["algorithm"] = algorithms[algorithm]
        if comm:
            arguments["comm"] = comm
        if site in sites:
            arguments["called from"] = sites[site]
        return say(routines[routine], arguments)

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


def export_pftrace(file: _core.TraceFile, out: BinaryIO) -> Omissions:
    """Perfetto's own form, times in nanoseconds. Returns what is not in it.

    The first packet names a track without events after Orrery's version. Raises InputError as `export_perfetto` does.
    """
    line = _line(file)
    about = f"Orrery {orrery.__version__}"
    out.write(_packet(_text(_DESCRIPTOR, _uint(_UUID, _ABOUT_TRACK) + _text(_NAME, about))))
    for name, number in line.processes.items():
        process = _uint(_PID, number) + _text(_PROCESS_NAME, name)
        out.write(_packet(_text(_DESCRIPTOR, _uint(_UUID, _FIRST_PROCESS + number) + _text(_PROCESS, process))))
    flows = _flows(line)
    said = _remembered(file, _as_fields)
    for rank, host in enumerate(line.hosts):
        number = line.processes[host]
        thread = _uint(_THREAD_PID, number) + _uint(_TID, rank + 1) + _text(_THREAD_NAME, f"rank {rank}")
        track = _uint(_UUID, _FIRST_RANK + rank) + _text(_THREAD, thread) + _uint(_PARENT, _FIRST_PROCESS + number)
        out.write(_packet(_text(_DESCRIPTOR, track)))
        on_track = _uint(_TRACK, _FIRST_RANK + rank)
        begin, end = _uint(_TYPE, _BEGIN) + on_track, _text(_EVENT, _uint(_TYPE, _END) + on_track)
        for call in line.calls(rank):
            title, notes = said(_described(call))
            of_call = b"".join(flows[rank].pop(number, b"") for number in range(call.number, call.behind))
            out.write(_packet(_uint(_TIMESTAMP, call.begin_ns) + _text(_EVENT, begin + title + of_call + notes)))
            out.write(_packet(_uint(_TIMESTAMP, call.end_ns) + end))
    counter = _uint(_UUID, _COUNTER_UUID) + _text(_NAME, _COUNTER) + _text(_COUNTER_TRACK, b"")
    out.write(_packet(_text(_DESCRIPTOR, counter)))
    for time_ns, count in line.under_way():
        event = _uint(_TYPE, _COUNT) + _uint(_TRACK, _COUNTER_UUID) + _uint(_VALUE, count)
        out.write(_packet(_uint(_TIMESTAMP, time_ns) + _text(_EVENT, event)))
    return line.left_out


def _flows(line: TimedCalls) -> list[defaultdict[int, bytes]]:
    """By rank, then by operation: fields that say which messages begin with it, then which are complete with it.

    Messages have numbers from 1 on.
    """
    leaving = [defaultdict[int, bytes](bytes) for _ in line.hosts]
    coming = [defaultdict[int, bytes](bytes) for _ in line.hosts]
    for number, message in enumerate(line.messages(), start=1):
        at = number.to_bytes(8, "little")
        leaving[message.source][message.sent_by] += _FLOW_KEY + at
        coming[message.destination][message.completed_by] += _LAST_OF_FLOW_KEY + at
    for to, more in zip(leaving, coming, strict=True):
        for operation, fields in more.items():
            to[operation] += fields
    return leaving


def _as_fields(name: str, arguments: dict[str, int | str]) -> tuple[bytes, bytes]:
    return _text(_EVENT_NAME, name), b"".join(_note(key, value) for key, value in arguments.items())


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
    data = word(value).encode() if isinstance(value, str) else value
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


_FLOW_KEY, _LAST_OF_FLOW_KEY = _key(_FLOW, 1), _key(_LAST_OF_FLOW, 1)
