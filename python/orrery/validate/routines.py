# SPDX-License-Identifier: BSD-3-Clause
"""Time of a program in each MPI routine, simulated against measured."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from orrery.errors import InputError

_COLUMNS = ("function", "seconds_all_ranks")
APPLICATION = ".application"
"""Computation outside of MPI."""


@dataclass(frozen=True)
class Line:
    """One routine; seconds, summed over all ranks."""

    routine: str
    measured_s: float
    predicted_s: float
    all_s: float
    """Measured, of all routines together."""

    @property
    def error_of_share(self) -> float:
        """How far off it is, as a share of the measured time in all routines: what matters of an error."""
        return (self.predicted_s - self.measured_s) / self.all_s

    @property
    def error(self) -> float:
        """Predicted over measured, less 1; infinite for a routine that was not measured."""
        return self.predicted_s / self.measured_s - 1 if self.measured_s > 0 else float("inf")


@dataclass(frozen=True)
class Routines:
    """All routines of a program, those that take longest first."""

    measured_from: str
    predicted_from: str
    lines: list[Line]

    def as_json(self) -> dict[str, Any]:
        """Times in seconds, errors as fractions."""
        return {
            "measured_from": self.measured_from,
            "predicted_from": self.predicted_from,
            "routines": [
                {
                    "routine": line.routine,
                    "measured_s": line.measured_s,
                    "predicted_s": line.predicted_s,
                    "error": None if line.measured_s == 0 else line.error,
                    "error_of_share": line.error_of_share,
                }
                for line in self.lines
            ],
        }


@dataclass(frozen=True)
class Times:
    """Seconds by routine, summed over ranks, and where they come from."""

    source: str
    seconds: Mapping[str, float]


def measured_routines(file: Path, where: Mapping[str, str]) -> Times:
    """Of a CSV file: columns function and seconds_all_ranks; a routine's rows are its runs, their median counts.

    Names may come without `MPI_`. Raises InputError naming file and line.
    """
    runs: dict[str, list[float]] = {}
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            for number, row in enumerate(csv.DictReader(opened), start=2):
                if missing := [name for name in _COLUMNS if row.get(name) is None]:
                    raise InputError(f"--profile {file}: line {number}: no column {', '.join(missing)}")
                if any(row.get(key) != value for key, value in where.items()):
                    continue
                runs.setdefault(_full_name(row["function"]), []).append(_seconds(file, number, row))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"--profile {file}: {getattr(error, 'strerror', None) or error}") from None
    if not runs:
        raise InputError(f"--profile {file}: no routine{' with the values of --where' if where else ''}")
    return Times(str(file), {name: median(times) for name, times in runs.items()})


def _seconds(file: Path, number: int, row: Mapping[str, str]) -> float:
    try:
        return float(row["seconds_all_ranks"])
    except ValueError:
        raise InputError(
            f'--profile {file}: line {number}: seconds_all_ranks "{row["seconds_all_ranks"]}" is no number'
        ) from None


def simulated_routines(file: Path) -> Times:
    """Of the record of a run. Raises InputError when the file is none."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        rows = record["profile"]["summed"]
        seconds = {
            str(row["name"]).removesuffix("()"): float(row["exclusive_s"]) for row in rows if row["phase"] is None
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"--record {file}: {getattr(error, 'strerror', None) or 'not what `orrery run --json FILE` writes'}"
        ) from None
    return Times(str(file), seconds)


def compare(measured: Times, simulated: Times) -> Routines:
    """Every routine that was measured or took time in simulation. Computation counts only where it was measured."""
    all_s = sum(measured.seconds.values()) or 1.0
    simulated_mpi = {name for name, seconds in simulated.seconds.items() if name.startswith("MPI_") and seconds > 0}
    names = set(measured.seconds) | simulated_mpi
    lines = [
        Line(name, measured.seconds.get(name, 0.0), simulated.seconds.get(name, 0.0), all_s)
        for name in sorted(names, key=lambda name: (-measured.seconds.get(name, 0.0), name))
    ]
    return Routines(measured.source, simulated.source, lines)


def _full_name(name: str) -> str:
    return name if name.startswith(("MPI_", ".")) else f"MPI_{name}"
