# SPDX-License-Identifier: BSD-3-Clause
"""Collectives against equivalent point-to-point messages, as a figure."""

from __future__ import annotations

from itertools import groupby

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from orrery.collective.versus import Comparison, Versus
from orrery.experiment.mapping import describe_mapping
from orrery.output import Output
from orrery.page.document import write_page
from orrery.report.collective_plot import place_of, ticks
from orrery.report.figure_file import SECONDS, write_figure
from orrery.report.pages.versus import page_of_versus
from orrery.units import show_bytes, show_time
from orrery.words import markup

_PANEL_HEIGHT = 420
_LINES = {"the collective": "#1f77b4", "sends, one after the other": "#ff7f0e"}


def write_plot(found: Versus, output: Output) -> None:
    """Write time over size of both, a panel for each collective and number of ranks. Raises as `write_figure` does."""
    if output.path.suffix.lower() == ".html":
        write_page(page_of_versus(found), output)
    else:
        write_figure(draw(found), output)


def draw(found: Versus) -> go.Figure:
    """The figure that `write_plot` writes."""
    by_call = sorted(found.comparisons, key=lambda one: (one.call.kind, one.call.ranks, one.call.size))
    panels = [list(group) for _, group in groupby(by_call, key=lambda one: (one.call.kind, one.call.ranks))]
    titles = [f"{scenario.kind}, {scenario.ranks:,} ranks: {scenario.words}" for scenario in found.scenarios]
    figure = make_subplots(rows=len(panels), cols=1, subplot_titles=titles, vertical_spacing=0.15 / len(panels))
    for row, panel in enumerate(panels, start=1):
        for name, colour in _LINES.items():
            figure.add_trace(_line(panel, name, colour, legend=row == 1), row=row, col=1)
        figure.update_xaxes(type="log", row=row, col=1, **ticks([one.call.size for one in panel]))
        figure.update_yaxes(type="log", title="time", row=row, col=1, **SECONDS)
    figure.update_layout(
        title=f"{markup(found.platform)}, model {found.model}, ranks {markup(describe_mapping(found.mapping))}<br>"
        f"<sup>{markup(found.source or 'parameters of unknown origin')}</sup>",
        template="plotly_white",
        height=_PANEL_HEIGHT * len(panels) + 80,
    )
    return figure


def _line(panel: list[Comparison], name: str, colour: str, *, legend: bool) -> go.Scatter:
    times = [one.sends_s if name.startswith("sends") else one.collective_s for one in panel]
    sizes = [one.call.size for one in panel]
    return go.Scatter(
        x=[place_of(size) for size in sizes],
        y=times,
        name=name,
        legendgroup=name,
        showlegend=legend,
        mode="lines+markers",
        line={"color": colour},
        text=[f"{name}<br>{show_bytes(size)}: {show_time(time)}" for size, time in zip(sizes, times, strict=True)],
        hoverinfo="text",
    )
