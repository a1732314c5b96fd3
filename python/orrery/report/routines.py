# SPDX-License-Identifier: BSD-3-Clause
"""Time in each MPI routine, simulated against measured, as a table and as bars."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TextIO

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.report.figure_file import write_figure
from orrery.report.validation import write_columns
from orrery.units import show_time
from orrery.validate.programs import Program
from orrery.validate.routines import Line, Routines


def write_table(found: Routines, out: TextIO) -> None:
    """A line for each routine; seconds are summed over the ranks."""
    heading = ("routine", "measured", "predicted", "error", "of all time")
    write_columns(out, heading, (_cells(line) for line in found.lines))


def write_program(found: Program, out: TextIO) -> None:
    """Total of the runs and of the prediction, then a line for each routine."""
    runs = found.measured_s
    spread = f", {len(runs)} runs, {show_time(min(runs))} to {show_time(max(runs))}" if len(runs) > 1 else ""
    out.write(
        f"total  measured {show_time(median(runs))}{spread}; predicted {show_time(found.predicted_s)}: {found.error:+.1%}\n"
    )
    write_table(found.routines, out)


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.routine,
        show_time(line.measured_s),
        show_time(line.predicted_s),
        f"{line.error:+.1%}" if line.measured_s > 0 else "not measured",
        f"{line.error_of_share:+.1%}",
    )


def write_page(found: Routines, file: Path) -> None:
    """Bars for each routine, after figure 5 of papers/smpi-hybrid-network-model.txt. Raises OrreryError.

    HTML stands for itself; other suffixes make pictures.
    """
    names = [line.routine for line in found.lines]
    figure = go.Figure(
        [
            go.Bar(name="measured", x=names, y=[line.measured_s for line in found.lines], marker_color="#7f7f7f"),
            go.Bar(name="predicted", x=names, y=[line.predicted_s for line in found.lines], marker_color="#d62728"),
        ]
    )
    figure.update_layout(
        title=f"{found.predicted_from} against {found.measured_from}",
        yaxis_title="seconds, all ranks together",
        template="plotly_white",
        barmode="group",
    )
    write_figure(figure, file)
