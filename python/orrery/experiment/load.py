# SPDX-License-Identifier: BSD-3-Clause
"""How many ranks share a core."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

Cores = frozenset[int]
"""Numbers of cores of a host."""


def loads(host_of_rank: Sequence[int], bound: Mapping[int, Cores], cores: Sequence[int]) -> list[float]:
    """For each rank: ranks per core where it is, at least 1.

    A rank spreads evenly over the cores that it may use: those that it is bound to, or all of its host. Its load is that of these
    cores on average.

    Args:
        host_of_rank: by rank.
        bound: cores of the ranks that are bound to some.
        cores: numbers of cores of all hosts, by number.
    """
    if not bound:
        each = {host: max(1.0, count / cores[host]) for host, count in Counter(host_of_rank).items()}
        return [each[host] for host in host_of_rank]
    of_core: dict[tuple[int, int], float] = defaultdict(float)
    bound_on, free_on = Counter[int](), Counter[int]()
    for rank, host in enumerate(host_of_rank):
        own = bound.get(rank)
        (bound_on if own else free_on)[host] += 1
        for core in own or ():
            of_core[host, core] += 1 / len(own or ())
    found = []
    for rank, host in enumerate(host_of_rank):
        own = bound.get(rank)
        there = sum(of_core[host, core] for core in own) / len(own) if own else bound_on[host] / cores[host]
        found.append(max(1.0, there + free_on[host] / cores[host]))
    return found
