# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of tori and meshes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from orrery.platform import schema
from orrery.report.drawing.links import LinkNumbers
from orrery.report.drawing.picture import CABLE, FAR, NODE, Picture, Point

_MOST_ROUTERS = 700
"""Routers that are drawn; of larger grids a corner."""
_STEP = 30.0
"""Distance of neighbouring routers in pixels."""


def torus(cluster: str, shape: schema.Torus, names: Sequence[str], links: LinkNumbers) -> Picture:
    """Routers as dots, with their cables. The third dimension is drawn in perspective; further ones repeat the drawing.

    Above 700 routers only a corner is drawn. `names`: of the nodes of the cluster, by number.
    """
    wraps = shape.wraps * len(shape.sizes) if len(shape.wraps) == 1 else shape.wraps
    sizes = _drawn(shape.sizes)
    picture = Picture()
    for at in product(*(range(size) for size in sizes)):
        for dimension in range(len(sizes)):
            closed = wraps[dimension] and shape.sizes[dimension] > 2
            _cable(picture, cluster, at, dimension, sizes=sizes, links=links, wraps=closed)
    for at in product(*(range(size) for size in reversed(sizes))):
        place = _place(tuple(reversed(at)), sizes)
        nodes = _nodes(tuple(reversed(at)), shape, names)
        picture.dot(place, 4, NODE, ", ".join(nodes), links.of_nodes(nodes))
    notes = [" x ".join(str(size) for size in shape.sizes) + " routers"]
    if sizes != shape.sizes:
        notes.append("drawn: a corner of " + " x ".join(str(size) for size in sizes))
    if shape.nodes_per_router > 1:
        notes.append(f"{shape.nodes_per_router} nodes each")
    picture.words((picture.left + picture.right) / 2, picture.bottom + 22, "; ".join(notes))
    return picture


def _drawn(sizes: Sequence[int]) -> list[int]:
    """Sizes of the drawn corner: the largest size is reduced until at most 700 routers remain."""
    drawn = list(sizes)
    while _count(drawn) > _MOST_ROUTERS:
        drawn[drawn.index(max(drawn))] -= 1
    return drawn


def _count(sizes: Sequence[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _place(at: Sequence[int], sizes: Sequence[int]) -> Point:
    """Position of a router. The third dimension goes up to the right; further ones repeat the cube in x and y by turns."""
    padded = [*at, 0, 0, 0][: max(3, len(at))]
    depth = sizes[2] if len(sizes) > 2 else 1
    x = padded[0] * _STEP + padded[2] * _STEP * 0.55
    y = padded[1] * _STEP - padded[2] * _STEP * 0.28
    width = (sizes[0] + 1) * _STEP + depth * _STEP * 0.55
    height = ((sizes[1] if len(sizes) > 1 else 1) + 1) * _STEP + depth * _STEP * 0.28
    for extra, coordinate in enumerate(padded[3:]):
        if extra % 2 == 0:
            x += coordinate * width
            width *= sizes[3 + extra] + 0.2
        else:
            y += coordinate * height
            height *= sizes[3 + extra] + 0.2
    return x, y


def _cable(
    picture: Picture,
    cluster: str,
    at: tuple[int, ...],
    dimension: int,
    *,
    sizes: Sequence[int],
    links: LinkNumbers,
    wraps: bool,
) -> None:
    """Draw the cable to the next router along a dimension; a cable that wraps around is an arc.

    From the third dimension on, arcs are drawn only where they stand for links; those of a corner stand for none.
    """
    drawn = sizes[dimension]
    following = list(at)
    following[dimension] = (at[dimension] + 1) % drawn
    behind = links.between(_router(cluster, at), _router(cluster, following))
    if at[dimension] + 1 < drawn:
        picture.line(_place(at, sizes), _place(following, sizes), CABLE, width=1, links=behind)
    elif wraps and drawn > 1 and (dimension < 2 or behind):
        bow = 9.0 if dimension == 0 else -9.0
        picture.line(_place(at, sizes), _place(following, sizes), FAR, width=0.5, bow=bow, links=behind)


def _router(cluster: str, at: Sequence[int]) -> str:
    """Its name, as the core has it."""
    return f"{cluster}/({','.join(map(str, at))})"


def _nodes(at: Sequence[int], shape: schema.Torus, names: Sequence[str]) -> Sequence[str]:
    router, stride = 0, 1
    for coordinate, size in zip(at, shape.sizes, strict=True):
        router += coordinate * stride
        stride *= size
    first = router * shape.nodes_per_router
    return names[first : first + shape.nodes_per_router]
