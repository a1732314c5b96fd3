# SPDX-License-Identifier: BSD-3-Clause
"""Tables of nccl-tests and rccl-tests, as they print them or write them as JSON.

Sizes of allgather, alltoall, gather and scatter are those of all ranks together (`LogTable.of_all_ranks`). Times are those out
of place, or in place where there are no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orrery.benchmark_logs.osu import row_of
from orrery.benchmark_logs.table import LogRow, LogTable

_HEADER = re.compile(r"^#\s+size\s+count\b")
_DEVICE = re.compile(r"^#\s*Rank\s+\d+\s.*\son\s+(\S+)\s+device\b")
_BEGIN = re.compile(r"^#\s*(?:nThread|Using devices|Collective test starting|nccl-tests version)")
_LIBRARY = re.compile(r"(?:nccl-library=(\d+)|((?:NCCL|RCCL) version\s*:?\s*[\w.+-]+))")
_OPERATIONS = {
    "all_reduce": "allreduce",
    "allreduce": "allreduce",
    "all_gather": "allgather",
    "allgather": "allgather",
    "reduce_scatter": "reduce_scatter",
    "reducescatter": "reduce_scatter",
    "broadcast": "bcast",
    "reduce": "reduce",
    "alltoall": "alltoall",
    "gather": "gather",
    "scatter": "scatter",
}
_UNNAMED = (
    "its text does not say which collective it is; keep the line that starts the program, as all_reduce_perf, with it"
)
_GPU = "buffers are in the memory of GPUs, and another library than MPI moves them: neither is simulated"


class Nccl:
    """Reads the lines of a log."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._hosts: list[str] = []
        self._library = ""
        self._table: LogTable | None = None
        self._columns: list[str] = []

    def title(self, number: int, line: str, program: str) -> LogTable | None:
        """The table whose columns this line names. `program`: the last one that the log started, as all_reduce_perf."""
        if _BEGIN.match(line) is not None and self._table is not None:
            self._hosts, self._table = [], None
        if (device := _DEVICE.match(line)) is not None:
            self._hosts.append(device[1])
        if (library := _LIBRARY.search(line)) is not None:
            self._library = f"NCCL {library[1]}" if library[1] else library[2]
        if _HEADER.match(line) is None:
            return None
        words = line.lstrip("# ").split()
        self._columns = ["bytes" if word == "size" else f"{i} {word}" for i, word in enumerate(words)]
        if "time" in words:
            self._columns[words.index("time")] = "us"
        self._table = _table(self._file, number, program.removesuffix("_perf"), self._library)
        _place(self._table, self._hosts)
        return self._table

    def row(self, number: int, line: str) -> LogRow | None:
        """The row that this line is."""
        words = line.split()
        if self._table is None or line.startswith("#") or len(words) != len(self._columns):
            return None
        return row_of(number, dict(zip(self._columns, words, strict=True)))


def tables_of_json(file: Path, document: Any) -> list[LogTable]:
    """Tables of a document of nccl-tests (`results`) or of a list of rccl-tests' records; empty for any other document."""
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        return [_of_results(file, document)]
    records = document if isinstance(document, list) else [document]
    if not all(isinstance(record, dict) and {"name", "size", "time", "ranks"} <= record.keys() for record in records):
        return []
    tables: dict[tuple[Any, ...], LogTable] = {}
    for record in records:
        key = (record["name"], record["ranks"], record.get("nodes"), record.get("numCycle"), record.get("inPlace"))
        if not record.get("inPlace"):
            _of_record(tables.setdefault(key, _table(file, 0, str(record["name"]), "RCCL")), record)
    return list(tables.values())


def _of_results(file: Path, document: Mapping[str, Any]) -> LogTable:
    args = document.get("args") or document.get("command") or ""
    named = re.search(r"(\w+)_perf\b", " ".join(map(str, args)) if isinstance(args, list) else str(args))
    table = _table(file, 0, named[1] if named else "", f"NCCL {document.get('nccl_version', '')}".strip())
    devices = document.get("devices") or []
    hosts = [str(device.get("hostname", "")) for device in devices if isinstance(device, dict)]
    _place(table, [host for host in hosts if host])
    for result in document["results"]:
        times = (result.get("out_of_place") or result.get("in_place")) if isinstance(result, dict) else None
        if isinstance(times, dict) and "size" in result and "time" in times:
            _add(table, result["size"], times["time"])
    return table


def _of_record(table: LogTable, record: Mapping[str, Any]) -> None:
    for name, key in (("ranks", "ranks"), ("nodes", "nodes"), ("ppn", "ranksPerNode")):
        if isinstance(record.get(key), int):
            setattr(table, name, record[key])
    _add(table, record["size"], record["time"])


def _add(table: LogTable, size: object, time_us: object) -> None:
    if (row := row_of(0, {"bytes": str(size), "us": str(time_us)})) is not None:
        table.rows.append(row)


def _table(file: Path, line: int, name: str, library: str) -> LogTable:
    operation = _OPERATIONS.get(name.lower(), "")
    unknown = "it times something that is not simulated as a call of its own" if name else _UNNAMED
    return LogTable(
        file=file,
        line=line,
        program="nccl-tests",
        title=name or "table",
        operation=operation,
        of_all_ranks=True,
        library=library,
        left_out="" if operation else unknown,
        remarks=[_GPU],
    )


def _place(table: LogTable, hosts: Sequence[str]) -> None:
    if hosts:
        table.ranks, table.nodes = len(hosts), len(set(hosts))
        each = {hosts.count(host) for host in set(hosts)}
        table.ppn = each.pop() if len(each) == 1 else None
