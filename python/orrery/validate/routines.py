# SPDX-License-Identifier: BSD-3-Clause
"""Time of a program in each MPI routine: simulated and measured."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from orrery.errors import InputError
from orrery.validate.spread import Spread

_COLUMNS = ("function", "seconds_all_ranks")
APPLICATION = ".application"
"""Name of the computation outside of MPI."""
_NEVER = Spread(0.0, 0.0, 0.0)
"""Times of a routine that was not called."""


@dataclass(frozen=True)
class RoutineComparison:
    """One routine; seconds, summed over all ranks."""

    routine: str
    measured: Spread
    """Measured spread, over runs."""
    predicted: Spread
    """Predicted spread, over replicas."""
    all_s: float
    """Measured time in all routines, in seconds."""

    @property
    def error_of_share(self) -> float:
        """Error (predicted minus measured time) as a part of the measured time in all routines."""
        return (self.predicted.median_s - self.measured.median_s) / self.all_s

    @property
    def error(self) -> float:
        """Relative error: predicted over measured, minus 1; infinite for a routine that was not measured."""
        measured_s = self.measured.median_s
        return self.predicted.median_s / measured_s - 1 if measured_s > 0 else float("inf")

    @property
    def inside(self) -> bool:
        """Whether the prediction lies between the quickest and the slowest run."""
        return self.measured.covers(self.predicted.median_s)

    @property
    def overlaps(self) -> bool:
        """Whether the measured spread and the predicted interval overlap."""
        return self.measured.overlaps(self.predicted)


class RoutineJson(TypedDict):
    """A routine; times are summed over all ranks."""

    routine: str
    measured_s: float
    """Median of the runs."""
    measured_least_s: float
    measured_most_s: float
    predicted_s: float
    """Median of the replicas."""
    predicted_low_s: float
    """5th percentile of the replicas."""
    predicted_high_s: float
    """95th percentile."""
    error: float | None
    """Predicted over measured, minus 1; None: it was not measured."""
    error_of_share: float
    """Predicted minus measured, as a part of the measured time in all routines."""
    inside: bool
    """The prediction lies between the quickest and the slowest run."""
    overlaps: bool
    """The measured spread and the predicted interval have a time in common."""


class RoutinesJson(TypedDict):
    """Time of a program in each routine."""

    measured_from: str
    predicted_from: str
    runs: int
    """That were measured."""
    replicas: int
    """That were simulated."""
    routines: list[RoutineJson]
    """In decreasing order of time."""


@dataclass(frozen=True)
class Routines:
    """All routines of a program, in decreasing order of time."""

    measured_from: str
    predicted_from: str
    runs: int
    """Number of measured runs."""
    replicas: int
    """Number of simulated replicas."""
    lines: list[RoutineComparison]

    @property
    def intervals(self) -> bool:
        """Whether there are several runs or replicas, so that spreads have a width."""
        return self.runs > 1 or self.replicas > 1

    def as_json(self) -> dict[str, Any]:
        """Times in seconds, errors as fractions."""
        found: RoutinesJson = {
            "measured_from": self.measured_from,
            "predicted_from": self.predicted_from,
            "runs": self.runs,
            "replicas": self.replicas,
            "routines": [
                {
                    "routine": line.routine,
                    "measured_s": line.measured.median_s,
                    "measured_least_s": line.measured.low_s,
                    "measured_most_s": line.measured.high_s,
                    "predicted_s": line.predicted.median_s,
                    "predicted_low_s": line.predicted.low_s,
                    "predicted_high_s": line.predicted.high_s,
                    "error": None if line.measured.median_s == 0 else line.error,
                    "error_of_share": line.error_of_share,
                    "inside": line.inside,
                    "overlaps": line.overlaps,
                }
                for line in self.lines
            ],
        }
        return dict(found)


@dataclass(frozen=True)
class Times:
    """Seconds by routine, summed over ranks, and where they come from."""

    source: str
    seconds: Mapping[str, Sequence[float]]
    """A value for each run or replica that called the routine."""


def measured_routines(file: Path, where: Mapping[str, str]) -> Times:
    """Times from a CSV file with the columns function and seconds_all_ranks. Several rows of one routine are several runs.

    Only rows whose columns have the values in `where` are read. Names may lack `MPI_`. Raises InputError naming file and line.
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
    return Times(str(file), runs)


def _seconds(file: Path, number: int, row: Mapping[str, str]) -> float:
    try:
        return float(row["seconds_all_ranks"])
    except ValueError:
        raise InputError(
            f'--profile {file}: line {number}: seconds_all_ranks "{row["seconds_all_ranks"]}" is no number'
        ) from None


def simulated_routines(file: Path) -> Times:
    """Times from the record of a run, with all its replicas. Raises InputError if the file is no record."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        rows = record["profile"]["summed"]
        seconds = {str(row["name"]): [float(row["exclusive_s"])] for row in rows if row["phase"] is None}
        seconds |= record.get("replicas_routines_s", {})
        found = {name.removesuffix("()"): [float(time_s) for time_s in times] for name, times in seconds.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"--record {file}: {getattr(error, 'strerror', None) or 'not what `orrery run -o FILE.json` writes'}"
        ) from None
    return Times(str(file), found)


def compare(measured: Times, simulated: Times) -> Routines:
    """Compare all routines that were measured or took time in simulation, and computation only if it was measured."""
    runs = {name: Spread.of_runs(seconds) for name, seconds in measured.seconds.items()}
    replicas = {name: Spread.of_replicas(seconds) for name, seconds in simulated.seconds.items()}
    all_s = sum(spread.median_s for spread in runs.values()) or 1.0
    simulated_mpi = {name for name, spread in replicas.items() if name.startswith("MPI_") and spread.high_s > 0}
    lines = [
        RoutineComparison(name, runs.get(name, _NEVER), replicas.get(name, _NEVER), all_s)
        for name in set(runs) | simulated_mpi
    ]
    return Routines(
        measured_from=measured.source,
        predicted_from=simulated.source,
        runs=max(map(len, measured.seconds.values()), default=0),
        replicas=max(map(len, simulated.seconds.values()), default=0),
        lines=sorted(lines, key=lambda line: (-line.measured.median_s, line.routine)),
    )


def _full_name(name: str) -> str:
    return name if name.startswith(("MPI_", ".")) else f"MPI_{name}"
