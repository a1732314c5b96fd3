# SPDX-License-Identifier: BSD-3-Clause
"""Places of ranks: the host of each rank, and how many ranks share its cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from typing import TYPE_CHECKING

from orrery.errors import InputError

if TYPE_CHECKING:
    from orrery import _core


@dataclass(frozen=True)
class Placement:
    """Placement of ranks on hosts."""

    host_of_rank: list[int]
    load: list[float]
    """For each rank: ranks per core of its host, at least 1."""
    places: list[int] = field(default_factory=list)
    """Place of each rank (host and socket), as the core numbers places; empty: ranks fill the cores of each host in order."""

    @property
    def where(self) -> list[int]:
        """Positions of ranks for the core: places, or hosts if the core has to find the sockets itself."""
        return self.places or self.host_of_rank

    def first(self, ranks: int | None) -> Placement:
        """The placement of the first ranks; None: of all ranks."""
        return Placement(self.host_of_rank[:ranks], self.load[:ranks], self.places[:ranks])

    def followed_by(self, later: Placement) -> Placement:
        """The placement of these ranks and of others that start later."""
        return Placement(self.host_of_rank + later.host_of_rank, self.load + later.load, self.places + later.places)

    @property
    def hosts_used(self) -> int:
        """Hosts that have a rank."""
        return len(set(self.host_of_rank))

    @property
    def oversubscribed(self) -> bool:
        """Whether some core has more than one rank."""
        return max(self.load) > 1


@dataclass(frozen=True)
class Hosts:
    """Properties of hosts that a policy needs, by host number."""

    cores: Sequence[int]
    cabinets: Sequence[int] = field(default=())
    """Empty: all in one."""
    names: Sequence[str] = field(default=())
    places: Sequence[Sequence[int]] = field(default=())
    """Of each host, its sockets; empty: each has one."""

    @classmethod
    def of(cls, hardware: _core.Platform, mapping: str) -> Hosts:
        """Properties of the hosts of a platform, as far as the policy needs them."""
        hosts = hardware.hosts
        return cls(
            cores=[host.cores for host in hosts],
            cabinets=[hardware.cabinet_of(number) for number in range(len(hosts))] if mapping == "cabinet" else (),
            names=[host.name for host in hosts] if mapping.startswith("file:") else (),
            places=[
                [hardware.place(number, socket) for socket in range(host.sockets)] for number, host in enumerate(hosts)
            ]
            if mapping == "socket" and any(host.sockets > 1 for host in hosts)
            else (),
        )


def check_mapping(mapping: str) -> str:
    """The policy itself. Raises InputError for one that is not there, or that lacks what comes after the colon."""
    policy, _, detail = mapping.partition(":")
    if mapping in ("slot", "node", "socket", "cabinet"):
        return mapping
    if policy == "random" and (not detail or (detail.isascii() and detail.isdigit())):
        return mapping
    if policy == "file" and detail:
        return mapping
    raise InputError(f'--map "{mapping}": expected slot, node, socket, cabinet, random:SEED or file:PATH')


def describe_mapping(mapping: str) -> str:
    """The policy in words, for reports."""
    policy, _, detail = mapping.partition(":")
    words = {
        "slot": "slot by slot",
        "node": "node by node",
        "socket": "socket by socket",
        "cabinet": "cabinet by cabinet",
    }
    if policy == "random":
        return f"on cores drawn with seed {detail or 0}"
    return words.get(policy, f"as {detail} says")


def place(ranks: int, hosts: Hosts | Sequence[int], mapping: str) -> Placement:
    """Deal `ranks` to hosts; when all cores are taken, deal on from the first host.

    Ranks that share a core take turns: each computes more slowly by the number of ranks per core.

    Args:
        ranks: how many.
        hosts: the hosts, or only the cores of each.
        mapping: a policy, see `check_mapping`.
    Raises:
        InputError: for a policy or a file that cannot be used.
    """
    known = _known(hosts)
    host_of_rank = list(islice(_deal(known, mapping), ranks))
    if len(host_of_rank) < ranks:
        raise InputError(f'--map "{mapping}": the file places {len(host_of_rank)} ranks, {ranks} are wanted')
    ranks_on = Counter(host_of_rank)
    load = {host: max(1.0, count / known.cores[host]) for host, count in ranks_on.items()}
    return Placement(host_of_rank, [load[host] for host in host_of_rank], _sockets(known, host_of_rank, mapping))


def places_after(ranks: int, more: int, hosts: Hosts | Sequence[int], mapping: str) -> Placement:
    """Where `more` ranks go that the program starts later: dealt on from where the first `ranks` ended.

    The first ones keep their pace; a later one that shares a core computes as if all before it were still there. What a
    file does not place goes slot by slot.
    """
    known = _known(hosts)
    host_of_rank: list[int] = []
    load: list[float] = []
    ranks_on: Counter[int] = Counter()
    dealt = [*islice(_deal(known, mapping), ranks + more)]
    dealt += islice(_deal(known, "slot"), len(dealt), ranks + more)
    for rank, host in enumerate(dealt):
        ranks_on[host] += 1
        if rank < ranks:
            continue
        host_of_rank.append(host)
        load.append(max(1.0, ranks_on[host] / known.cores[host]))
    return Placement(host_of_rank, load, _sockets(known, dealt, mapping)[ranks:])


def _known(hosts: Hosts | Sequence[int]) -> Hosts:
    return hosts if isinstance(hosts, Hosts) else Hosts(cores=hosts)


def _sockets(hosts: Hosts, host_of_rank: Sequence[int], mapping: str) -> list[int]:
    """The ranks of a host on its sockets in turn, if the policy says so."""
    if mapping != "socket":
        return []
    if not hosts.places:
        raise InputError("--map socket: no node of the platform has several sockets; see its key `sockets`")
    ranks_on: Counter[int] = Counter()
    found = []
    for host in host_of_rank:
        sockets = hosts.places[host]
        found.append(sockets[ranks_on[host] % len(sockets)])
        ranks_on[host] += 1
    return found


def _deal(hosts: Hosts, mapping: str) -> Iterator[int]:
    """Host of each rank in turn. Without end, unless a file says so."""
    policy, _, detail = check_mapping(mapping).partition(":")
    if policy == "file":
        from orrery.experiment.rank_file import hosts_of_ranks

        return hosts_of_ranks(detail, hosts.names, hosts.cores)
    numbers = range(len(hosts.cores))
    if policy == "node":
        return cycle(numbers)
    by_slot = [host for host in numbers for _ in range(hosts.cores[host])]
    if policy == "cabinet":
        return cycle(_by_cabinet(by_slot, hosts.cabinets))
    if policy == "random":
        Random(int(detail or 0)).shuffle(by_slot)  # noqa: S311  no secret: the same seed gives the same places
    return cycle(by_slot)


def _by_cabinet(by_slot: Sequence[int], cabinets: Sequence[int]) -> list[int]:
    """To each cabinet in turn as long as it has free cores; within a cabinet slot by slot."""
    cores: dict[int, list[int]] = {}
    for host in by_slot:
        cores.setdefault(cabinets[host] if cabinets else 0, []).append(host)
    longest = max(len(hosts) for hosts in cores.values())
    return [hosts[turn] for turn in range(longest) for hosts in cores.values() if turn < len(hosts)]
