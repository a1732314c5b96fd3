# SPDX-License-Identifier: BSD-3-Clause
"""Where the panels of an image stand: below each other while they are few, otherwise in columns, so that the image stays viewable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

_MOST_IN_A_COLUMN = 3
"""Panels that stand below each other alone."""
_MOST_ROWS = 4
"""Rows of two and more columns, as long as that leaves two columns at least."""
_TALL, _LOW = 480, 380
"""Pixels of a panel in up to `_MOST_IN_A_COLUMN` rows, and in more."""
_WIDTH, _MORE_WIDTH = 1000, 500
"""Pixels of one column with the legend, and of each further one."""
_AROUND = 80
_GAP, _ROOM = 85, 90
"""Pixels between rows, and between columns, whose axes have no title but texts at their ticks."""


@dataclass(frozen=True)
class PanelGrid:
    """Rows and columns for so many panels, at most about three screens high."""

    panels: int

    @property
    def columns(self) -> int:
        """One for a few panels."""
        return 1 if self.panels <= _MOST_IN_A_COLUMN else max(2, -(-self.panels // _MOST_ROWS))

    @property
    def rows(self) -> int:
        """As many as the columns leave."""
        return -(-self.panels // self.columns)

    @property
    def height(self) -> int:
        """Pixels of the image."""
        return (_TALL if self.rows <= _MOST_IN_A_COLUMN else _LOW) * self.rows + _AROUND

    @property
    def width(self) -> int:
        """Pixels of the image, its legend included."""
        return _WIDTH + _MORE_WIDTH * (self.columns - 1)

    def cell(self, number: int) -> dict[str, Any]:
        """Row and column of a panel, counted from 0, row by row, as the methods of a figure take them."""
        row, column = divmod(number, self.columns)
        return {"row": row + 1, "col": column + 1}

    def title(self, number: int, text: str) -> str | None:
        """The title of a panel's vertical axis: of the first in each row, which stands for the others."""
        return text if number % self.columns == 0 else None

    def figure(self, titles: list[str]) -> go.Figure:
        """A figure whose panels have these titles."""
        return make_subplots(
            rows=self.rows,
            cols=self.columns,
            subplot_titles=titles,
            vertical_spacing=_GAP / self.height,
            horizontal_spacing=_ROOM / self.width,
        )
