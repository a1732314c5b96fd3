# SPDX-License-Identifier: BSD-3-Clause
"""Traces of a figure, drawn into the axes of their panel: lines, markers, bands, bars and matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.ticker import EngFormatter

from orrery.report.picture.axes import GREY, Categories
from orrery.report.picture.words import plain

_DASHES = {None: "-", "solid": "-", "dash": (0, (5, 2)), "dot": (0, (1.2, 1.6))}
_BAR_WIDTH = 0.8
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
"""Colours of traces that name none, in their order within a panel."""


Drawn = Artist | Container
"""What stands for a trace in a legend."""


@dataclass(frozen=True)
class LegendEntry:
    """An entry of a legend."""

    name: str
    drawn: Drawn


def draw_traces(axes: Axes, traces: list[Any], categories: Categories, barmode: str | None) -> list[LegendEntry]:
    """Draw the traces of a panel and give the entries of its legend. Raises ValueError for kinds that no figure has so far."""
    bars = [trace for trace in traces if trace.type == "bar"]
    drawn = _draw_bars(axes, bars, categories, barmode)
    for trace in traces:
        if trace.type == "scatter":
            drawn[id(trace)] = _draw_scatter(axes, trace, categories)
        elif trace.type == "heatmap":
            _draw_matrix(axes, trace)
        elif trace.type != "bar":
            raise ValueError(f"no image can be drawn of traces of the type {trace.type}")
    listed = [trace for trace in traces if trace.name is not None and trace.showlegend is not False]
    return [LegendEntry(plain(trace.name), drawn[id(trace)]) for trace in listed if id(trace) in drawn]


def _draw_scatter(axes: Axes, trace: Any, categories: Categories) -> Drawn:
    x = categories.places(list(trace.x))
    colour = trace.line.color or trace.marker.color
    if trace.fill == "toself":
        return axes.fill(x, trace.y, color=trace.fillcolor, alpha=trace.opacity, linewidth=0)[0]
    look: dict[str, Any] = {"color": colour, "linestyle": "none", "markersize": 0}
    if "lines" in trace.mode:
        look |= {"linestyle": _DASHES[trace.line.dash], "linewidth": trace.line.width or 1.6}
    if "markers" in trace.mode:
        look |= {"marker": "o", "markersize": 0.75 * (trace.marker.size or 5)}  # of pixels, in points
    if trace.marker.symbol == "circle-open":
        look |= {"markerfacecolor": "none", "markeredgewidth": trace.marker.line.width}
    if trace.error_y.array is None:
        return axes.plot(x, trace.y, **look)[0]
    return axes.errorbar(x, trace.y, yerr=_errors(trace.error_y), elinewidth=1, capsize=2, **look)


def _errors(error: Any) -> list[list[float]] | None:
    if error.array is None or error.visible is False:
        return None
    return [list(error.arrayminus), list(error.array)]


def _draw_bars(axes: Axes, bars: list[Any], categories: Categories, barmode: str | None) -> dict[int, Drawn]:
    """Bars at one place stand on each other, or side by side when the mode is `group`."""
    groups = [number if barmode == "group" else 0 for number in range(len(bars))]
    order = list(dict.fromkeys(groups))
    width = _BAR_WIDTH / max(1, len(order))
    tops: dict[tuple[Any, float], float] = {}
    drawn: dict[int, Drawn] = {}
    for number, (bar, group) in enumerate(zip(bars, groups, strict=True)):
        places = categories.places(list(bar.x))
        under = [tops.get((group, place), 0.0) for place in places]
        heights = [float(height) for height in bar.y]
        at = np.array(places) + width * (order.index(group) - (len(order) - 1) / 2)
        drawn[id(bar)] = axes.bar(
            at, heights, width=width, bottom=under if any(under) else None, yerr=_errors(bar.error_y),
            color=bar.marker.color or COLOURS[number % len(COLOURS)], error_kw={"elinewidth": 1, "capsize": 2},
        )  # fmt: skip
        for place, low, height in zip(places, under, heights, strict=True):
            tops[group, place] = low + height
    return drawn


def _draw_matrix(axes: Axes, trace: Any) -> None:
    """A matrix with its scale beside it; cells of None stay white."""
    cells = np.array([[np.nan if cell is None else cell for cell in row] for row in trace.z], dtype=float)
    step = trace.x[1] - trace.x[0] if len(trace.x) > 1 else 1
    edges = [trace.x[0] - step / 2, trace.x[-1] + step / 2]
    image = axes.imshow(
        cells, cmap=trace.colorscale[0] if isinstance(trace.colorscale, str) else "viridis", vmin=trace.zmin, vmax=trace.zmax,
        origin="lower", extent=(*edges, *edges), interpolation="nearest", aspect="equal",
    )  # fmt: skip
    axes.grid(visible=False)
    figure = axes.get_figure()
    scale = figure.colorbar(image, ax=axes, shrink=0.9, format=EngFormatter())  # type: ignore[union-attr]
    scale.set_label(plain(trace.colorbar.title.text or ""), color=GREY)
