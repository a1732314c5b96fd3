# SPDX-License-Identifier: BSD-3-Clause
"""A program whose runs were captured, against a replay of what it did: total time, and time in each routine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.report.usage import read_usage
from orrery.run.record import Profile
from orrery.trace.replay import replay
from orrery.trace.settings import ReplaySettings
from orrery.validate.routines import APPLICATION, Routines, Times, compare

_NOT_COMPARED = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
"""Start and end of a real MPI, which no model is about."""


@dataclass(frozen=True)
class Program:
    """What came of one program."""

    routines: Routines
    measured_s: tuple[float, ...]
    """Of each run, between MPI_Init and MPI_Finalize, mean over the ranks."""
    predicted_s: float

    @property
    def error(self) -> float:
        """Of the total: predicted over the median of the runs, less 1."""
        return self.predicted_s / median(self.measured_s) - 1

    @property
    def worst(self) -> float:
        """Largest absolute error of the total and of the routines, as shares of the measured time."""
        return max(abs(self.error), *(abs(line.error_of_share) for line in self.routines.lines))

    def as_json(self) -> dict[str, Any]:
        """Times in seconds, errors as fractions."""
        total = {"measured_s": list(self.measured_s), "predicted_s": self.predicted_s, "error": self.error}
        return {"total": total, **self.routines.as_json()}


@dataclass(frozen=True, kw_only=True)
class ProgramValidation:
    """Captured runs of one program against a platform and a selector."""

    traces: tuple[Path, ...]
    """Of `orrery capture`; the first is replayed, each routine's median over all of them is what was measured."""
    platform: str
    selector: str = "default"
    mapping: str = "node"
    model: Model | None = None
    """By default the platform's own."""
    most_error: float | None = None
    """Bound of the error of the total, and of each routine as a share of the measured time; None: none."""

    def compare(self) -> Program:
        """Replay the computation that was measured, with simulated messages.

        Raises InputError for traces, platforms and selectors that cannot be used, and where the replay cannot end.
        """
        measured = [_measured(trace) for trace in self.traces]
        settings = ReplaySettings(
            traces=[self.traces[0]],
            platform=self.platform,
            model=self.model,
            mapping=self.mapping,
            selector=self.selector,
        )
        record = replay(settings)
        if record.cause:
            raise InputError(f"--trace {self.traces[0]}: the replay does not end: {record.cause}")
        predicted = _seconds(record.profile)
        names = {name for seconds, _ in measured for name in seconds}
        medians = {name: median(seconds.get(name, 0.0) for seconds, _ in measured) for name in names}
        return Program(
            routines=compare(
                Times(", ".join(map(str, self.traces)), medians), Times(f"a replay on {record.platform}", predicted)
            ),
            measured_s=tuple(sum(seconds.values()) / ranks for seconds, ranks in measured),
            predicted_s=sum(predicted.values()) / record.ranks,
        )

    def exceeded(self, found: Program) -> list[str]:
        """The bound, where it is exceeded, in words."""
        if self.most_error is None or found.worst <= self.most_error:
            return []
        return [f"an error of {found.worst:.1%} is above {self.most_error:.1%}"]


def _measured(trace: Path) -> tuple[Mapping[str, float], int]:
    usage = read_usage(trace)
    if cut := [rank.rank for rank in usage.ranks if rank.cut_off]:
        raise InputError(f"--trace {trace}: rank {cut[0]} is cut off before MPI_Finalize: capture the run again")
    return _seconds(usage.profile), len(usage.ranks)


def _seconds(profile: Profile) -> dict[str, float]:
    """By routine, over all ranks and outside of phases; `.application` is computation."""
    rows = ((row.name.removesuffix("()"), row) for row in profile.summed if row.phase is None)
    found = {name: row.exclusive_s for name, row in rows if name not in _NOT_COMPARED}
    return {APPLICATION: 0.0, **found}
