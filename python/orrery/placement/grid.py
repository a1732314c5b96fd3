# SPDX-License-Identifier: BSD-3-Clause
"""Grids: whether ranks exchange with their neighbours in one, two or three dimensions, and how such a grid is tiled."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import prod

import numpy as np

from orrery.placement.matrix import Integers, Rows, TrafficMatrix

_ENOUGH = 0.9
"""Share of the bytes that neighbours exchange in what passes for a grid."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Where each rank is in a grid."""

    sizes: tuple[int, ...]
    positions: Integers
    """Shape (ranks, dimensions)."""

    @property
    def name(self) -> str:
        """`16 x 8`."""
        return " x ".join(map(str, self.sizes))


def find_grid(matrix: TrafficMatrix) -> Grid | None:
    """The grid whose neighbours exchange nearly all; None: there is none, or it has wraps and its ranks are shuffled.

    Ranks may be numbered by rows, with and without wraps. Ranks in any order are found by their distances from corners: in
    a grid without wraps, a rank is so far along a dimension as its distances from the two ends of that edge say.
    """
    return _by_rows(matrix) or _by_corners(matrix)


def _by_rows(matrix: TrafficMatrix) -> Grid | None:
    total = matrix.all_bytes
    best: tuple[float, Grid] | None = None
    for sizes in _shapes(matrix.ranks):
        positions = np.stack(np.unravel_index(np.arange(matrix.ranks), sizes), axis=1).astype(np.int64)
        share = float(matrix.bytes[_are_neighbours(matrix, positions, sizes)].sum()) / total if total else 0.0
        if share >= _ENOUGH and (best is None or share > best[0] + 1e-9):
            best = share, Grid(sizes, positions)
    return best[1] if best else None


def _shapes(ranks: int) -> Iterator[tuple[int, ...]]:
    """Shapes of one, two and three dimensions, each of two ranks at least; the fewest dimensions first."""
    if ranks < 4:
        return
    yield (ranks,)
    factors = [size for size in range(2, ranks // 2 + 1) if ranks % size == 0]
    for size in factors:
        yield (size, ranks // size)
    for first in factors:
        for second in factors:
            third = ranks // first // second
            if third > 1 and first * second * third == ranks:
                yield (first, second, third)


def _are_neighbours(matrix: TrafficMatrix, positions: Integers, sizes: Sequence[int]) -> np.typing.NDArray[np.bool_]:
    steps = np.abs(positions[matrix.sources] - positions[matrix.targets])
    steps = np.minimum(steps, np.array(sizes) - steps)  # also around the ends
    return np.asarray(steps.sum(axis=1) == 1)


def _by_corners(matrix: TrafficMatrix) -> Grid | None:
    rows = matrix.rows()
    degrees = np.diff(rows.offsets)
    dimensions = int(degrees.min())
    corners = np.flatnonzero(degrees == dimensions)
    if not 1 <= dimensions <= 3 or len(corners) != 2**dimensions:
        return None
    first = int(corners[0])
    far = _distances(rows, first)
    if far.min() < 0:
        return None
    for ends in permutations(sorted(corners[1:], key=lambda corner: int(far[corner]))[: 2**dimensions - 1], dimensions):
        sizes = tuple(int(far[end]) + 1 for end in ends)
        if prod(sizes) != matrix.ranks or list(ends) != sorted(ends):
            continue
        along = [(far - _distances(rows, int(end)) + far[end]) // 2 for end in ends]
        positions = np.stack(along, axis=1)
        inside = bool(((positions >= 0) & (positions < np.array(sizes))).all())
        if inside and len(np.unique(positions, axis=0)) == matrix.ranks:
            share = float(matrix.bytes[_are_neighbours(matrix, positions, sizes)].sum()) / max(matrix.all_bytes, 1.0)
            return Grid(sizes, positions) if share >= _ENOUGH else None
    return None


def _distances(rows: Rows, start: int) -> Integers:
    """Steps from a rank to each other one; -1: there is no way."""
    found = np.full(len(rows.offsets) - 1, -1, dtype=np.int64)
    found[start] = 0
    reached = deque([start])
    while reached:
        rank = reached.popleft()
        for peer in rows.peers[rows.offsets[rank] : rows.offsets[rank + 1]]:
            if found[peer] < 0:
                found[peer] = found[rank] + 1
                reached.append(int(peer))
    return found


def tiles(grid: Grid, ranks: Integers, rooms: Sequence[int]) -> list[Integers]:
    """Divide the ranks of a box among parts, each as a block of little surface.

    Parts of equal room become equal blocks where their number divides the box so: those with the least surface. Else the
    longest side is cut, again and again, so that each side has the room of half of the parts.
    """
    if len(rooms) == 1:
        return [ranks]
    if not len(ranks):
        return [ranks] * len(rooms)
    if len(set(rooms)) == 1 and (blocks := _blocks(grid, ranks, len(rooms))) is not None:
        return blocks
    half = len(rooms) // 2
    room = sum(rooms[:half])
    positions = grid.positions[ranks]
    longest = int(np.argmax(positions.max(axis=0) - positions.min(axis=0)))
    others = [axis for axis in range(positions.shape[1]) if axis != longest]
    order = ranks[np.lexsort([*(positions[:, axis] for axis in others), positions[:, longest]])]
    return [*tiles(grid, order[:room], rooms[:half]), *tiles(grid, order[room:], rooms[half:])]


def _blocks(grid: Grid, ranks: Integers, number: int) -> list[Integers] | None:
    positions = grid.positions[ranks] - grid.positions[ranks].min(axis=0)
    sizes = [int(size) for size in positions.max(axis=0) + 1]
    if prod(sizes) != len(ranks):
        return None
    ways = [
        cuts
        for cuts in product(*([cut for cut in range(1, size + 1) if size % cut == 0] for size in sizes))
        if prod(cuts) == number
    ]
    if not ways:
        return None
    cuts = min(ways, key=lambda way: sum(cut / size for cut, size in zip(way, sizes, strict=True)))
    block = np.ravel_multi_index(tuple(positions[:, axis] * cut // sizes[axis] for axis, cut in enumerate(cuts)), cuts)
    return [ranks[block == index] for index in range(number)]
