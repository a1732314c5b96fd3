# SPDX-License-Identifier: BSD-3-Clause
"""Where time went on each node, by routine: as tables, as stacked bars of a page, and as a picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from orrery.page.parts import Bars, BarSeries
from orrery.record.document import Row
from orrery.record.profile import APPLICATION
from orrery.report.table import profile_table
from orrery.terminal import visible
from orrery.words import markup

if TYPE_CHECKING:
    import plotly.graph_objects as go  # type: ignore[import-untyped]

_MOST_BARS = 256
"""Nodes of a picture; of more, those with the most time in MPI."""
_OUTSIDE = "outside of MPI"

Nodes = Mapping[str, Sequence[Row]]
"""Rows of each node, as `orrery.record.sums.by_node` gives them."""


def per_node_tables(nodes: Nodes) -> str:
    """A table for each node, in the layout of TAU's pprof."""
    return "\n".join(f"{visible(name)}:\n{profile_table(rows)}" for name, rows in nodes.items())


def draw_nodes(nodes: Nodes, title: str) -> go.Figure:
    """A bar for each node, of exclusive seconds by routine, the longest at the bottom."""
    import plotly.graph_objects as go

    from orrery.report.figure_file import SECONDS

    figure = go.Figure()
    for bar in node_bars(nodes):
        figure.add_trace(bar)
    figure.update_layout(
        title=markup(title), barmode="stack", width=1000, height=560, legend={"traceorder": "reversed"}
    )
    figure.update_yaxes(title="time", **SECONDS)
    return figure


def node_bars(nodes: Nodes) -> list[go.Bar]:
    """Times by node and routine as traces for a figure of several panels."""
    import plotly.graph_objects as go

    labels, series = _stacked(nodes, most=9)
    return [
        go.Bar(name=markup(name), legendgroup="nodes", x=[*map(markup, labels)], y=values)
        for name, values in series.items()
    ]


def node_part(nodes: Nodes) -> Bars:
    """Times by node and routine as a part of a page."""
    labels, series = _stacked(nodes, most=7)
    note = "Exclusive time of all ranks of a node, by routine."
    if len(nodes) > len(labels):
        note += f" The {len(labels)} of {len(nodes):,} nodes with the most time in MPI."
    return Bars(
        title="Time by node and routine",
        note=note,
        unit="s",
        of="node",
        labels=labels,
        series=[
            BarSeries(name=name, colour=f"--series-{i + 1}", values=values)
            for i, (name, values) in enumerate(series.items())
        ],
    )


def _stacked(nodes: Nodes, most: int) -> tuple[list[str], dict[str, list[float]]]:
    """Names of nodes, and by routine the exclusive seconds on each; those beyond the `most` longest are one."""
    times = {name: _seconds(rows) for name, rows in nodes.items()}
    if len(times) > _MOST_BARS:
        in_mpi = {name: sum(of.values()) - of[_OUTSIDE] for name, of in times.items()}
        kept = set(sorted(in_mpi, key=lambda name: -in_mpi[name])[:_MOST_BARS])
        times = {name: of for name, of in times.items() if name in kept}
    totals: dict[str, float] = defaultdict(float)
    for of_node in times.values():
        for routine, seconds in of_node.items():
            totals[routine] += seconds
    order = sorted(totals, key=lambda routine: (routine != _OUTSIDE, -totals[routine], routine))
    series = {routine: [of.get(routine, 0.0) for of in times.values()] for routine in order[:most]}
    if rest := order[most:]:
        series["other"] = [sum(of.get(routine, 0.0) for routine in rest) for of in times.values()]
    return list(times), series


def _seconds(rows: Sequence[Row]) -> dict[str, float]:
    """Seconds of each routine in the whole run; rows of phases are parts of it, and left out."""
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        if row.phase is None:
            found[_OUTSIDE if row.name == APPLICATION else row.name.removesuffix("()")] += row.exclusive_s
    return found
