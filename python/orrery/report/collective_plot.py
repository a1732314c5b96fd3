# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of collectives as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from orrery.collective.predict import Answer, Prediction
from orrery.collective.study import Study
from orrery.experiment.mapping import describe_mapping
from orrery.output import Output
from orrery.page.document import write_page
from orrery.report.figure_file import write_figure
from orrery.report.pages.collective import page_of_curves
from orrery.units import show_bytes, show_time
from orrery.words import markup

_COLOURS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
    "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#393b79", "#637939",
)  # fmt: skip
_DASHES = ("solid", "dash", "dot")
_PANEL_HEIGHT = 480


def write_plot(study: Study, output: Output) -> None:
    """Write time over size: a line for each algorithm, a panel for each collective and number of ranks.

    The format follows the suffix of the file: a page, or an image. Raises as `write_figure` does.
    """
    if output.path.suffix.lower() == ".html":
        write_page(page_of_curves(study), output)
    else:
        write_figure(draw(study), output)


def draw(study: Study) -> go.Figure:
    """The image that `write_plot` writes."""
    panels: dict[tuple[str, int], list[Answer]] = {}
    for answer in study.answers:
        panels.setdefault((answer.call.kind, answer.call.ranks), []).append(answer)
    titles = [f"{kind}, {ranks:,} ranks" for kind, ranks in panels]
    figure = make_subplots(rows=len(panels), cols=1, subplot_titles=titles, vertical_spacing=0.15 / len(panels))
    names = list(dict.fromkeys(one.algorithm for a in study.answers for one in a.predictions))
    looks = {name: _look(number) for number, name in enumerate(names)}
    shown: set[str] = set()
    for row, answers in enumerate(panels.values(), start=1):
        answers.sort(key=lambda answer: answer.call.size)
        for trace in _traces(answers, looks, shown):
            figure.add_trace(trace, row=row, col=1)
        sizes = [answer.call.size for answer in answers]
        figure.update_xaxes(type="log", title="size", row=row, col=1, **ticks(sizes))
        figure.update_yaxes(type="log", title="time until the last rank goes on", row=row, col=1, **_decades(answers))
    figure.update_layout(
        title=f"{markup(study.platform)}, model {study.model}, ranks {markup(describe_mapping(study.mapping))}<br>"
        f"<sup>{markup(study.source or 'parameters of unknown origin')}</sup>",
        template="plotly_white",
        height=_PANEL_HEIGHT * len(panels) + 80,
        legend_title="algorithm",
    )
    return figure


def _traces(answers: Sequence[Answer], looks: dict[str, dict[str, str]], shown: set[str]) -> list[go.Scatter]:
    traces = []
    for name, line in looks.items():
        best = [(answer.call.size, one) for answer in answers if (one := answer.best_of(name)) is not None]
        traces += _trace(name, best, shown, mode="lines+markers", line=line, marker_size=5)
    chosen = [(answer.call.size, answer.chosen) for answer in answers if answer.chosen is not None]
    ring = {"symbol": "circle-open", "size": 13, "color": "black", "line": {"width": 1.5}}
    return traces + _trace("selector's choice", chosen, shown, said="chosen: ", mode="markers", marker=ring)


def _trace(
    name: str, points: Sequence[tuple[int, Prediction]], shown: set[str], said: str = "", **look: object
) -> list[go.Scatter]:
    """One line or set of markers, listed in the legend once per figure; empty if there are no points."""
    if not points:
        return []
    first = name not in shown
    shown.add(name)
    return [
        go.Scatter(
            x=[place_of(size) for size, _ in points],
            y=[one.time_s for _, one in points],
            name=name,
            legendgroup=name,
            showlegend=first,
            text=[f"{said}{one.name}<br>{show_bytes(size)}: {show_time(one.time_s)}" for size, one in points],
            hoverinfo="text",
            **look,
        )
    ]


def _look(number: int) -> dict[str, str]:
    """Twelve colours, then the same with dashes, then with dots."""
    return {"color": _COLOURS[number % len(_COLOURS)], "dash": _DASHES[number // len(_COLOURS) % len(_DASHES)]}


def _decades(answers: Sequence[Answer]) -> dict[str, list[float] | list[str]]:
    """Ticks of the time axis: the powers of ten that enclose all times."""
    times = [one.time_s for answer in answers for one in answer.predictions if one.time_s > 0] or [1.0]
    tens = [10.0**power for power in range(floor(log10(min(times))), ceil(log10(max(times))) + 1)]
    return {"tickvals": tens, "ticktext": [show_time(ten) for ten in tens]}


def place_of(size: int) -> float:
    """Coordinate of a size on a logarithmic axis; 0 bytes are drawn at 0.5."""
    return size or 0.5


def ticks(sizes: Sequence[int]) -> dict[str, list[float] | list[str]]:
    """Ticks of the size axis: about a dozen of `sizes`, with units."""
    step = max(1, len(sizes) // 12)
    some = sizes[::step]
    return {"tickvals": [place_of(size) for size in some], "ticktext": [show_bytes(size) for size in some]}
