# SPDX-License-Identifier: BSD-3-Clause
"""Where a rank sits: its host, and the cores of it that the rank may use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class Seat(NamedTuple):
    """Of a rank."""

    host: int
    cores: frozenset[int] = frozenset()
    """Numbers of the cores that it is bound to; empty: it may use all cores of the host."""


def loads(seats: Sequence[Seat], cores: Sequence[int]) -> list[float]:
    """For each rank: ranks per core where it sits, at least 1.

    A rank spreads evenly over the cores that it may use. Its load is that of these cores on average.

    Args:
        seats: by rank.
        cores: numbers of cores of all hosts, by number.
    """
    free: dict[int, float] = defaultdict(float)
    bound: dict[tuple[int, int], float] = defaultdict(float)
    for seat in seats:
        if not seat.cores:
            free[seat.host] += 1
        for core in seat.cores:
            bound[seat.host, core] += 1 / len(seat.cores)
    of_host: dict[int, float] = defaultdict(float)
    for (host, _), load in bound.items():
        of_host[host] += load
    found = []
    for seat in seats:
        everywhere = free[seat.host] / cores[seat.host]
        if seat.cores:
            own = sum(bound[seat.host, core] for core in seat.cores) / len(seat.cores)
        else:
            own = of_host[seat.host] / cores[seat.host]
        found.append(max(1.0, own + everywhere))
    return found
