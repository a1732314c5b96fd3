# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the OSU micro-benchmarks, versions 3 to 7: a title, a line of columns behind `#`, and rows."""

from __future__ import annotations

import re
from pathlib import Path

from orrery.benchmark_logs.table import BANDWIDTH, ONE_WAY, LogRow, LogTable

_TITLE = re.compile(
    r"^#\s*OSU (?P<device>MPI\S*|\S*SHMEM|UPC\S*|NCCL|RCCL)\s+(?P<name>.+?)\s+Test(?:\s+v?(?P<version>\d[\w.]*))?\s*$"
)
_OPERATIONS = {
    "latency": ONE_WAY,
    "bandwidth": BANDWIDTH,
    "barrier latency": "barrier",
    "broadcast latency": "bcast",
    "reduce latency": "reduce",
    "allreduce latency": "allreduce",
    "gather latency": "gather",
    "gatherv latency": "gatherv",
    "scatter latency": "scatter",
    "scatterv latency": "scatterv",
    "allgather latency": "allgather",
    "allgatherv latency": "allgatherv",
    "all-to-all personalized exchange latency": "alltoall",
    "all-to-allv personalized exchange latency": "alltoallv",
    "alltoall latency": "alltoall",
    "alltoallv latency": "alltoallv",
    "reduce_scatter latency": "reduce_scatter",
    "reduce_scatter_block latency": "reduce_scatter_block",
    "reduce scatter latency": "reduce_scatter",
    "reduce scatter block latency": "reduce_scatter_block",
}
_COLUMNS = {
    "size": "bytes",
    "latency": "us",
    "avg latency": "us",
    "avg lat": "us",
    "min latency": "least_us",
    "min lat": "least_us",
    "max latency": "longest_us",
    "max lat": "longest_us",
    "iterations": "calls",
    "bandwidth": "megabytes_per_s",
}
_UNIT = re.compile(r"\s*\((?:us|MB/s)\)$")


class Osu:
    """Reads the lines of a log."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._table: LogTable | None = None
        self._columns: list[str] = []

    def title(self, number: int, line: str) -> LogTable | None:
        """The table whose title this line is."""
        found = _TITLE.match(line)
        if found is None:
            return None
        device, name = found["device"], found["name"]
        operation = _OPERATIONS.get(name.lower().removeprefix("mpi_"), "")
        self._columns = []
        self._table = LogTable(
            file=self._file,
            line=number,
            program="OSU",
            version=found["version"] or "",
            title=f"{device} {name}",
            operation=operation,
            left_out="" if operation else "it times something that is not simulated as a call of its own",
        )
        if device != "MPI":
            if not device.startswith("MPI"):
                self._table.left_out = "it times another library than MPI"
            else:
                self._table.remarks.append(f"{device}: buffers may be in the memory of GPUs, which are not simulated")
        return self._table

    def row(self, number: int, line: str) -> LogRow | None:
        """The row that this line is; lines with the names of columns are kept for the rows behind them."""
        if self._table is None:
            return None
        if line.startswith("#"):
            if "(us)" in line or "(MB/s)" in line:
                self._columns = _columns_of(line)
            return None
        words = line.split()
        if not self._columns or len(words) != len(self._columns):
            return None
        return row_of(number, dict(zip(self._columns, words, strict=True)))


def _columns_of(line: str) -> list[str]:
    names = [name for name in re.split(r"\s{2,}", line.lstrip("# ").strip()) if name]
    return [_COLUMNS.get(_UNIT.sub("", name).lower(), f"other {i}") for i, name in enumerate(names)]


def row_of(number: int, cells: dict[str, str]) -> LogRow | None:
    """A row out of its cells, by the names that `LogRow` has; others are passed over. None if one is no number."""
    try:
        return LogRow(
            line=number,
            bytes=int(cells.get("bytes", "0")),
            us=_optional(cells, "us"),
            least_us=_optional(cells, "least_us"),
            longest_us=_optional(cells, "longest_us"),
            megabytes_per_s=_optional(cells, "megabytes_per_s"),
            calls=int(cells["calls"]) if "calls" in cells else None,
        )
    except ValueError:
        return None


def _optional(cells: dict[str, str], name: str) -> float | None:
    return float(cells[name]) if name in cells else None
