# SPDX-License-Identifier: BSD-3-Clause
"""How the torus that a job on Fugaku sees lies in the network, which has six dimensions."""

from __future__ import annotations

_LONGEST_PAIR = 48


def folded(side: int) -> list[int]:
    """Sizes of the dimensions of Tofu that a side of a job's torus is folded into.

    Fugaku has 24 x 23 x 24 units of 2 x 3 x 2 nodes: a side is a closed path through a long and a short dimension, or, if it is
    longer than both, through one more (Ajima et al. 2009, doi:10.1109/MC.2009.370).
    """
    if side <= _LONGEST_PAIR:
        return [side // 2, 2]
    return [side // 8, 4, 2]


def folded_position(rank: int, sides: list[int]) -> int:
    """Number of the router of a rank, along the first dimension first: all steps along a side go to a neighbour."""
    position, stride = 0, 1
    for side in sides:
        rank, along = divmod(rank, side)
        sizes = folded(side)
        span = side
        digits = []
        for size in reversed(sizes):  # the slowest one first; each digit turns round where the one before has changed
            span //= size
            digit, along = divmod(along, span)
            if digit % 2:
                along = span - 1 - along
            digits.append(digit)
        for size, digit in zip(sizes, reversed(digits), strict=True):
            position += digit * stride
            stride *= size
    return position
