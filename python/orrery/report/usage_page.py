# SPDX-License-Identifier: BSD-3-Clause
"""The communication matrix, message sizes and times of ranks of a trace, as a figure."""

from __future__ import annotations

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from orrery.output import Output
from orrery.record.sums import by_node
from orrery.report.figure_file import SECONDS, write_figure
from orrery.report.nodes import node_bars
from orrery.trace.usage import UsageReport
from orrery.units import show_bytes
from orrery.words import markup

_MOST_CELLS = 1024
"""Rows and columns of the communication matrix; of more ranks, blocks are drawn."""
_MATRIX_HEIGHT, _PANEL_HEIGHT = 620, 380


def write_page(report: UsageReport, output: Output) -> None:
    """Write the figure in the format of the file's suffix. Raises as `write_figure` does."""
    write_figure(draw(report), output)


def draw(report: UsageReport) -> go.Figure:
    """Panels: bytes from rank to rank, calls by message size, time of each rank, and of each node by routine."""
    heights = [_MATRIX_HEIGHT, _PANEL_HEIGHT, _PANEL_HEIGHT, _PANEL_HEIGHT]
    figure = make_subplots(
        rows=4,
        cols=1,
        row_heights=heights,
        vertical_spacing=0.06,
        subplot_titles=[
            "bytes sent from rank to rank",
            "messages and collective calls by size",
            "time of each rank",
            "time of each node by routine",
        ],
    )
    figure.add_trace(_matrix(report), row=1, col=1)
    for trace in _sizes(report):
        figure.add_trace(trace, row=2, col=1)
    for trace in _times(report):
        figure.add_trace(trace, row=3, col=1)
    for trace in node_bars(by_node(report.profile, report.hosts)):
        figure.add_trace(trace, row=4, col=1)
    figure.update_xaxes(title="to rank", constrain="domain", row=1, col=1)
    figure.update_yaxes(title="from rank", autorange="reversed", scaleanchor="x", constrain="domain", row=1, col=1)
    figure.update_xaxes(title="size up to", categoryorder="array", categoryarray=_size_labels(report), row=2, col=1)
    figure.update_yaxes(title="number", row=2, col=1)
    figure.update_xaxes(title="rank", row=3, col=1)
    figure.update_yaxes(title="time", row=3, col=1, **SECONDS)
    figure.update_yaxes(title="time", row=4, col=1, **SECONDS)
    figure.update_layout(
        title=markup(report.properties.get("command", report.trace)),
        barmode="stack",
        legend={"y": (3 * _PANEL_HEIGHT) / sum(heights) - 0.03, "yanchor": "top"},  # below the matrix's scale
        height=sum(heights),
        width=1000,
    )
    return figure


def _matrix(report: UsageReport) -> go.Heatmap:
    """Bytes from rank to rank. Above 1,024 ranks, a cell is the sum over two blocks of consecutive ranks."""
    ranks = len(report.ranks)
    block = -(-ranks // _MOST_CELLS) if ranks else 1
    cells = -(-ranks // block)
    nothing = None if report.edges else 0  # plotly draws a matrix of None only without a size
    sent: list[list[int | None]] = [[nothing] * cells for _ in range(cells)]
    for edge in report.edges:
        row, column = edge.source // block, edge.destination // block
        sent[row][column] = (sent[row][column] or 0) + edge.bytes
    places = [rank * block for rank in range(cells)]
    labels = [[("" if cell is None else show_bytes(cell)) for cell in row] for row in sent]
    return go.Heatmap(
        x=places,
        y=places,
        z=sent,
        text=labels,
        hovertemplate="from %{y} to %{x}: %{text}<extra></extra>",
        colorscale="Viridis",
        zmin=0,
        zmax=max((edge for row in sent for edge in row if edge), default=1),
        colorbar={
            "title": "bytes",
            "len": _MATRIX_HEIGHT / (_MATRIX_HEIGHT + 3 * _PANEL_HEIGHT),
            "y": 1,
            "yanchor": "top",
        },
    )


def _size_labels(report: UsageReport) -> list[str]:
    return [show_bytes(size) for size in sorted({size.bytes_up_to for size in report.sizes})]


def _sizes(report: UsageReport) -> list[go.Bar]:
    """Bars from 0 on, those of one size on each other: a logarithmic axis has no base, and would show no ratio of two heights."""
    routines = sorted({size.routine for size in report.sizes})
    return [
        go.Bar(
            name=markup(routine),
            legendgroup="sizes",
            x=[show_bytes(size.bytes_up_to) for size in report.sizes if size.routine == routine],
            y=[size.number for size in report.sizes if size.routine == routine],
        )
        for routine in routines
    ]


def _times(report: UsageReport) -> list[go.Bar]:
    ranks = [rank.rank for rank in report.ranks]
    outside = [max(0.0, rank.total_s - rank.mpi_s) for rank in report.ranks]
    return [
        go.Bar(name="outside of MPI", legendgroup="times", x=ranks, y=outside, marker_color="#1f77b4"),
        go.Bar(
            name="in MPI", legendgroup="times", x=ranks, y=[rank.mpi_s for rank in report.ranks], marker_color="#ff7f0e"
        ),
    ]
