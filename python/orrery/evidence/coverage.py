# SPDX-License-Identifier: BSD-3-Clause
"""How many measured times lie in the intervals that the residuals of all other clusters give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from statistics import median

from orrery.evidence.expectation import reach_of_call, reach_of_program, reach_of_ratio
from orrery.evidence.residuals import LEVEL, HandWrittenResiduals, Residuals


@dataclass(frozen=True, kw_only=True)
class IntervalCoverage:
    """Coverage of the cases of one hour, or of one machine."""

    name: str
    cluster: str
    about: str
    """What the platform says of itself: the grade of its calibration and the state of its nodes."""
    cases: int
    inside: float
    """Share of the cases in their intervals."""
    reach: float
    """Half-width of an interval of ln(measured over predicted), median over the cases; of programs, relative to the time in MPI."""
    error: float
    """Quantile of the errors themselves, to compare with."""


def covered_calls(residuals: Residuals) -> Iterator[IntervalCoverage]:
    """Collectives of each hour, in intervals from all clusters but its own."""
    for cluster in residuals.clusters:
        others = residuals.without(cluster)
        for number, hour in enumerate(residuals.hours):
            calls = [call for call in residuals.calls if call.hour == number]
            if hour.cluster != cluster or not calls:
                continue
            reaches = [
                reach_of_call(call.kind, call.ranks, call.bytes, statement=hour.statement, residuals=others)
                for call in calls
            ]
            about = f"{hour.statement.grade}, {hour.statement.host}"
            yield _covered(hour.name, cluster, about, [abs(call.residual) for call in calls], reaches)


def covered_programs(residuals: Residuals) -> Iterator[IntervalCoverage]:
    """Programs of each hour, in intervals from all other hours with programs: they were measured on one cluster."""
    for number, hour in enumerate(residuals.hours):
        own = [program for program in residuals.programs if program.hour == number]
        if not own:
            continue
        rest = changed(residuals, programs=tuple(program for program in residuals.programs if program.hour != number))
        reaches = [
            reach_of_program(program.ranks, program.message_bytes, statement=hour.statement, residuals=rest)
            for program in own
        ]
        about = f"{hour.statement.grade}, {hour.statement.host}"
        yield _covered(hour.name, hour.cluster, about, [abs(program.residual) for program in own], reaches)


def covered_by_hand(residuals: Residuals) -> Iterator[IntervalCoverage]:
    """Collectives of machines whose platforms were written by hand, in the interval that all other machines give."""
    for machine in residuals.hand_written:
        reach = reach_of_call("", 2, 0, statement=None, residuals=_without(residuals, machine))
        yield _covered(machine.machine, machine.machine, "written by hand", machine.calls, [reach] * len(machine.calls))


def covered_ratios_by_hand(residuals: Residuals) -> Iterator[IntervalCoverage]:
    """Ratios of two algorithms on such machines."""
    for machine in residuals.hand_written:
        if machine.ratios:
            reach = reach_of_ratio("", 2, 0, statement=None, residuals=_without(residuals, machine))
            reaches = [reach] * len(machine.ratios)
            yield _covered(machine.machine, machine.machine, "written by hand", machine.ratios, reaches)


def _without(residuals: Residuals, machine: HandWrittenResiduals) -> Residuals:
    return changed(residuals, hand_written=tuple(other for other in residuals.hand_written if other is not machine))


def _covered(
    name: str, cluster: str, about: str, errors: Sequence[float], reaches: Sequence[float]
) -> IntervalCoverage:
    inside = sum(error <= reach for error, reach in zip(errors, reaches, strict=True))
    ordered = sorted(errors)
    return IntervalCoverage(
        name=name,
        cluster=cluster,
        about=about,
        cases=len(errors),
        inside=inside / len(errors),
        reach=median(reaches),
        error=ordered[min(len(ordered) - 1, int(LEVEL * len(ordered)))],
    )
