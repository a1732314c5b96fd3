# SPDX-License-Identifier: BSD-3-Clause
"""Measured times of collective calls, from files of Orrery or of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from orrery.collective.call import Call
from orrery.errors import InputError
from orrery.validate.measured_logs import UserLayout, runs_of_logs
from orrery.validate.measured_rows import Run, is_table, runs_of_table

_US = 1e-6
_MOST_CALLS = 20
"""Calls of a benchmark that gives only their mean, at most: more calls that are alike change it little."""


@dataclass(frozen=True)
class Measurement:
    """One case on a real MPI, in seconds. The time of a call is its longest local duration over the ranks, or the mean."""

    call: Call
    calls: int
    """Number of calls of a run, each after a barrier."""
    least_s: float
    """Shortest time of a call in all runs."""
    median_s: float
    """Median over the runs of the median of each run, or of its mean."""
    p90_s: float
    """Largest 90th percentile of a run."""
    nodes: int | None = None
    """On so many nodes; None: the file does not say."""
    ppn: int | None = None
    """Ranks on each node; None: the file does not say."""
    mean: bool = False
    """Times are means over the ranks and the calls, not longest durations."""

    def covers(self, time_s: float) -> bool:
        """Whether a time lies inside the measured spread."""
        return self.least_s <= time_s <= self.p90_s

    @property
    def mapping(self) -> str | None:
        """The policy that places ranks as they were; None: nobody says how."""
        each = self.ppn if self.nodes is None else -(-self.call.ranks // self.nodes)
        return None if each is None else f"ppr:{each}"


@dataclass(frozen=True)
class MeasuredCases:
    """The cases of files, and what has to be said about them."""

    cases: list[Measurement]
    cautions: list[str] = field(default_factory=list)


def read(files: Iterable[Path], where: Mapping[str, str], told: UserLayout | None = None) -> MeasuredCases:
    """Cases of files, in their order. Several rows of the same case are several runs.

    A file is a table with commas, as `orrery validate` writes it or another program (`measured_rows`), or the output of a
    benchmark (`measured_logs`). Only rows whose columns have the values in `where` are read; tables of benchmarks have the
    columns file, program, version, op, nprocs, nodes and ppn.

    Args:
        files: to read.
        where: by column.
        told: what the user says about tables that do not say it themselves.
    Raises:
        InputError: names file and line.
    """
    cautions: list[str] = []
    runs: list[Run] = []
    files = list(files)
    for file in files:
        runs += (
            runs_of_table(file, where) if is_table(file) else runs_of_logs(file, where, told or UserLayout(), cautions)
        )
    if not runs:
        said = " and ".join(f"{key}={value}" for key, value in where.items())
        raise InputError(f"{', '.join(map(str, files))}: no measured case{f' with {said}' if said else ''}")
    cases: dict[object, list[Run]] = {}
    for run in runs:
        cases.setdefault((run.call, run.nodes, run.ppn, run.mean), []).append(run)
    bare = sum(len(alike) == 1 and not alike[0].has_spread for alike in cases.values())
    if bare:
        cautions.append(
            f"{bare} of {len(cases)} cases come as a single figure, without a spread: a prediction is inside only if it equals it"
        )
    return MeasuredCases([_measurement(alike) for alike in cases.values()], list(dict.fromkeys(cautions)))


def _measurement(runs: list[Run]) -> Measurement:
    first = runs[0]
    calls = max(run.calls for run in runs)
    return Measurement(
        call=first.call,
        calls=min(calls, _MOST_CALLS) if first.mean else calls,
        least_s=min(run.least_us for run in runs) * _US,
        median_s=median(run.middle_us for run in runs) * _US,
        p90_s=max(run.most_us for run in runs) * _US,
        nodes=first.nodes,
        ppn=first.ppn,
        mean=first.mean,
    )
