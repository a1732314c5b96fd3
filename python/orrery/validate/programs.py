# SPDX-License-Identifier: BSD-3-Clause
"""Captured runs of a program compared with a replay: total time, and time in each MPI routine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orrery.errors import InputError, Interrupt
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.published import UNWRITTEN
from orrery.record.document import Record
from orrery.record.expected import ExpectedInterval
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.simulate.replicas import by_routine
from orrery.trace.usage import read_usage
from orrery.validate.routines import APPLICATION, Routines, Times, compare
from orrery.validate.settings import ProgramValidation
from orrery.validate.spread import Spread, SpreadPair

_OF_PREDICTIONS = ("replicas", "--vary", "--force")
"""Words that mark those warnings of a replay that also apply to the comparison."""
_NOT_COMPARED = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
"""Routines whose time is not modelled."""


@dataclass(frozen=True, kw_only=True)
class ProgramTotal(SpreadPair):
    """Time from MPI_Init to MPI_Finalize, mean over the ranks."""

    measured_s: tuple[float, ...]
    """Measured time of each run."""
    replicas_s: tuple[float, ...]
    """Predicted time of each replica."""


@dataclass(frozen=True, kw_only=True)
class ProgramComparison(Routines):
    """A program: its time in all, and in each routine."""

    calibration: dict[str, object] | None = None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""
    ranks: int
    message_bytes: int
    """Mean size of the messages of the replay."""
    total: ProgramTotal
    cautions: list[str] = field(default_factory=list)
    """Limits of the prediction, a sentence each."""
    expected: ExpectedInterval | None = field(default=None, metadata=UNWRITTEN)
    """The interval in which the measured total time is expected; None for models without residuals."""
    interrupted: bool = field(default=False, metadata=UNWRITTEN)
    """Ctrl-C came before all replicas had ended; `total` has those that did."""

    @property
    def worst(self) -> float:
        """Largest absolute error of the total time and of all routines, relative to the measured total time."""
        return max(abs(self.total.error), *(abs(line.error_of_share) for line in self.routines))

    def exceeded(self, most_error: float | None) -> list[str]:
        """Return a sentence if `worst` is above this; None: it may be anything."""
        if most_error is None or self.worst <= most_error:
            return []
        return [f"an error of {self.worst:.1%} is above {most_error:.1%}"]


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
    measured_s = tuple(sum(seconds.values()) / ranks for seconds, ranks in measured)
    replicas_s = tuple(sum(replica.values()) / record.ranks for replica in replicas)
    predicted = Spread.of_replicas(replicas_s)
    again = f", {len(replicas)} replicas" if len(replicas) > 1 else ""
    routines = compare(
        Times(", ".join(map(str, asked.traces)), runs),
        Times(f"a replay on {record.platform}{again}", by_routine(replicas)),
    )
    return ProgramComparison(
        **vars(routines),
        total=ProgramTotal(
            measured=Spread.of_runs(measured_s), predicted=predicted, measured_s=measured_s, replicas_s=replicas_s
        ),
        ranks=record.ranks,
        message_bytes=record.bytes // max(1, record.messages),
        expected=_expected(record, predicted.median_s),
        cautions=[said for said in record.cautions if any(word in said for word in _OF_PREDICTIONS)],
        calibration=record.calibration,
        interrupted=record.exit_code == Interrupt.exit_code,
    )


def _measured(trace: Path) -> tuple[Mapping[str, float], int]:
    """Seconds by routine, summed over all ranks, and the number of ranks. Raises InputError for a cut-off rank, or if nothing took time."""
    usage = read_usage(trace)
    if cut := [rank.rank for rank in usage.ranks if rank.cut_off]:
        raise InputError(f"--trace {trace}: rank {cut[0]} is cut off before MPI_Finalize: capture the run again")
    local = {f"{name}()" for name in usage.local}  # their time is computation in a replay
    seconds: dict[str, float] = defaultdict(float)
    for row in usage.profile.summed:
        if row.phase is None:
            seconds[APPLICATION if row.name in local else row.name] += row.exclusive_s
    found = _compared(seconds)
    if sum(found.values()) <= 0:
        raise InputError(
            f"--trace {trace}: no call and no computation in it took any time: there is nothing to compare"
        )
    return found, len(usage.ranks)


def _expected(record: Record, predicted_s: float) -> ExpectedInterval | None:
    """That of the record, which is around the end of the last rank, around the mean of the ranks."""
    if record.expected is None:
        return None
    middle_s = record.interval.median_s if record.interval else record.simulated_s
    shift_s = predicted_s - middle_s
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
