# SPDX-License-Identifier: BSD-3-Clause
"""Collectives against equivalent point-to-point messages, as a figure."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.collective.versus import Scenario, SendsComparison, SendsStudy
from orrery.experiment.mapping import describe_mapping
from orrery.output import Output
from orrery.page.document import write_page
from orrery.report.call_panels import Panel, panels_of
from orrery.report.collective_plot import on_log, ticks, time_range
from orrery.report.figure_file import SECONDS, write_figure
from orrery.report.pages.versus import page_of_versus
from orrery.report.panel_grid import PanelGrid
from orrery.units import show_time
from orrery.words import markup

_LINES = {"the collective": "#1f77b4", "sends, one after the other": "#ff7f0e"}


def write_plot(found: SendsStudy, output: Output) -> None:
    """Write time over size of both, in panels as `panels_of` makes them. Raises as `write_figure` does."""
    if output.path.suffix.lower() == ".html":
        write_page(page_of_versus(found), output)
    else:
        write_figure(draw(found), output, PanelGrid(len(panels_of(found.comparisons))).width)


def draw(found: SendsStudy) -> go.Figure:
    """The figure that `write_plot` writes."""
    panels = panels_of(found.comparisons)
    titles = [_title(panel, found.scenarios) for panel in panels]
    grid = PanelGrid(len(panels))
    figure = grid.figure(titles)
    times: dict[str, list[float]] = {}
    for pair in found.comparisons:
        times.setdefault(pair.call.kind, []).extend(
            time_s for time_s in (pair.collective_s, pair.sends_s) if time_s > 0
        )
    for number, panel in enumerate(panels):
        cell = grid.cell(number)
        for name, colour in _LINES.items():
            figure.add_trace(_line(panel, name, colour, legend=number == 0), **cell)
        figure.update_xaxes(type="log", title=panel.over, **cell, **ticks(panel))
        around = time_range(times[panel.kind])  # the same in all panels of a kind, which are compared by eye
        figure.update_yaxes(type="log", title=grid.title(number, "time"), range=around, **cell, **SECONDS)
    figure.update_layout(
        title=f"{markup(found.platform)}, model {found.model}, ranks {markup(describe_mapping(found.mapping))}<br>"
        f"<sup>{markup(found.source or 'parameters of unknown origin')}</sup>",
        template="plotly_white",
        height=grid.height,
    )
    return figure


def _title(panel: Panel[SendsComparison], scenarios: Sequence[Scenario]) -> str:
    """With the scenario of its number of ranks; a panel over ranks has several."""
    if panel.over == "ranks":
        return panel.title
    call = panel.calls[0].call
    words = [scenario.words for scenario in scenarios if (scenario.kind, scenario.ranks) == (call.kind, call.ranks)]
    return ": ".join([panel.title, *words])


def _line(panel: Panel[SendsComparison], name: str, colour: str, *, legend: bool) -> go.Scatter:
    times = [pair.sends_s if name.startswith("sends") else pair.collective_s for pair in panel.calls]
    places = panel.places
    return go.Scatter(
        x=[on_log(place) for place in places],
        y=times,
        name=name,
        legendgroup=name,
        showlegend=legend,
        mode="lines+markers",
        line={"color": colour},
        text=[f"{name}<br>{panel.show(place)}: {show_time(time)}" for place, time in zip(places, times, strict=True)],
        hoverinfo="text",
    )
