# SPDX-License-Identifier: BSD-3-Clause
"""Placement of ranks on hosts by a policy (`--map`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import TYPE_CHECKING

from orrery.allowance import require_memory, require_ranks
from orrery.errors import InputError
from orrery.experiment import binding
from orrery.experiment.load import Cores, loads
from orrery.experiment.rank_file import placed_by_file, slots_of_hosts
from orrery.units import whole_number

if TYPE_CHECKING:
    from orrery import _core


_BYTES_OF_SLOT = 32


@dataclass(frozen=True)
class RankPlacement:
    """Placement of ranks on hosts."""

    host_of_rank: list[int]
    load: list[float]
    """For each rank: ranks per core of its host, at least 1."""
    places: list[int] = field(default_factory=list)
    """Place of each rank (host and socket), as the core numbers places; empty: ranks fill the cores of each host in order."""

    @property
    def where(self) -> list[int]:
        """Place of each rank for the core; if there are no places, its host, and the core chooses the socket."""
        return self.places or self.host_of_rank

    def first(self, ranks: int | None) -> RankPlacement:
        """The placement of the first ranks; None: of all ranks."""
        return RankPlacement(self.host_of_rank[:ranks], self.load[:ranks], self.places[:ranks])

    def followed_by(self, later: RankPlacement) -> RankPlacement:
        """The placement of these ranks and of others that start later."""
        return RankPlacement(self.host_of_rank + later.host_of_rank, self.load + later.load, self.places + later.places)

    @property
    def hosts_used(self) -> int:
        """Hosts that have a rank."""
        return len(set(self.host_of_rank))

    @property
    def oversubscribed(self) -> bool:
        """Whether some core has more than one rank."""
        return max(self.load) > 1

    @property
    def cautions(self) -> list[str]:
        """What to mind in runs and replays of programs on it, a sentence each."""
        if not self.oversubscribed:
            return []
        return [
            (
                f"more ranks than cores, up to {max(self.load):g} per core: computation is taken to be as much slower; "
                "messages between ranks that wait for their turn are not"
            )
        ]


@dataclass(frozen=True)
class Hosts:
    """Properties of hosts that a policy needs, by host number."""

    cores: Sequence[int]
    cabinets: Sequence[int] = field(default=())
    """Cabinet of each host; empty: all hosts are in one."""
    names: Sequence[str] = field(default=())
    places: Sequence[Sequence[int]] = field(default=())
    """Places of the sockets of each host; empty: each host has one socket, or the policy does not need them."""

    @classmethod
    def of(cls, hardware: _core.Platform, mapping: str) -> Hosts:
        """Properties of the hosts of a platform, as far as the policy needs them."""
        hosts = hardware.hosts
        return cls(
            cores=[host.cores for host in hosts],
            cabinets=[hardware.cabinet_of(number) for number in range(len(hosts))]
            if mapping.startswith("cabinet")
            else (),
            names=[host.name for host in hosts] if mapping.startswith("file:") or "@" in mapping else (),
            places=[
                [hardware.place(number, socket) for socket in range(host.sockets)] for number, host in enumerate(hosts)
            ]
            if (mapping.startswith(("socket", "file:")) or "/" in mapping) and any(host.sockets > 1 for host in hosts)
            else (),
        )


def check_mapping(mapping: str) -> str:
    """Give `mapping` back. Raises InputError if it is unknown, or has no or a wrong argument after the colon."""
    policy, _, detail = mapping.partition(":")
    if policy == "file" and detail:
        return mapping
    policy, at, hosts = binding.split(mapping)[0].partition("@")
    name, colon, number = policy.partition(":")
    value = whole_number(number)
    if (not at or hosts) and (
        policy in ("slot", "node", "socket", "cabinet")
        or (name == "random" and (value is not None or not number))
        or (name == "ppr" and colon and value)
    ):
        return mapping
    raise InputError(
        f'--map "{mapping}": expected slot, node, socket, cabinet, ppr:N, random:SEED or file:PATH; '
        'all but the last also with "@" and hosts behind it, as in slot@node-1,node-2:4, and with "/" and cores: slot/0,2'
    )


def describe_mapping(mapping: str) -> str:
    """The policy in words, for reports."""
    name, _, detail = mapping.partition(":")
    if name == "file":
        return f"as {detail} says"
    placed, _, cores = mapping.partition("/")
    policy, at, hosts = placed.partition("@")
    name, _, detail = policy.partition(":")
    words = {
        "slot": "slot by slot",
        "node": "node by node",
        "socket": "socket by socket",
        "cabinet": "cabinet by cabinet",
        "ppr": f"{detail} to a node",
        "random": f"on cores drawn with seed {detail or 0}",
    }
    return words[name] + (f", on {hosts}" if at else "") + (f", bound to cores {cores} of each node" if cores else "")


def place(ranks: int, hosts: Hosts | Sequence[int], mapping: str) -> RankPlacement:
    """Place ranks on hosts. When every core has a rank, the policy starts again at the first host.

    Ranks that share a core take turns: each computes more slowly by the number of ranks per core. Ranks may use all cores of
    their host, unless a file or the policy binds them to some.

    Args:
        ranks: number of ranks.
        hosts: the hosts, or only the number of cores of each.
        mapping: a policy, see `check_mapping`.
    Raises:
        InputError: the policy or its file cannot be used, or the file places fewer ranks.
    """
    require_ranks(ranks)
    known = _known(hosts)
    dealt, bound = _deal(known, mapping)
    host_of_rank = list(islice(dealt, ranks))
    if len(host_of_rank) < ranks:
        raise InputError(f'--map "{mapping}": the file places {len(host_of_rank)} ranks, {ranks} are wanted')
    bound |= binding.bound_in_turn(mapping, host_of_rank, known.cores)
    return RankPlacement(
        host_of_rank, loads(host_of_rank, bound, known.cores), _sockets(known, host_of_rank, bound, mapping)
    )


def places_after(ranks: int, more: int, hosts: Hosts | Sequence[int], mapping: str) -> RankPlacement:
    """Place `more` ranks that the program starts later; the policy continues after the first `ranks`.

    The load of the first ranks does not change. The load of a later rank counts all ranks that were placed on its host
    up to it, even if they have ended. Ranks that a file does not place are placed by `slot`.
    """
    known = _known(hosts)
    host_of_rank: list[int] = []
    load: list[float] = []
    ranks_on: Counter[int] = Counter()
    first, bound = _deal(known, mapping)
    dealt = [*islice(first, ranks + more)]
    dealt += islice(_deal(known, "slot")[0], len(dealt), ranks + more)
    bound |= binding.bound_in_turn(mapping, dealt, known.cores)
    for rank, host in enumerate(dealt):
        ranks_on[host] += 1
        if rank < ranks:
            continue
        host_of_rank.append(host)
        load.append(max(1.0, ranks_on[host] / known.cores[host]))
    return RankPlacement(host_of_rank, load, _sockets(known, dealt, bound, mapping)[ranks:])


def _known(hosts: Hosts | Sequence[int]) -> Hosts:
    return hosts if isinstance(hosts, Hosts) else Hosts(cores=hosts)


def _sockets(hosts: Hosts, host_of_rank: Sequence[int], bound: Mapping[int, Cores], mapping: str) -> list[int]:
    """Place of each rank where the policy says something of sockets; else empty.

    `socket` deals the ranks of a host to its sockets in turn. What binds ranks to cores puts them on the sockets of these.
    """
    in_turn = mapping.startswith("socket") and not bound
    if in_turn and not hosts.places:
        raise InputError("--map socket: no node of the platform has several sockets; see its key `sockets`")
    if not in_turn and not (hosts.places and bound):
        return []
    ranks_on: Counter[int] = Counter()
    found = []
    for rank, host in enumerate(host_of_rank):
        sockets, cores = hosts.places[host], hosts.cores[host]
        before = ranks_on[host]
        core = min(bound.get(rank, ()), default=before % cores)
        found.append(sockets[before % len(sockets) if in_turn else core * len(sockets) // cores])
        ranks_on[host] += 1
    return found


def _deal(hosts: Hosts, mapping: str) -> tuple[Iterator[int], dict[int, Cores]]:
    """Hosts of the ranks 0, 1, ..., endless unless the policy is a file; and the cores of ranks that a file binds to some."""
    if mapping.startswith("file:"):
        file = check_mapping(mapping).removeprefix("file:")
        return placed_by_file(file, hosts.names, hosts.cores, [len(places) for places in hosts.places])
    policy, _, wanted = binding.split(check_mapping(mapping))[0].partition("@")
    if not wanted:
        return _by_policy(policy, hosts), {}
    chosen = slots_of_hosts(wanted, hosts.names, hosts.cores)
    there = Hosts(
        cores=[slots for _, slots in chosen],
        cabinets=[hosts.cabinets[host] for host, _ in chosen] if hosts.cabinets else (),
    )
    return (chosen[number][0] for number in _by_policy(policy, there)), {}


def _by_policy(policy: str, hosts: Hosts) -> Iterator[int]:
    """Numbers of hosts, endless."""
    name, _, detail = policy.partition(":")
    numbers = range(len(hosts.cores))
    if name == "node":
        return cycle(numbers)
    if name == "ppr":
        return cycle(host for host in numbers for _ in range(int(detail)))
    slots = (host for host in numbers for _ in range(hosts.cores[host]))
    if name not in ("cabinet", "random"):
        return cycle(slots)
    require_memory(
        _BYTES_OF_SLOT * sum(hosts.cores), f'--map "{policy}" of all cores of the platform', "choose another policy"
    )
    by_slot = list(slots)
    if name == "cabinet":
        return cycle(_by_cabinet(by_slot, hosts.cabinets))
    from random import Random

    Random(int(detail or 0)).shuffle(by_slot)  # noqa: S311  no secret: the same seed gives the same places
    return cycle(by_slot)


def _by_cabinet(by_slot: Sequence[int], cabinets: Sequence[int]) -> list[int]:
    """Reorder slots so that consecutive ranks go to different cabinets; full cabinets are skipped."""
    cores: dict[int, list[int]] = {}
    for host in by_slot:
        cores.setdefault(cabinets[host] if cabinets else 0, []).append(host)
    longest = max(len(hosts) for hosts in cores.values())
    return [hosts[turn] for turn in range(longest) for hosts in cores.values() if turn < len(hosts)]
