# SPDX-License-Identifier: BSD-3-Clause
"""Captured runs of a program compared with a replay: total time, and time in each MPI routine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, cast

from orrery.errors import InputError, Interrupt
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.record.document import Record
from orrery.record.expected import Expected
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.simulate.replicas import by_routine
from orrery.trace.usage import read_usage
from orrery.validate.routines import APPLICATION, Routines, RoutinesJson, Times, compare
from orrery.validate.settings import ProgramValidation
from orrery.validate.spread import Spread

_OF_PREDICTIONS = ("replicas", "--vary", "--force")
"""Words that mark those warnings of a replay that also apply to the comparison."""
_NOT_COMPARED = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
"""Routines whose time is not modelled."""


class TotalJson(TypedDict):
    """Time from MPI_Init to MPI_Finalize, mean over the ranks."""

    measured_s: list[float]
    """Measured time of each run."""
    predicted_s: float
    """Median of the replicas."""
    predicted_low_s: float
    """5th percentile of the replicas."""
    predicted_high_s: float
    """95th percentile."""
    replicas_s: list[float]
    """Predicted time of each replica."""
    error: float
    """Predicted over measured, minus 1; both are medians."""
    inside: bool
    """The prediction lies between the quickest and the slowest run."""
    overlaps: bool
    """The measured spread and the predicted interval have a time in common."""


class ProgramJson(RoutinesJson):
    """A program: its time in all, and in each routine."""

    calibration: dict[str, object] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""
    ranks: int
    message_bytes: int
    """Mean size of the messages of the replay."""
    total: TotalJson
    cautions: list[str]
    """Limits of the prediction, a sentence each."""


@dataclass(frozen=True)
class ProgramComparison:
    """Comparison of one program. Total times are between MPI_Init and MPI_Finalize, mean over the ranks, in seconds."""

    routines: Routines
    measured_s: tuple[float, ...]
    """Total time of each run."""
    predicted_s: tuple[float, ...]
    """Total time of each replica."""
    ranks: int
    message_bytes: int = 0
    """Mean size of the messages of the replay."""
    expected: Expected | None = None
    """The interval in which the measured total time is expected; None for models without residuals."""
    cautions: tuple[str, ...] = ()
    """Warnings about the prediction."""
    calibration: Mapping[str, object] | None = None
    """Verdict on the calibration of the platform; None if it has none."""
    interrupted: bool = False
    """Ctrl-C came before all replicas had ended; `predicted_s` has those that did."""

    @property
    def measured(self) -> Spread:
        """Spread of the total time over the runs."""
        return Spread.of_runs(self.measured_s)

    @property
    def predicted(self) -> Spread:
        """Spread of the total time over the replicas."""
        return Spread.of_replicas(self.predicted_s)

    @property
    def error(self) -> float:
        """Relative error of the total time: median of the replicas over median of the runs, minus 1."""
        return self.predicted.median_s / self.measured.median_s - 1

    @property
    def worst(self) -> float:
        """Largest absolute error of the total time and of all routines, relative to the measured total time."""
        return max(abs(self.error), *(abs(line.error_of_share) for line in self.routines.lines))

    def exceeded(self, most_error: float | None) -> list[str]:
        """Return a sentence if `worst` is above this; None: it may be anything."""
        if most_error is None or self.worst <= most_error:
            return []
        return [f"an error of {self.worst:.1%} is above {most_error:.1%}"]

    def as_json(self) -> dict[str, Any]:
        """Times in seconds, errors as fractions."""
        total: TotalJson = {
            "measured_s": list(self.measured_s),
            "predicted_s": self.predicted.median_s,
            "predicted_low_s": self.predicted.low_s,
            "predicted_high_s": self.predicted.high_s,
            "replicas_s": list(self.predicted_s),
            "error": self.error,
            "inside": self.measured.covers(self.predicted.median_s),
            "overlaps": self.measured.overlaps(self.predicted),
        }
        routines = cast("RoutinesJson", self.routines.as_json())
        found: ProgramJson = {
            "calibration": dict(self.calibration) if self.calibration else None,
            "ranks": self.ranks,
            "message_bytes": self.message_bytes,
            "total": total,
            "cautions": list(self.cautions),
            **routines,
        }
        return dict(found)


def compare_program(asked: ProgramValidation) -> ProgramComparison:
    """Replay the first trace with its measured computation and simulated messages.

    Raises InputError for traces, platforms and selectors that cannot be used, and if the replay does not end;
    KeyboardInterrupt for Ctrl-C before the first replica has ended.
    """
    measured = [_measured(trace) for trace in asked.traces]
    placed = {"mapping"} if asked.mapping else set()
    settings = ReplaySettings(
        traces=[asked.traces[0]],
        said=frozenset({"platform", "model", "selector", "compute_scale", "seed"} | placed),
        platform=asked.platform,
        model=asked.model,
        mapping=asked.mapping or DEFAULT_MAPPING,
        selector=asked.selector,
        replicas=asked.replicas,
        seed=asked.seed,
        vary=asked.vary,
        force=asked.force,
    )
    record = replay(settings)
    if record.end == "interrupted":
        raise KeyboardInterrupt
    if record.cause:
        raise InputError(f"--trace {asked.traces[0]}: the replay does not end: {record.cause}")
    replicas = _replicas(record)
    runs = by_routine([seconds for seconds, _ in measured])
    predicted_s = tuple(sum(replica.values()) / record.ranks for replica in replicas)
    again = f", {len(replicas)} replicas" if len(replicas) > 1 else ""
    return ProgramComparison(
        routines=compare(
            Times(", ".join(map(str, asked.traces)), runs),
            Times(f"a replay on {record.platform}{again}", by_routine(replicas)),
        ),
        measured_s=tuple(sum(seconds.values()) / ranks for seconds, ranks in measured),
        predicted_s=predicted_s,
        ranks=record.ranks,
        message_bytes=record.bytes // max(1, record.messages),
        expected=_expected(record, predicted_s),
        cautions=tuple(said for said in record.cautions if any(word in said for word in _OF_PREDICTIONS)),
        calibration=record.calibration,
        interrupted=record.exit_code == Interrupt.exit_code,
    )


def _measured(trace: Path) -> tuple[Mapping[str, float], int]:
    """Seconds by routine, summed over all ranks, and the number of ranks. Raises InputError if a rank is cut off."""
    usage = read_usage(trace)
    if cut := [rank.rank for rank in usage.ranks if rank.cut_off]:
        raise InputError(f"--trace {trace}: rank {cut[0]} is cut off before MPI_Finalize: capture the run again")
    local = {f"{name}()" for name in usage.local}  # their time is computation in a replay
    seconds: dict[str, float] = defaultdict(float)
    for row in usage.profile.summed:
        if row.phase is None:
            seconds[APPLICATION if row.name in local else row.name] += row.exclusive_s
    return _compared(seconds), len(usage.ranks)


def _expected(record: Record, predicted_s: tuple[float, ...]) -> Expected | None:
    """That of the record, which is around the end of the last rank, around the mean of the ranks."""
    if record.expected is None:
        return None
    middle_s = record.interval.median_s if record.interval else record.simulated_s
    shift_s = Spread.of_replicas(predicted_s).median_s - middle_s
    return replace(record.expected, low_s=record.expected.low_s + shift_s, high_s=record.expected.high_s + shift_s)


def _replicas(record: Record) -> list[dict[str, float]]:
    """For each replica: seconds by routine, summed over all ranks. The replay itself is the first replica."""
    found = record.replicas_routines_s
    if not found:
        rows = (row for row in record.profile.summed if row.phase is None)
        return [_compared({row.name: row.exclusive_s for row in rows})]
    return [_compared({name: times[i] for name, times in found.items()}) for i in range(len(record.replicas_s))]


def _compared(seconds: Mapping[str, float]) -> dict[str, float]:
    """Seconds of the routines that are compared; `.application` is computation."""
    names = ((name.removesuffix("()"), time_s) for name, time_s in seconds.items())
    return {APPLICATION: 0.0, **{name: time_s for name, time_s in names if name not in _NOT_COMPARED}}
