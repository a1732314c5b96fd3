# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the Intel MPI benchmarks (IMB-MPI1), as they print them: titles between lines of dashes, and rows."""

from __future__ import annotations

import re
from pathlib import Path

from orrery.benchmark_logs.osu import row_of
from orrery.benchmark_logs.table import ONE_WAY, LogRow, LogTable
from orrery.units import whole_number

_PROGRAM = re.compile(r"^#\s*Intel\s*\(R\) MPI Benchmarks\s+(?P<version>[\w. ]+?),")
_TITLE = re.compile(r"^#\s*Benchmarking\s+(?P<name>\S+)")
_RANKS = re.compile(r"^#\s*#processes\s*=\s*(\d{1,9})")
_GROUPS = re.compile(r"^#\s*\(\s*\d+ groups of \d+ processes")
_OPERATIONS = {
    "pingpong": ONE_WAY,
    "allreduce": "allreduce",
    "reduce": "reduce",
    "reduce_scatter": "reduce_scatter",
    "allgather": "allgather",
    "allgatherv": "allgatherv",
    "gather": "gather",
    "gatherv": "gatherv",
    "scatter": "scatter",
    "scatterv": "scatterv",
    "alltoall": "alltoall",
    "alltoallv": "alltoallv",
    "bcast": "bcast",
    "barrier": "barrier",
}
_COLUMNS = {
    "#bytes": "bytes",
    "#repetitions": "calls",
    "t[usec]": "us",
    "t_min[usec]": "least_us",
    "t_max[usec]": "longest_us",
    "t_avg[usec]": "us",
}
_SYNCHRONISED = 2019
"""From this release on ranks enter each call together, as a barrier before it makes them."""


class Imb:
    """Reads the lines of a log."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._version = ""
        self._table: LogTable | None = None
        self._columns: list[str] = []

    def title(self, number: int, line: str) -> LogTable | None:
        """The table whose title this line is."""
        if (program := _PROGRAM.match(line)) is not None:
            self._version = program["version"].strip()
        if (found := _TITLE.match(line)) is None:
            return None
        operation = _OPERATIONS.get(found["name"].lower(), "")
        self._columns = []
        self._table = LogTable(
            file=self._file,
            line=number,
            program="IMB",
            version=self._version,
            title=found["name"],
            operation=operation,
            left_out="" if operation else "it times something that is not simulated as a call of its own",
        )
        year = self._version.split(".")[0].split(" ")[0]
        if operation not in ("", ONE_WAY) and (whole_number(year) or _SYNCHRONISED) < _SYNCHRONISED:
            self._table.remarks.append(
                f"IMB {self._version} times calls back to back; they are predicted with a barrier before each"
            )
        return self._table

    def row(self, number: int, line: str) -> LogRow | None:
        """The row that this line is; what other lines say about the table is kept."""
        if self._table is None:
            return None
        if (ranks := _RANKS.match(line)) is not None:
            self._table.ranks = int(ranks[1])
        elif _GROUPS.match(line) is not None:
            self._table.left_out = "several groups of ranks did it at once"
        words = line.split()
        if words and words[0] in ("#bytes", "#repetitions"):
            self._columns = [_COLUMNS.get(word, f"other {i}") for i, word in enumerate(words)]
            return None
        if line.startswith("#") or not self._columns or len(words) != len(self._columns):
            return None
        return row_of(number, dict(zip(self._columns, words, strict=True)))
