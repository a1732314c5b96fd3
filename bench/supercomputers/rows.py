# SPDX-License-Identifier: BSD-3-Clause
"""Measured times, row by row, and which of them are for calibration."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = ("not_forced", "custom_mpi", "empty_block", "rails4")
"""Flags of rows that measure something else than their name says."""
VECTORS = {"allreduce", "bcast", "reduce", "reduce_scatter"}
"""Collectives whose size is the vector; of the others it is one block."""


Cell = tuple[str, str, str, int, str, int]
"""System, run, test, ranks, collective, bytes."""


@dataclass(frozen=True)
class Row:
    """Measured times of one algorithm in one cell."""

    system: str
    run: str
    test: str
    nodes: int
    ranks: int
    ppn: int
    shape: str
    collective: str
    algorithm: str
    by_library: bool
    segment: int
    bytes: int
    block: int
    time_us: float
    selected: str
    """What the library says that it uses, where the row is Fugaku's default."""

    @property
    def cell(self) -> Cell:
        """What algorithms are compared in."""
        return (self.system, self.run, self.test, self.ranks, self.collective, self.bytes)


def table(path: Path) -> Iterator[dict[str, str]]:
    """Rows of a compressed file, by their columns."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def read_rows(folder: Path) -> list[Row]:
    """All rows of code over MPI whose names say what was measured."""
    found = []
    for record in table(folder / "collectives.csv.gz"):
        if record["library_or_pico"] == "pico_utofu" or any(flag in LEFT_OUT for flag in record["flags"].split(";")):
            continue
        found.append(
            Row(
                record["system"], record["run"], record["test"], int(record["nodes"]), int(record["ranks"]), int(record["ppn"]), record["shape"],
                record["collective"], record["algorithm"], record["library_or_pico"] == "library", int(record["segment_bytes"] or 0),
                int(record["bytes"]), int(record["block_bytes"]), float(record["median_us"]), record["selected"],
            )
        )  # fmt: skip
    return found


CALIBRATION: dict[str, Callable[[Row], bool]] = {
    "fugaku": lambda row: (
        row.collective == "allreduce" and row.nodes == 8 and row.algorithm in ("recursive_doubling", "ring")
    ),
    "lumi": lambda row: (
        row.collective == "allreduce"
        and row.run == "2025_04_07___16_22_51"
        and row.algorithm in ("recursive_doubling_over", "ring_over")
    ),
    "mare_nostrum": lambda row: (
        row.collective == "allgather" and row.nodes == 32 and row.algorithm in ("recursive_doubling_ompi", "ring_ompi")
    ),
    "leonardo": lambda row: (
        row.nodes == 200
        and (
            (row.collective == "allgather" and row.algorithm.startswith("ring_"))
            or (row.collective == "allreduce" and row.algorithm.startswith("recursive_doubling_"))
        )
    ),
}
"""Which rows the README of the data suggests for calibration: 86."""


def is_calibration(row: Row) -> bool:
    """Whether `fit` reads the row."""
    return CALIBRATION[row.system](row)
