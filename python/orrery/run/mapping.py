# SPDX-License-Identifier: BSD-3-Clause
"""Which rank is on which host, and what sharing its cores costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from orrery.run.settings import Mapping


@dataclass(frozen=True)
class Placement:
    """Ranks on hosts."""

    host_of_rank: list[int]
    load: list[float]
    """For each rank: ranks per core of its host, at least 1."""

    @property
    def hosts_used(self) -> int:
        """Hosts that have a rank."""
        return len(set(self.host_of_rank))

    @property
    def oversubscribed(self) -> bool:
        """Some core has more than one rank."""
        return max(self.load) > 1


def place(ranks: int, cores_of_host: Sequence[int], mapping: Mapping) -> Placement:
    """Deal `ranks` to hosts; when all cores are taken, deal on from the first host.

    Ranks that share a core take turns: each computes more slowly by the number of ranks per core.
    """
    host_of_rank = list(islice(_deal(cores_of_host, mapping), ranks))
    ranks_on = Counter(host_of_rank)
    load = {host: max(1.0, count / cores_of_host[host]) for host, count in ranks_on.items()}
    return Placement(host_of_rank, [load[host] for host in host_of_rank])


def places_after(ranks: int, more: int, cores_of_host: Sequence[int], mapping: Mapping) -> Placement:
    """Where `more` ranks go that the program starts later: dealt on from where the first `ranks` ended.

    The first ones keep their pace; a later one that shares a core computes as if all before it were still there.
    """
    host_of_rank: list[int] = []
    load: list[float] = []
    ranks_on: Counter[int] = Counter()
    for rank, host in enumerate(islice(_deal(cores_of_host, mapping), ranks + more)):
        ranks_on[host] += 1
        if rank < ranks:
            continue
        host_of_rank.append(host)
        load.append(max(1.0, ranks_on[host] / cores_of_host[host]))
    return Placement(host_of_rank, load)


def _deal(cores_of_host: Sequence[int], mapping: Mapping) -> Iterator[int]:
    hosts = range(len(cores_of_host))
    by_slot = [host for host in hosts for _ in range(cores_of_host[host])]
    return cycle(by_slot if mapping == "slot" else list(hosts))
