# SPDX-License-Identifier: BSD-3-Clause
"""When calls happened: tables, and timelines for other programs."""

from __future__ import annotations

import csv
from typing import IO

from orrery import _core
from orrery.marks import COMMENT
from orrery.trace.reading import Operation, operations
from orrery.trace.timeline import calls_of

_COLUMNS = ["rank", "number", "begin_s", "end_s", "compute_s", "kind", "routine", "collective", "algorithm", "peer", "tag",
            "comm", "bytes", "requests", "site"]  # fmt: skip


def export_csv(file: _core.TraceFile, out: IO[str]) -> None:
    """A table with one row for each operation; times in seconds, empty where they are not known."""
    table = csv.writer(out)
    table.writerow(_COLUMNS)
    for rank in range(file.streams):
        for number, operation in enumerate(operations(file, rank)):
            table.writerow(_row(rank, number, operation))


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


def export_paje(file: _core.TraceFile, out: IO[str]) -> None:
    """Paje's format, which ViTE and pj_dump read: a container for each rank, a state for each call."""
    out.write(f"{COMMENT}\n{_PAJE_HEAD}")
    for rank in range(file.streams):
        out.write(f'2 0 r{rank} R 0 "rank {rank}"\n')
    _core.trace_end_ns(file)
    routines = file.routines
    # Events are ordered by time over all ranks; those of one rank are already.
    events = [
        event
        for rank in range(file.streams)
        for call in calls_of(file, rank)
        for event in ((call.begin_ns, 1, rank, routines.get(call.routine, "")), (call.end_ns, 0, rank, ""))
        if call.end_ns > call.begin_ns
    ]
    events.sort(key=lambda event: (event[0], event[1]))
    for time, begins, rank, routine in events:
        what = f'4 {time * 1e-9:.9f} S r{rank} "{routine}"' if begins else f"5 {time * 1e-9:.9f} S r{rank}"
        out.write(what + "\n")
    end = events[-1][0] * 1e-9 if events else 0.0
    for rank in range(file.streams):
        out.write(f"3 {end:.9f} R r{rank}\n")
