# SPDX-License-Identifier: BSD-3-Clause
"""Pages of programs: how far predicted times are from measured ones, in total and in each MPI routine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from orrery.page.document import Page
from orrery.page.parts import Bars, BarSeries, Part, Table, TableColumn
from orrery.report.pages.bounds import bounds_said, tone_of
from orrery.units import show_time
from orrery.validate.programs import ProgramComparison
from orrery.validate.routines import RoutineComparison, Routines

_MOST_BARS = 12
"""Routines."""
_COLOURS = ("--series-8", "--series-2")
"""Measured, predicted."""


def page_of_program(found: ProgramComparison, above: Sequence[str] = (), *, bounded: bool = False) -> Page:
    """Total time, then the time in each routine.

    `above`: a sentence for each exceeded bound; `bounded`: whether there are any.
    """
    return Page(
        title=f"prediction for {found.measured_from}",
        verdict=_verdict(found) + bounds_said(above, bounded=bounded),
        tone=tone_of(above, bounded=bounded),
        facts=[*_sources(found), ("ranks", f"{found.ranks:,}"), *_calibration(found)],
        cautions=found.cautions,
        parts=[program_table([(_name(found.measured_from), found)], title="Total time"), *routine_parts(found)],
    )


def page_of_routines(found: Routines, above: Sequence[str] = (), *, bounded: bool = False) -> Page:
    """The time in each routine. `above`, `bounded`: as of `page_of_program`."""
    worst = max(found.routines, key=lambda line: abs(line.error_of_share), default=None)
    said = "No routine was measured."
    if worst is not None:
        said = (
            f"{worst.routine} is off most: predicted {show_time(worst.predicted.median_s)}, measured "
            f"{show_time(worst.measured.median_s)}, {worst.error_of_share:+.1%} of all measured time."
        )
    return Page(
        title=f"prediction for {found.measured_from}",
        verdict=said + bounds_said(above, bounded=bounded),
        tone=tone_of(above, bounded=bounded),
        facts=_sources(found),
        parts=routine_parts(found),
    )


def program_table(programs: Sequence[tuple[str, ProgramComparison]], *, title: str) -> Table:
    """A row for each program, by name."""
    return _filled(
        Table(
            title=title,
            note="Time between MPI_Init and MPI_Finalize, mean over ranks. Expected: where 9 of 10 real times are, by what measured "
            "clusters were off.",
            columns=[
                TableColumn(name="program"),
                TableColumn(name="ranks", unit="count"),
                TableColumn(name="measured", unit="s"),
                TableColumn(name="least", unit="s", help="Fastest of the measured runs"),
                TableColumn(name="most", unit="s", help="Slowest of the measured runs"),
                TableColumn(name="predicted", unit="s"),
                TableColumn(name="error", unit="share"),
                TableColumn(name="expected from", unit="s"),
                TableColumn(name="expected to", unit="s"),
                TableColumn(name="measured is"),
            ],
            rows=[_row(name, program) for name, program in programs],
            most=40,
        )
    )


def _row(name: str, program: ProgramComparison) -> list[object]:
    expected, measured = program.expected, program.total.measured
    inside = None if expected is None else expected.low_s <= measured.median_s <= expected.high_s
    return [
        name,
        program.ranks,
        measured.median_s,
        *((measured.low_s, measured.high_s) if program.runs > 1 else (None, None)),
        program.total.predicted_s,
        program.total.error,
        *((expected.low_s, expected.high_s) if expected else (None, None)),
        "" if inside is None else "inside" if inside else "outside",
    ]


def routine_parts(found: Routines) -> list[Part]:
    """Bars of the longest routines, and a table of all."""
    kept = [line for line in found.routines if line.measured.median_s > 0 or line.predicted.median_s > 0][:_MOST_BARS]
    measured = [(line.measured.median_s, 0.0) for line in kept]
    predicted = [(0.0, line.predicted.median_s) for line in kept]
    bars = Bars(
        title="Measured and predicted time",
        note="Summed over ranks; medians of runs and replicas.",
        unit="s",
        of="routine",
        labels=[label for line in kept for label in (line.routine, "predicted")],
        series=[
            BarSeries(name="measured", colour=_COLOURS[0], values=[value for pair in measured for value in pair]),
            BarSeries(name="predicted", colour=_COLOURS[1], values=[value for pair in predicted for value in pair]),
        ],
    )
    return [*([bars] if kept else []), _routines(found)]


def _routines(found: Routines) -> Table:
    return _filled(
        Table(
            title="Routines",
            note=f"Summed over ranks; {_count(found.runs, 'measured run')}, {_count(found.replicas, 'replica')}.",
            columns=[
                TableColumn(name="routine"),
                TableColumn(name="measured", unit="s"),
                TableColumn(name="least", unit="s"),
                TableColumn(name="most", unit="s"),
                TableColumn(name="predicted", unit="s"),
                TableColumn(name="5 %", unit="s", help="Of the replicas"),
                TableColumn(name="95 %", unit="s", help="Of the replicas"),
                TableColumn(name="error", unit="share"),
                TableColumn(name="of all time", unit="share", help="The error over the measured time in all routines"),
                TableColumn(name="measured spread"),
            ],
            rows=[_routine(line, found) for line in found.routines],
        )
    )


def _filled(table: Table) -> Table:
    """Without columns in which nothing is said."""
    kept = [i for i in range(len(table.columns)) if any(row[i] not in {None, ""} for row in table.rows)]
    columns = [table.columns[i] for i in kept]
    return replace(table, columns=columns, rows=[[row[i] for i in kept] for row in table.rows])


def _routine(line: RoutineComparison, found: Routines) -> list[object]:
    measured, predicted = line.measured, line.predicted
    spread = "inside" if line.inside else "overlaps" if line.overlaps else "outside"
    return [
        line.routine,
        measured.median_s,
        *((measured.low_s, measured.high_s) if found.runs > 1 else (None, None)),
        predicted.median_s,
        *((predicted.low_s, predicted.high_s) if found.replicas > 1 else (None, None)),
        line.error if measured.median_s > 0 else None,
        line.error_of_share,
        spread if found.intervals else "",
    ]


def _verdict(found: ProgramComparison) -> str:
    total, measured_s = found.total, found.total.measured.median_s
    said = f"Predicted {show_time(total.predicted_s)}, measured {show_time(measured_s)}: {total.error:+.1%}."
    if found.expected is not None:
        inside = found.expected.low_s <= measured_s <= found.expected.high_s
        low, high = show_time(found.expected.low_s), show_time(found.expected.high_s)
        said += f" That is {'inside' if inside else 'outside'} of what is expected, {low} to {high}."
    return said


def _name(measured_from: str) -> str:
    """Name of the first of the files, which are separated by commas."""
    return Path(measured_from.split(", ", maxsplit=1)[0]).name


def _sources(found: Routines) -> list[tuple[str, str]]:
    return [
        ("measured", f"{found.measured_from}, {_count(found.runs, 'run')}"),
        ("predicted", found.predicted_from),
    ]


def _calibration(found: ProgramComparison) -> list[tuple[str, str]]:
    return [("calibration", str(found.calibration["grade"]))] if found.calibration else []


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
