# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured times of collectives, as a figure: a panel for each collective and number of ranks."""

from __future__ import annotations

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from orrery.output import Output
from orrery.platform.model import Model
from orrery.report.figure_file import SECONDS, write_figure
from orrery.units import show_bytes, show_time
from orrery.validate.comparison import ValidationCase, ValidationComparison
from orrery.words import markup

_LOOKS: dict[Model, dict[str, str]] = {
    "hybrid": {"color": "#d62728"},
    "loggps": {"color": "#1f77b4", "dash": "dash"},
    "fluid": {"color": "#2ca02c", "dash": "dot"},
}
_COLUMNS = 3
_PANEL_HEIGHT = 340
_MOST_TICKS = 6


def write_page(found: ValidationComparison, output: Output) -> None:
    """Write measured times with their spread, and those of each model. Raises as `write_figure` does.

    After figure 4 of Bédaride and others 2013.
    """
    figure = draw(found)
    write_figure(figure, output, width=1400)


def draw(found: ValidationComparison) -> go.Figure:
    """The figure that `write_page` writes."""
    panels: dict[tuple[str, int], list[ValidationCase]] = {}
    for case in sorted(found.cases, key=lambda case: case.bytes):
        panels.setdefault((case.collective, case.ranks), []).append(case)
    rows = -(-len(panels) // _COLUMNS)
    keys = sorted(panels, key=lambda key: (found.kinds.index(key[0]), key[1]))
    titles = [f"{kind}, {ranks:,} ranks" for kind, ranks in keys]
    figure = make_subplots(rows=rows, cols=_COLUMNS, subplot_titles=titles, vertical_spacing=0.25 / rows)
    for position, key in enumerate(keys):
        place = {"row": position // _COLUMNS + 1, "col": position % _COLUMNS + 1}
        for trace in _traces(found, panels[key], first=position == 0):
            figure.add_trace(trace, **place)
        figure.update_xaxes(type="log", **_ticks(panels[key]), **place)
        figure.update_yaxes(type="log", dtick=1, **SECONDS, **place)
    summaries = [f"{model}: {by['all'].median:.1%}, {by['all'].p90:.1%}" for model, by in found.summary.items()]
    figure.update_layout(
        title=f"{markup(found.platform)}, {markup(found.selector)}; error, median and 90th percentile: {'; '.join(summaries)}<br>"
        f"<sup>{markup(found.source or 'parameters of unknown origin')}</sup>",
        template="plotly_white",
        height=_PANEL_HEIGHT * rows + 140,
    )
    return figure


def _traces(found: ValidationComparison, cases: list[ValidationCase], *, first: bool) -> list[go.Scatter]:
    sizes = [case.bytes or 1 for case in cases]
    traces = [
        go.Scatter(
            x=sizes,
            y=[case.measured_median_s for case in cases],
            error_y={
                "array": [case.measured_p90_s - case.measured_median_s for case in cases],
                "arrayminus": [case.measured_median_s - case.measured_least_s for case in cases],
                "thickness": 1,
            },
            name="measured",
            legendgroup="measured",
            showlegend=first,
            mode="markers",
            marker={"color": "black", "size": 6},
            text=[f"{show_bytes(case.bytes)}: {show_time(case.measured_median_s)}" for case in cases],
            hoverinfo="text+name",
        )
    ]
    bands = [_band(model, sizes, cases) for model in found.models if cases[0].predicted[model].replicas > 1]
    return bands + traces + [_line(model, sizes, cases, first=first) for model in found.models]


def _band(model: Model, sizes: list[int], cases: list[ValidationCase]) -> go.Scatter:
    """Band from the 5th to the 95th percentile of the replicas, in one legend group with the line of the model."""
    predicted = [case.predicted[model] for case in cases]
    return go.Scatter(
        x=sizes + sizes[::-1],
        y=[spread.low_s for spread in predicted] + [spread.high_s for spread in predicted[::-1]],
        legendgroup=model,
        showlegend=False,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=_LOOKS[model]["color"],
        opacity=0.25,
        hoverinfo="skip",
    )


def _line(model: Model, sizes: list[int], cases: list[ValidationCase], *, first: bool) -> go.Scatter:
    predicted = [case.predicted[model] for case in cases]
    return go.Scatter(
        x=sizes,
        y=[judged.median_s for judged in predicted],
        name=model,
        legendgroup=model,
        showlegend=first,
        mode="lines+markers",
        marker={"size": 3},
        line=_LOOKS[model],
        text=[f"{show_time(judged.median_s)} ({judged.error:+.1%})" for judged in predicted],
        hoverinfo="text+name",
    )


def _ticks(cases: list[ValidationCase]) -> dict[str, list[int] | list[str]]:
    sizes = [case.bytes for case in cases]
    some = sizes[:: max(1, len(sizes) // _MOST_TICKS)]
    return {"tickvals": [size or 1 for size in some], "ticktext": [show_bytes(size) for size in some]}
