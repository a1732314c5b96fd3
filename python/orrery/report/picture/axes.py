# SPDX-License-Identifier: BSD-3-Clause
"""Axes of a panel: their scale, limits, ticks and titles."""

from __future__ import annotations

from math import ceil
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedFormatter, FixedLocator, Locator, LogLocator, MaxNLocator, NullLocator

from orrery.report.picture.words import plain

_LETTER, _GAP, _ASLANT = 7, 12, 20
"""Pixels of a letter, mostly less; between the texts of two ticks; between those that stand aslant."""
GREY, LIGHT = "#444444", "#dddddd"


class Categories:
    """Places 0, 1, 2, ... of names along an axis, or numbers, which are their own places."""

    def __init__(self, order: list[str] | None, values: list[list[Any]]) -> None:
        """Collect the names: those of `order` first, then the others as they come in `values`, a list for each trace."""
        names = [*(order or []), *(value for trace in values for value in trace if isinstance(value, str))]
        self.names = list(dict.fromkeys(names))
        self._places = {name: place for place, name in enumerate(self.names)}

    def places(self, values: list[Any]) -> list[float]:
        """Where the values of a trace stand."""
        return [self._places[value] if isinstance(value, str) else value for value in values]


def set_x_axis(axes: Axes, axis: Any, categories: Categories) -> None:
    """Give the panel the horizontal axis that plotly's `axis` describes."""
    axes.set_xlabel(plain(axis.title.text or ""), color=GREY)
    if axis.type == "log":
        axes.set_xscale("log")
    if axis.tickvals is not None:
        texts = [plain(text) for text in axis.ticktext]
        step = _step(axes, len(texts), _wide(texts))
        _set_ticks(axes.xaxis, list(axis.tickvals)[::step], texts[::step])
    elif categories.names:
        _set_names(axes, [plain(name) for name in categories.names])


def _set_names(axes: Axes, names: list[str]) -> None:
    """Names below the axis: upright where they have room, else aslant, some of them if they are many."""
    aslant = _step(axes, len(names), _wide(names)) > 1
    step = _step(axes, len(names), _ASLANT if aslant else _wide(names))
    _set_ticks(axes.xaxis, list(range(0, len(names), step)), names[::step])
    for label in axes.get_xticklabels() if aslant else []:
        label.set(rotation=30, ha="right", rotation_mode="anchor")


def _wide(texts: list[str]) -> int:
    """Pixels that each of the texts has to have."""
    return _GAP + _LETTER * max(map(len, texts), default=0)


def _step(axes: Axes, texts: int, wide: int) -> int:
    """So that each second, third, ... of some texts fits below the axis, where each has so many pixels."""
    figure = axes.get_figure(root=True)
    assert figure is not None  # noqa: S101  axes without one are not made here
    room = axes.get_position().width * figure.get_figwidth() * figure.dpi
    return max(1, ceil(texts * wide / room))


def set_y_axis(axes: Axes, axis: Any) -> None:
    """Give the panel the vertical axis that plotly's `axis` describes."""
    axes.set_ylabel(plain(axis.title.text or ""), color=GREY)
    if axis.type == "log":
        axes.set_yscale("log")
    if axis.range is not None:
        axes.set_ylim(*(10.0**end if axis.type == "log" else end for end in axis.range))
    if axis.tickvals is not None:
        _set_ticks(axes.yaxis, list(axis.tickvals), [plain(text) for text in axis.ticktext])
    else:
        axes.yaxis.set_major_formatter(EngFormatter(axis.ticksuffix or "", sep=" " if axis.ticksuffix else ""))
        if axis.type == "log":
            axes.yaxis.set_major_locator(_logarithmic(*axes.get_ylim()))
            axes.yaxis.set_minor_locator(NullLocator())
    if axis.autorange == "reversed":
        axes.invert_yaxis()


def _logarithmic(low: float, high: float) -> Locator:
    """Ticks of a logarithmic axis: powers of ten, and what lies between them where there are few."""
    if high < 10 * low:
        return MaxNLocator(4)
    return LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,))


def _set_ticks(axis: Any, places: list[float], texts: list[str]) -> None:
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter(texts))
    axis.set_minor_locator(NullLocator())
