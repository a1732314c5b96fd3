# SPDX-License-Identifier: BSD-3-Clause
"""A small Paraver trace of two ranks, as Extrae's merger writes one."""

from __future__ import annotations

import gzip
from pathlib import Path

INIT_NS, END_NS = 100_000_000, 103_100_000

_PCF = """DEFAULT_OPTIONS

EVENT_TYPE
9    50000001    MPI Point-to-point
VALUES
1    MPI_Send
2    MPI_Recv
0    Outside MPI

EVENT_TYPE
9    50000003    MPI Other
VALUES
31   MPI_Init
32   MPI_Finalize
33   MPI_Comm_rank
34   MPI_Win_fence
0    Outside MPI

EVENT_TYPE
7    42000050    PAPI_TOT_INS
"""
_ROW = """LEVEL CPU SIZE 2
CPU 1
CPU 2

LEVEL NODE SIZE 2
lyon-1
lyon-2

LEVEL THREAD SIZE 2
THREAD 1.1.1
THREAD 1.2.1
"""


def event(task: int, time_ns: int, *pairs: int) -> str:
    """A record of pairs of type and value."""
    return f"2:{task}:1:{task}:1:{time_ns}:" + ":".join(map(str, pairs))


def call(task: int, begin_ns: int, end_ns: int, kind: int, value: int) -> list[tuple[int, str]]:
    """Two records, with their times."""
    return [(begin_ns, event(task, begin_ns, kind, value)), (end_ns, event(task, end_ns, kind, 0))]


def write_trace(folder: Path, *more: tuple[int, str], compressed: bool = False, nodes: bool = True) -> Path:
    """MPI_Init for 100 ms, 1 ms of computation, a message of 1,024 bytes for 1 ms, 1 ms of computation, MPI_Finalize for
    0.1 ms; and `more` records by their times. The first rank is on the first node, the second on the second.
    """
    records = [*more]
    for task in (1, 2):
        records += call(task, 0, INIT_NS, 50000003, 31)
        records += call(task, 101_000_000, 102_000_000, 50000001, task)
        records += call(task, 103_000_000, END_NS, 50000003, 32)
    records.append((101_000_000, "3:1:1:1:1:101000000:101000100:2:1:2:1:101000000:102000000:1024:7"))
    records.sort(key=lambda record: record[0])
    head = f"#Paraver (01/01/26 at 00:00):{END_NS}_ns:2(1,1):1:2(1:1,1:2),1\nc:1:1:2:1:2\n"
    (folder / "t.pcf").write_text(_PCF)
    if nodes:
        (folder / "t.row").write_text(_ROW)
    content = (head + "".join(f"{record}\n" for _, record in records)).encode()
    prv = folder / ("t.prv.gz" if compressed else "t.prv")
    prv.write_bytes(gzip.compress(content) if compressed else content)
    return prv
