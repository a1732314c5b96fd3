# SPDX-License-Identifier: BSD-3-Clause
"""Graph partitioners that others maintain, where they are installed: further starts of the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from orrery.placement.matrix import Integers, TrafficMatrix

Partition = Callable[[TrafficMatrix, Integers, list[int]], list[int]]
"""From a matrix, some of its ranks, and room for them in each part, to the part of each of these ranks."""

_IMBALANCE = 0.03
_WHOLE = 1000
"""Weights are whole numbers there: the heaviest pair has this one."""


def partitioners() -> Iterator[tuple[str, Partition]]:
    """Those that are installed, with their names."""
    if find_spec("kahip") is not None:
        yield "KaHIP", _kahip


def _kahip(matrix: TrafficMatrix, ranks: Integers, rooms: list[int]) -> list[int]:
    import kahip  # type: ignore[import-not-found,unused-ignore]

    offsets, peers, weights = _graph_of(matrix, ranks)
    module: Any = kahip
    _, parts = module.kaffpa(
        [1] * len(ranks),
        offsets,
        weights,
        peers,
        len(rooms),
        _IMBALANCE,
        True,  # noqa: FBT003  quiet
        0,
        1,
    )
    return fitted([int(part) for part in parts], rooms)


def fitted(parts: list[int], rooms: list[int]) -> list[int]:
    """Parts that fit into their rooms: what is too much for a part moves to parts that have room left, the last ones first."""
    left = list(rooms)
    found, homeless = [], []
    for position, part in enumerate(parts):
        left[part] -= 1
        found.append(part)
        if left[part] < 0:
            homeless.append(position)
    for position in homeless:
        there = next(part for part, room in enumerate(left) if room > 0)
        left[there] -= 1
        left[found[position]] += 1
        found[position] = there
    return found


def _graph_of(matrix: TrafficMatrix, ranks: Integers) -> tuple[list[int], list[int], list[int]]:
    """Offsets, peers and whole weights of the pairs among some ranks."""
    rows = matrix.rows()
    number = np.full(matrix.ranks, -1, dtype=np.int64)
    number[ranks] = np.arange(len(ranks))
    weights = rows.bytes + rows.messages
    scale = _WHOLE / max(float(weights.max()), 1e-300)
    offsets, peers, whole = [0], list[int](), list[int]()
    for rank in ranks:
        entries = slice(int(rows.offsets[rank]), int(rows.offsets[rank + 1]))
        near = number[rows.peers[entries]]
        peers += [int(peer) for peer in near[near >= 0]]
        whole += [max(1, int(weight * scale)) for weight in weights[entries][near >= 0]]
        offsets.append(len(peers))
    return offsets, peers, whole
