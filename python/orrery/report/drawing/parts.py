# SPDX-License-Identifier: BSD-3-Clause
"""What pictures of clusters have in common: rows of nodes, and how many of too many things are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from orrery.report.drawing.picture import NODE, SWITCH, Picture, Point

STEP = 9.0
SIDE = 7.0


def block_size(count: int, most: int) -> tuple[int, int]:
    """Columns and rows of so many nodes, wide rather than high, of at most `most` that are drawn."""
    count = min(count, most)
    columns = max(1, math.ceil(math.sqrt(count * 1.6)))
    return columns, math.ceil(count / columns)


def block(picture: Picture, x: float, y: float, names: Sequence[str], most: int = 128) -> tuple[float, float]:
    """Nodes in rows from (x, y) on; gives width and height. Of too many, the first ones and how many more there are."""
    columns, rows = block_size(len(names), most)
    for number, name in enumerate(names[:most]):
        picture.box(x + number % columns * STEP, y + number // columns * STEP, SIDE, SIDE, NODE, title=name)
    height = rows * STEP
    if len(names) > most:
        height += 12
        picture.words(x + columns * STEP / 2, y + height - 2, f"and {len(names) - most:,} more", 9)
    return columns * STEP, height


def switch(picture: Picture, centre: Point, title: str, width: float = 26.0) -> None:
    """A switch."""
    picture.box(centre[0] - width / 2, centre[1] - 5, width, 10, SWITCH, title=title)


def chosen(count: int, most: int) -> list[int | None]:
    """Which of `count` things are drawn: all, or the first ones, None for what is left out, and the last one."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]
