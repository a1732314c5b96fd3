# SPDX-License-Identifier: BSD-3-Clause
"""Elements that drawings of clusters share: blocks of nodes, switches, and the choice of what is drawn of many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from orrery.report.drawing.links import LinkNumbers
from orrery.report.drawing.picture import NODE, SWITCH, Picture, Point

STEP = 9.0
"""Distance of neighbouring nodes in a block, in pixels."""
SIDE = 7.0
"""Side of the square of a node, in pixels."""


def block_size(count: int, most: int) -> tuple[int, int]:
    """Columns and rows of a block of `count` nodes, of which at most `most` are drawn; wider than high."""
    count = min(count, most)
    columns = max(1, math.ceil(math.sqrt(count * 1.6)))
    return columns, math.ceil(count / columns)


def block(
    picture: Picture, x: float, y: float, names: Sequence[str], links: LinkNumbers, *, most: int = 128
) -> tuple[float, float]:
    """Draw nodes in rows, the upper left corner at (x, y). Gives width and height in pixels.

    Of more than `most` nodes, the first ones are drawn, and the number of the others is written below.
    """
    columns, rows = block_size(len(names), most)
    for number, name in enumerate(names[:most]):
        left, top = x + number % columns * STEP, y + number // columns * STEP
        picture.box(left, top, SIDE, SIDE, NODE, title=name, links=links.of_nodes([name]))
    height = rows * STEP
    if len(names) > most:
        height += 12
        picture.words(x + columns * STEP / 2, y + height - 2, f"and {len(names) - most:,} more", 9)
    return columns * STEP, height


def switch(picture: Picture, centre: Point, title: str, width: float = 26.0, links: Sequence[int] = ()) -> None:
    """Draw a switch; `width` in pixels; `links` that it stands for itself."""
    picture.box(centre[0] - width / 2, centre[1] - 5, width, 10, SWITCH, title=title, links=links)


def chosen(count: int, most: int) -> list[int | None]:
    """Numbers of the things that are drawn: all `count`, or the first `most` - 2, None for a gap, and the last one."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]
