# SPDX-License-Identifier: BSD-3-Clause
"""Time of a program in each MPI routine: simulated and measured."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orrery.errors import InputError
from orrery.published import UNWRITTEN, published
from orrery.validate.spread import Spread, SpreadPair

_COLUMNS = ("function", "seconds_all_ranks")
APPLICATION = ".application"
"""Name of the computation outside of MPI."""
_NEVER = Spread(0.0, 0.0, 0.0)
"""Times of a routine that was not called."""


@dataclass(frozen=True, kw_only=True)
class RoutineComparison(SpreadPair):
    """A routine; times are summed over all ranks."""

    routine: str
    all_s: float = field(metadata=UNWRITTEN)
    """Measured time in all routines."""

    @property
    @published
    def measured_s(self) -> float:
        """Median of the runs."""
        return self.measured.median_s

    @property
    @published
    def measured_least_s(self) -> float:
        """Time of the quickest run."""
        return self.measured.low_s

    @property
    @published
    def measured_most_s(self) -> float:
        """Time of the slowest run."""
        return self.measured.high_s

    @property
    @published
    def error_of_share(self) -> float:
        """Predicted minus measured, as a part of the measured time in all routines."""
        return (self.predicted.median_s - self.measured.median_s) / self.all_s


@dataclass(frozen=True, kw_only=True)
class Routines:
    """Time of a program in each routine."""

    measured_from: str
    predicted_from: str
    runs: int
    """Runs that were measured."""
    replicas: int
    """Replicas that were simulated."""
    routines: list[RoutineComparison]
    """In decreasing order of time."""

    @property
    def intervals(self) -> bool:
        """Whether there are several runs or replicas, so that spreads have a width."""
        return self.runs > 1 or self.replicas > 1


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
        RoutineComparison(
            routine=name, measured=runs.get(name, _NEVER), predicted=replicas.get(name, _NEVER), all_s=all_s
        )
        for name in set(runs) | simulated_mpi
    ]
    return Routines(
        measured_from=measured.source,
        predicted_from=simulated.source,
        runs=max(map(len, measured.seconds.values()), default=0),
        replicas=max(map(len, simulated.seconds.values()), default=0),
        routines=sorted(lines, key=lambda line: (-line.measured.median_s, line.routine)),
    )


def _full_name(name: str) -> str:
    return name if name.startswith(("MPI_", ".")) else f"MPI_{name}"
