# SPDX-License-Identifier: BSD-3-Clause
"""A program whose runs were captured, against a replay of what it did: total time, and time in each routine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.experiment.settings import Vary
from orrery.platform.model import Model
from orrery.record.document import Record
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.simulate.replicas import by_routine
from orrery.trace.usage import read_usage
from orrery.validate.routines import APPLICATION, Routines, Times, compare
from orrery.validate.spread import Spread

_OF_PREDICTIONS = ("replicas", "--vary", "--force")
"""What is in cautions of a replay that a comparison has, too."""
_NOT_COMPARED = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
"""Start and end of a real MPI, which no model is about."""


@dataclass(frozen=True)
class Program:
    """What came of one program. Totals are between MPI_Init and MPI_Finalize, mean over the ranks, in seconds."""

    routines: Routines
    measured_s: tuple[float, ...]
    """Of each run."""
    predicted_s: tuple[float, ...]
    """Of each replica."""
    ranks: int
    cautions: tuple[str, ...] = ()
    """What to keep in mind of the prediction."""
    calibration: Mapping[str, object] | None = None
    """How good that of the platform is; None where nobody judged."""

    @property
    def measured(self) -> Spread:
        """Over the runs."""
        return Spread.of_runs(self.measured_s)

    @property
    def predicted(self) -> Spread:
        """Over the replicas."""
        return Spread.of_replicas(self.predicted_s)

    @property
    def error(self) -> float:
        """Of the total: median of the replicas over that of the runs, less 1."""
        return self.predicted.median_s / self.measured.median_s - 1

    @property
    def worst(self) -> float:
        """Largest absolute error of the total and of the routines, as shares of the measured time."""
        return max(abs(self.error), *(abs(line.error_of_share) for line in self.routines.lines))

    def as_json(self) -> dict[str, Any]:
        """Times in seconds, errors as fractions."""
        total = {
            "measured_s": list(self.measured_s),
            "predicted_s": self.predicted.median_s,
            "predicted_low_s": self.predicted.low_s,
            "predicted_high_s": self.predicted.high_s,
            "replicas_s": list(self.predicted_s),
            "error": self.error,
            "inside": self.measured.covers(self.predicted.median_s),
            "overlaps": self.measured.overlaps(self.predicted),
        }
        calibration = dict(self.calibration) if self.calibration else None
        return {
            "calibration": calibration,
            "ranks": self.ranks,
            "total": total,
            "cautions": list(self.cautions),
            **self.routines.as_json(),
        }


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
    replicas: int = 1
    """Seeds of the noise."""
    seed: int = 0
    """The first of them."""
    vary: Vary = "noise"
    """What replicas differ in."""
    force: bool = False
    """Use a platform whose calibration is poor."""
    most_error: float | None = None
    """Bound of the error of the total, and of each routine as a share of the measured time; None: none."""

    def compare(self) -> Program:
        """Replay the computation that was measured, with simulated messages.

        Raises InputError for traces, platforms and selectors that cannot be used, and where the replay cannot end.
        """
        measured = [_measured(trace) for trace in self.traces]
        settings = ReplaySettings(
            traces=[self.traces[0]],
            said=frozenset(("platform", "model", "mapping", "selector", "compute_scale", "seed")),
            platform=self.platform,
            model=self.model,
            mapping=self.mapping,
            selector=self.selector,
            replicas=self.replicas,
            seed=self.seed,
            vary=self.vary,
            force=self.force,
        )
        record = replay(settings)
        if record.cause:
            raise InputError(f"--trace {self.traces[0]}: the replay does not end: {record.cause}")
        replicas = _replicas(record)
        runs = by_routine([seconds for seconds, _ in measured])
        again = f", {len(replicas)} replicas" if len(replicas) > 1 else ""
        return Program(
            routines=compare(
                Times(", ".join(map(str, self.traces)), runs),
                Times(f"a replay on {record.platform}{again}", by_routine(replicas)),
            ),
            measured_s=tuple(sum(seconds.values()) / ranks for seconds, ranks in measured),
            predicted_s=tuple(sum(one.values()) / record.ranks for one in replicas),
            ranks=record.ranks,
            cautions=tuple(said for said in record.cautions if any(word in said for word in _OF_PREDICTIONS)),
            calibration=record.calibration,
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
    rows = (row for row in usage.profile.summed if row.phase is None)
    return _compared({row.name: row.exclusive_s for row in rows}), len(usage.ranks)


def _replicas(record: Record) -> list[dict[str, float]]:
    """Seconds by routine, over all ranks, of each replica; the replay itself is the first one."""
    found = record.replicas_routines_s
    if not found:
        rows = (row for row in record.profile.summed if row.phase is None)
        return [_compared({row.name: row.exclusive_s for row in rows})]
    return [_compared({name: times[i] for name, times in found.items()}) for i in range(len(record.replicas_s))]


def _compared(seconds: Mapping[str, float]) -> dict[str, float]:
    """By routine; `.application` is computation."""
    names = ((name.removesuffix("()"), time_s) for name, time_s in seconds.items())
    return {APPLICATION: 0.0, **{name: time_s for name, time_s in names if name not in _NOT_COMPARED}}
