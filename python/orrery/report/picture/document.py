# SPDX-License-Identifier: BSD-3-Clause
"""A figure as a whole: panels where plotly has them, titles above, legends beside."""

from __future__ import annotations

import io
import logging
import warnings
from collections import defaultdict
from typing import Any

import matplotlib as mpl
import plotly.graph_objects as go  # type: ignore[import-untyped]
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from orrery.report.picture.axes import GREY, LIGHT, Categories, set_x_axis, set_y_axis
from orrery.report.picture.traces import LegendEntry, draw_traces
from orrery.report.picture.words import lines_of, plain

_DPI = 100
"""Pixels of a figure's width and height to an inch."""
_PNG_SCALE = 2
"""Pixels of a PNG file to a pixel of the figure, for screens that are fine."""
_LEFT, _BOTTOM, _TOP, _RIGHT = 90, 70, 55, 30
"""Pixels beside the panels; above them as many more as the title has lines, right of them as many as the legend takes."""
_LINE = 19
_LETTER, _KEY = 7, 60
"""Pixels of a letter, mostly less, and of what is drawn beside the name in a legend."""
_NARROWEST = 620
"""Pixels that panels have at least, whatever the legend takes."""
_TALLEST = 24
"""Entries of a legend's column."""
_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # which comes with matplotlib; viewers of SVG that lack it take another
    "font.size": 9,
    "axes.edgecolor": LIGHT,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "grid.color": LIGHT,
    "grid.linewidth": 0.7,
    "xtick.color": LIGHT,
    "ytick.color": LIGHT,
    "xtick.labelcolor": GREY,
    "ytick.labelcolor": GREY,
    "legend.frameon": False,
    "legend.handlelength": 3,
    "text.parse_math": False,  # names may have dollar signs
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "orrery",  # the same names of parts each time
}


def image_of(figure: go.Figure, form: str, width: int) -> bytes:
    """The figure as an image, the same bytes each time.

    Args:
        figure: of lines, markers, bands, bars and matrices, in panels or in one.
        form: `svg` or `png`.
        width: pixels, more where a wide legend asks for it; a PNG file has twice as many.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells where its caches are
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that its font does not have
        mpl.rcdefaults()  # nobody's own settings
        mpl.rcParams.update(_SETTINGS)
        file = io.BytesIO()
        _drawn(figure, width).savefig(
            file,
            format=form,
            dpi=_DPI * _PNG_SCALE,
            metadata={"Software": None} if form == "png" else {"Date": None, "Creator": None},
        )
    return file.getvalue()


def _drawn(figure: go.Figure, width: int) -> Figure:
    layout = figure.layout
    height = layout.height or 560
    title = lines_of(layout.title.text)
    right = _RIGHT + _legend_width(figure)
    page = _Page(max(width, _LEFT + _NARROWEST + right), height, _TOP + _LINE * len(title), right)
    for number, line in enumerate(title):
        page.write(
            line, _LEFT, 22 + _LINE * number, size=11 if number == 0 else 9, colour="black" if number == 0 else GREY
        )
    panels: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for trace in figure.data:
        panels[trace.xaxis or "x", trace.yaxis or "y"].append(trace)
    legends: list[tuple[Axes, list[LegendEntry]]] = []
    for (x, y), traces in panels.items():
        x_axis, y_axis = layout[_long(x)], layout[_long(y)]
        axes = page.add_panel(x_axis.domain or (0, 1), y_axis.domain or (0, 1))
        categories = Categories(x_axis.categoryarray, [list(trace.x) for trace in traces])
        keys = draw_traces(axes, traces, categories, layout.barmode)
        set_x_axis(axes, x_axis, categories)
        set_y_axis(axes, y_axis)
        _add_title(axes, layout.annotations, x_axis.domain, y_axis.domain)
        legends.append((axes, keys[::-1] if layout.barmode == "stack" else keys))
    name = plain(layout.legend.title.text or "")
    if name:  # of all panels
        legends = [(legends[0][0], [key for _, keys in legends for key in keys])]
    for axes, keys in legends:
        page.add_legend(keys, name, axes)
    return page.figure


def _legend_width(figure: go.Figure) -> int:
    """Pixels; 0 where no trace is listed."""
    names = [plain(trace.name) for trace in figure.data if trace.name is not None and trace.showlegend is not False]
    if not names:
        return 0
    title = max(map(len, lines_of(figure.layout.legend.title.text)), default=0) * _LETTER
    return max(title, _columns(len(names)) * (_KEY + _LETTER * max(map(len, names))))


def _columns(keys: int) -> int:
    """Columns of a legend with so many entries."""
    return -(-keys // _TALLEST)


def _long(axis: str) -> str:
    """`xaxis2` for `x2`."""
    return f"{axis[0]}axis{axis[1:]}"


def _add_title(axes: Axes, annotations: Any, x: Any, y: Any) -> None:
    """The title of a panel, which plotly has as a note above the middle of it."""
    for note in annotations:
        if x is not None and x[0] <= note.x <= x[1] and abs(note.y - y[1]) < 1e-6:
            axes.set_title(plain(note.text), loc="left")


class _Page:
    """An image whose panels have room above them for the title and right of them for legends."""

    def __init__(self, width: int, height: int, top: int, right: int) -> None:
        self._width, self._height, self._top, self._right = width, height, top, right
        self.figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor="white")

    def write(self, text: str, x: int, y: int, *, size: int, colour: str) -> None:
        """A line whose upper left corner is at x, y, pixels from the image's."""
        self.figure.text(x / self._width, 1 - y / self._height, text, fontsize=size, color=colour, va="top")

    def add_panel(self, x: tuple[float, float], y: tuple[float, float]) -> Axes:
        """Axes that take this part of the room for panels, 0 to 1 from its lower left corner."""
        wide, high = self._width - _LEFT - self._right, self._height - self._top - _BOTTOM
        corner = (_LEFT + x[0] * wide) / self._width, (_BOTTOM + y[0] * high) / self._height
        axes: Axes = self.figure.add_axes(
            (*corner, (x[1] - x[0]) * wide / self._width, (y[1] - y[0]) * high / self._height)
        )
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=3)
        return axes

    def add_legend(self, keys: list[LegendEntry], title: str, axes: Axes) -> None:
        """A legend at the right edge, as high up as the panel."""
        if not keys:
            return
        drawn: list[Any] = [key.drawn for key in keys]  # its types know of no containers
        self.figure.legend(
            drawn,
            [key.name for key in keys],
            title=title or None,
            alignment="left",
            loc="upper left",
            bbox_to_anchor=(1 - (self._right - 15) / self._width, axes.get_position().y1),
            ncols=_columns(len(keys)),
            borderaxespad=0,
            labelcolor=GREY,
        )
