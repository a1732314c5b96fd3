# SPDX-License-Identifier: BSD-3-Clause
"""Time in each MPI routine, simulated against measured, as a table and as bars."""

from __future__ import annotations

from typing import TextIO

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.output import Output
from orrery.report.figure_file import SECONDS, write_figure
from orrery.report.validation import write_columns
from orrery.units import show_time
from orrery.validate.programs import ProgramComparison
from orrery.validate.routines import RoutineComparison, Routines
from orrery.validate.spread import Spread
from orrery.words import markup


def write_table(found: Routines, out: TextIO) -> None:
    """Write a line for each routine; times are summed over ranks. Intervals are shown if any time has one."""
    heading = ["routine", "measured", "predicted", "error", "of all time"]
    if not found.intervals:
        write_columns(out, tuple(heading), (tuple(_cells(line)) for line in found.routines))
        return
    heading[3:3] = ["5 %", "95 %"]
    heading[2:2] = ["least", "most"]
    write_columns(out, (*heading, ""), (_spread_cells(line) for line in found.routines))


def write_program(found: ProgramComparison, out: TextIO) -> None:
    """Write measured and predicted total time, then a line for each routine, then cautions."""
    total = found.total
    measured = _several(total.measured, len(total.measured_s), "runs,")
    predicted = _several(total.predicted, len(total.replicas_s), "replicas, 5 to 95 %")
    spreads = f", {'overlaps' if total.overlaps else 'outside'}" if found.intervals else ""
    out.write(f"total  measured {measured}; predicted {predicted}: {total.error:+.1%}{spreads}\n")
    write_table(found, out)
    out.write("".join(f"caution: {said}\n" for said in found.cautions))


def _several(spread: Spread, count: int, of: str) -> str:
    middle = show_time(spread.median_s)
    return f"{middle}, {count} {of} {show_time(spread.low_s)} to {show_time(spread.high_s)}" if count > 1 else middle


def _cells(line: RoutineComparison) -> list[str]:
    return [
        line.routine,
        show_time(line.measured.median_s),
        show_time(line.predicted.median_s),
        f"{line.error:+.1%}" if line.measured.median_s > 0 else "not measured",
        f"{line.error_of_share:+.1%}",
    ]


def _spread_cells(line: RoutineComparison) -> tuple[str, ...]:
    """Cells with intervals. As in the table of collectives, the last one is empty where the prediction lies inside."""
    cells = _cells(line)
    cells[3:3] = [show_time(line.predicted.low_s), show_time(line.predicted.high_s)]
    cells[2:2] = [show_time(line.measured.low_s), show_time(line.measured.high_s)]
    return (*cells, "" if line.inside else "overlaps" if line.overlaps else "outside")


def write_page(found: Routines, output: Output) -> None:
    """Write a bar chart of the measured and the predicted time of each routine. Raises as `write_figure` does.

    After figure 5 of Bédaride and others 2013.
    """
    names = [line.routine for line in found.routines]
    measured, predicted = [line.measured for line in found.routines], [line.predicted for line in found.routines]
    runs = f"measured, {found.runs} runs" if found.runs > 1 else "measured"
    replicas = f"predicted, 5 to 95 % of {found.replicas} replicas" if found.replicas > 1 else "predicted"
    figure = go.Figure([_bars(runs, names, measured, "#7f7f7f"), _bars(replicas, names, predicted, "#d62728")])
    figure.update_layout(
        title=f"{found.predicted_from} against {found.measured_from}",
        yaxis={"title": "time, all ranks together", **SECONDS},
        template="plotly_white",
        barmode="group",
    )
    write_figure(figure, output)


def _bars(name: str, routines: list[str], spreads: list[Spread], color: str) -> go.Bar:
    """Bars of the medians, with error bars if any routine has an interval."""
    more = [spread.high_s - spread.median_s for spread in spreads]
    less = [spread.median_s - spread.low_s for spread in spreads]
    error = {"array": more, "arrayminus": less, "visible": any(more) or any(less)}
    return go.Bar(
        name=name,
        x=[*map(markup, routines)],
        y=[spread.median_s for spread in spreads],
        error_y=error,
        marker_color=color,
    )
