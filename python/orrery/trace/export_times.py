# SPDX-License-Identifier: BSD-3-Clause
"""When calls happened: tables, and timelines for other programs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import IO

from orrery import _core
from orrery.left_out import Omissions
from orrery.marks import COMMENT
from orrery.trace.reading import Operation, operations
from orrery.trace.start_up import StartUp
from orrery.trace.timed_calls import ONLY_COUNTED, TimedCalls, counted_calls
from orrery.words import cell, paje

_COLUMNS = ["rank", "number", "begin_s", "end_s", "compute_s", "kind", "routine", "collective", "algorithm", "peer", "tag",
            "comm", "bytes", "requests", "site"]  # fmt: skip


def export_csv(file: _core.TraceFile, out: IO[str]) -> Omissions:
    """A table with one row for each operation; times in seconds, empty where they are not known. Returns what is not in it."""
    table = csv.writer(out)
    table.writerow(_COLUMNS)
    for rank in range(file.streams):
        for number, operation in enumerate(operations(file, rank)):
            table.writerow(map(cell, _row(rank, number, operation)))
    return beside_operations(file)


def beside_operations(file: _core.TraceFile) -> Omissions:
    """What of a trace is no operation, so that a table of operations lacks it."""
    left_out = Omissions()
    left_out.add(ONLY_COUNTED, "they are no operations", counted_calls(file))
    outside = StartUp.of(file)
    why = "it is outside of all operations: `orrery profile` says it"
    left_out.add("time in MPI_Init before the start of the run", why, sum(ns > 0 for ns in outside.before_ns))
    left_out.add("time in MPI_Finalize behind the last operation", why, sum(ns > 0 for ns in outside.behind_ns))
    return left_out


def _row(rank: int, number: int, o: Operation) -> list[object]:
    timed = o.end_ns >= 0
    begin = f"{o.begin_ns * 1e-9:.9f}" if timed else ""
    end = f"{o.end_ns * 1e-9:.9f}" if timed else ""
    requests = " ".join(map(str, o.requests)) or (o.request or "")
    return [rank, number, begin, end, o.compute_s, o.kind, o.routine, o.collective, o.ran, o.peer, o.tag, o.comm, o.bytes,
            requests, o.site]  # fmt: skip


_PAJE_HEAD = """%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
0 R 0 RANK
1 S R STATE
"""


def export_paje(file: _core.TraceFile, out: IO[str]) -> Omissions:
    """Paje's format, which ViTE and pj_dump read: a container for each rank, a state for each call. Returns what is not in it.

    Raises InputError when the trace does not say when anything happened, or what.
    """
    line = TimedCalls.of(file)
    line.leave_out_sites()
    line.left_out.add("messages", "they are not written: states only", len(line.sent.timed))
    ranks = range(len(line.hosts))
    out.write(f"{COMMENT}\n{_PAJE_HEAD}")
    for rank in ranks:
        out.write(f'2 0 r{rank} R 0 "rank {rank}"\n')
    end_ns = 0
    for time_ns, rank, routine in merge(*(_changes(line, rank) for rank in ranks), key=itemgetter(0)):
        begin = f"4 {time_ns * 1e-9:.9f} S r{rank} {paje(routine)}\n"
        out.write(begin if routine else f"5 {time_ns * 1e-9:.9f} S r{rank}\n")
        end_ns = max(end_ns, time_ns)
    for rank in ranks:
        out.write(f"3 {end_ns * 1e-9:.9f} R r{rank}\n")
    return line.left_out


def _changes(line: TimedCalls, rank: int) -> Iterator[tuple[int, int, str]]:
    """When the state of a rank changes, in ns and in order, and to which routine; empty: it leaves it."""
    routines = line.file.routines
    for call in line.calls(rank):
        yield call.begin_ns, rank, routines[call.routine]
        yield call.end_ns, rank, ""
