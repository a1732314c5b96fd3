# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of collectives as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.collective.predict import Answer, Prediction
from orrery.collective.study import Study
from orrery.experiment.mapping import describe_mapping
from orrery.output import Output
from orrery.page.document import write_page
from orrery.report.call_panels import Known, Panel, choice_has_gaps, panels_of, place_of
from orrery.report.figure_file import write_figure
from orrery.report.pages.collective import page_of_curves
from orrery.report.panel_grid import PanelGrid
from orrery.units import show_bytes, show_time
from orrery.words import markup

_COLOURS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
    "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#393b79", "#637939",
)  # fmt: skip
_DASHES = ("solid", "dash", "dot")
_THIN = "#aaaaaa"
_JOINED = "from choice to choice"
_ROOM, _LEAST_ROOM = 0.05, 0.2
"""Beyond the least and the longest time: share of the range, and powers of ten at least, so that a tick is among them."""
_FEW = 2
"""Powers of ten on the time axis, below which those between them have ticks too."""


def write_plot(study: Study, output: Output) -> None:
    """Write time over size: a line for each algorithm, a panel for each collective and number of ranks. Where there are several
    numbers of ranks and one size, time over ranks in one panel.

    The format follows the suffix of the file: a page, or an image. Raises as `write_figure` does.
    """
    if output.path.suffix.lower() == ".html":
        write_page(page_of_curves(study), output)
    else:
        write_figure(draw(study), output, PanelGrid(len(panels_of(study.answers))).width)


def draw(study: Study) -> go.Figure:
    """The image that `write_plot` writes."""
    panels = panels_of(study.answers)
    grid = PanelGrid(len(panels))
    figure = grid.figure([panel.title for panel in panels])
    names = list(dict.fromkeys(prediction.algorithm for answer in study.answers for prediction in answer.predictions))
    looks = {name: _look(number) for number, name in enumerate(names)}
    times = _times(panels)
    shown: set[str] = set()
    for number, panel in enumerate(panels):
        cell = grid.cell(number)
        for trace in _traces(panel, looks, shown):
            figure.add_trace(trace, **cell)
        figure.update_xaxes(type="log", title=panel.over, **cell, **ticks(panel))
        title = grid.title(number, "time until the last rank goes on")
        figure.update_yaxes(type="log", title=title, **cell, **_decades(times[panel.kind]))
    figure.update_layout(
        title=f"{markup(study.platform)}, model {study.model}, ranks {markup(describe_mapping(study.mapping))}<br>"
        f"<sup>{markup(study.source or 'parameters of unknown origin')}</sup>",
        template="plotly_white",
        height=grid.height,
        legend_title="algorithm",
    )
    return figure


def _traces(panel: Panel[Answer], looks: dict[str, dict[str, str]], shown: set[str]) -> list[go.Scatter]:
    traces = []
    chosen = [(place_of(panel, answer), answer.chosen) for answer in panel.calls if answer.chosen is not None]
    if choice_has_gaps(panel.calls):
        thin = {"color": _THIN, "width": 1}
        traces += _trace(panel, _JOINED, chosen, shown, said="chosen: ", mode="lines", line=thin)
    for name, line in looks.items():
        best = [
            (place_of(panel, answer), prediction)
            for answer in panel.calls
            if (prediction := answer.best_of(name)) is not None
        ]
        traces += _trace(panel, name, best, shown, mode="lines+markers", line=line, marker_size=5)
    ring = {"symbol": "circle-open", "size": 13, "color": "black", "line": {"width": 1.5}}
    return traces + _trace(panel, "selector's choice", chosen, shown, said="chosen: ", mode="markers", marker=ring)


def _trace(
    panel: Panel[Answer],
    name: str,
    points: Sequence[tuple[int, Prediction]],
    shown: set[str],
    said: str = "",
    **look: object,
) -> list[go.Scatter]:
    """One line or set of markers, listed in the legend once per figure; empty if there are no points."""
    if not points:
        return []
    first = name not in shown
    shown.add(name)
    return [
        go.Scatter(
            x=[on_log(place) for place, _ in points],
            y=[prediction.time_s for _, prediction in points],
            name=name,
            legendgroup=name,
            showlegend=first,
            text=[
                f"{said}{prediction.name}<br>{panel.show(place)}: {show_time(prediction.time_s)}"
                for place, prediction in points
            ],
            hoverinfo="text",
            **look,
        )
    ]


def _look(number: int) -> dict[str, str]:
    """Twelve colours, then the same with dashes, then with dots."""
    return {"color": _COLOURS[number % len(_COLOURS)], "dash": _DASHES[number // len(_COLOURS) % len(_DASHES)]}


def _times(panels: Sequence[Panel[Answer]]) -> dict[str, list[float]]:
    """Times of all panels of a kind, in seconds, which share a range so that they can be compared by eye."""
    times: dict[str, list[float]] = {}
    for panel in panels:
        own = times.setdefault(panel.kind, [])
        own += [
            prediction.time_s for answer in panel.calls for prediction in answer.predictions if prediction.time_s > 0
        ]
    return times


def _decades(times: Sequence[float]) -> dict[str, list[float] | list[str]]:
    """Range of the time axis, with ticks at the powers of ten, and between these where there are few."""
    low, high = time_range(times)
    between = (1, 2, 5) if high - low < _FEW else (1,)
    marks = [by * 10.0**power for power in range(floor(low), ceil(high) + 1) for by in between]
    return {"tickvals": marks, "ticktext": [show_time(mark) for mark in marks], "range": [low, high]}


def time_range(times: Sequence[float]) -> tuple[float, float]:
    """What a logarithmic axis of these times in seconds covers, in powers of ten."""
    low, high = log10(min(times, default=1.0)), log10(max(times, default=1.0))
    room = max(_LEAST_ROOM, _ROOM * (high - low))
    return low - room, high + room


def on_log(place: int) -> float:
    """Coordinate of a size or a number of ranks on a logarithmic axis; 0 bytes are drawn at 0.5."""
    return place or 0.5


def ticks(panel: Panel[Known]) -> dict[str, list[float] | list[str]]:
    """Ticks of the horizontal axis: about a dozen of the panel's sizes, with units, or of its numbers of ranks."""
    places = panel.places
    some = places[:: max(1, len(places) // 12)]
    texts = [show_bytes(place) if panel.over == "size" else f"{place:,}" for place in some]
    return {"tickvals": [on_log(place) for place in some], "ticktext": texts}
