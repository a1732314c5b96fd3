# SPDX-License-Identifier: BSD-3-Clause
"""Measured times of collective calls, from CSV files of Orrery or of other programs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from orrery import _core
from orrery.collective.call import Call
from orrery.errors import InputError

_NEEDED = ("op", "nprocs", "bytes", "iters", "tmax_min", "tmax_med", "tmax_p90")
_US = 1e-6


@dataclass(frozen=True)
class Measurement:
    """One case on a real MPI, in seconds. The time of a call is its longest local duration over the ranks."""

    call: Call
    calls: int
    """Number of calls of a run, each after a barrier."""
    least_s: float
    """Shortest time of a call in all runs."""
    median_s: float
    """Median over the runs of the median of each run."""
    p90_s: float
    """Largest 90th percentile of a run."""

    def covers(self, time_s: float) -> bool:
        """Whether a time lies inside the measured spread."""
        return self.least_s <= time_s <= self.p90_s


def read(files: Iterable[Path], where: Mapping[str, str]) -> list[Measurement]:
    """Cases of CSV files, in their order. Several rows of the same case are several runs.

    Columns: op, nprocs, bytes, iters, tmax_min, tmax_med, tmax_p90 (microseconds), as `orrery validate` writes them; other
    columns may exist. Only rows whose columns have the values in `where` are read. Rows with another value than `barrier` in
    the column `sync` are ignored.

    Raises InputError naming file and line.
    """
    rows: dict[Call, list[dict[str, float]]] = {}
    for file in files:
        for number, row in _rows(file):
            if row.get("sync", "barrier") != "barrier" or any(row.get(key) != value for key, value in where.items()):
                continue
            call, times = _case(file, number, row)
            rows.setdefault(call, []).append(times)
    if not rows:
        said = " and ".join(f"{key}={value}" for key, value in where.items())
        raise InputError(f"{', '.join(map(str, files))}: no measured case{f' with {said}' if said else ''}")
    return [_measurement(call, runs) for call, runs in rows.items()]


def _rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            reader = csv.DictReader(opened)
            rows = list(enumerate(reader, start=2))
            names = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"--ingest {file}: {getattr(error, 'strerror', None) or error}") from None
    if missing := [name for name in _NEEDED if name not in names]:
        raise InputError(
            f"--ingest {file}: line 1: no column {', '.join(missing)}; expected {', '.join(_NEEDED)} with times in "
            f"microseconds"
        )
    return rows


def _case(file: Path, number: int, row: dict[str, str]) -> tuple[Call, dict[str, float]]:
    known = {algorithm.collective for algorithm in _core.algorithms()}
    if row["op"] not in known:
        raise InputError(f'--ingest {file}: line {number}: op "{row["op"]}" is no collective')
    try:
        call = Call(row["op"], int(row["bytes"]), int(row["nprocs"]))
        times = {name: float(row[name]) for name in _NEEDED[3:]}
    except (TypeError, ValueError):
        raise InputError(f"--ingest {file}: line {number}: not a number where one belongs: {dict(row)}") from None
    if call.ranks < 1 or call.size < 0 or min(times.values()) <= 0:
        raise InputError(f"--ingest {file}: line {number}: ranks, iterations and times must be positive: {dict(row)}")
    return call, times


def _measurement(call: Call, runs: list[dict[str, float]]) -> Measurement:
    return Measurement(
        call=call,
        calls=max(int(run["iters"]) for run in runs),
        least_s=min(run["tmax_min"] for run in runs) * _US,
        median_s=median(run["tmax_med"] for run in runs) * _US,
        p90_s=max(run["tmax_p90"] for run in runs) * _US,
    )
