# SPDX-License-Identifier: BSD-3-Clause
"""Where the groups of a job landed: on which nodes, and what these and the network between them give; held against what was
asked for.

Latency and rate are those of the links of the route between two nodes, as the platform declares them or a calibration
measured them, when nothing else uses it. What the MPI library adds to a message is not in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, NamedTuple

from orrery.job import ranks as rank_list
from orrery.job.handing import filled
from orrery.job.profile import FoundNetwork, GroupPlacement, JobProfile, NetworkDemand
from orrery.job.resolving import Job, JobGroups, ResolvedGroup
from orrery.platform.core import Plain
from orrery.units import show_rate, show_time

if TYPE_CHECKING:
    from orrery import _core

_MOST_NODES = 64
"""That are named."""
_MOST_BESIDE = 16
"""Groups beside each other of which all pairs are looked at; of more, those that something is asked of."""
_ONE_BY_ONE = ("torus", "dragonfly", "graph")
"""Topologies in which two nodes of a cabinet are not as far from others as each other."""


class HostPath(NamedTuple):
    """From one host to another, or within one."""

    latency_s: float
    rate_bytes_per_s: float
    source: int
    """Number of the host where it begins."""
    target: int
    """Number of the host where it ends."""


class WorstPaths(NamedTuple):
    """The worst of several paths."""

    latest: HostPath
    """The one of the largest latency."""
    slowest: HostPath
    """The one of the smallest rate."""


@dataclass(frozen=True)
class JobPlacement:
    """The groups of a job on the hosts of a platform."""

    job: Job
    groups: JobGroups
    found: list[GroupPlacement]
    """By colour."""
    found_between: list[FoundNetwork]
    """Between the groups of the whole job."""
    unmet: list[str]
    """What was asked for and is not there, a sentence each."""
    unknown: list[str]
    """What was asked for and cannot be looked at, a sentence each."""

    def profile(self) -> JobProfile:
        """The profile with its blanks filled in."""
        return filled(self.job, self.groups, self.found, self.found_between)


def landed(
    job: Job, groups: JobGroups, hardware: _core.Platform, platform: Plain, host_of_rank: Sequence[int]
) -> JobPlacement:
    """Look at where the groups are.

    Args:
        job: what is asked for.
        groups: its ranks.
        hardware: the platform.
        platform: the same as plain values.
        host_of_rank: number of the host of each rank.
    """
    looking = _GroupSurvey(job, groups, hardware, platform, host_of_rank)
    found = [looking.found(group) for group in groups.all]
    between = looking.between(None)
    return JobPlacement(job, groups, found, between, list(looking.unmet()), list(looking.unknown()))


class _GroupSurvey:
    def __init__(
        self, job: Job, groups: JobGroups, hardware: _core.Platform, platform: Plain, host_of_rank: Sequence[int]
    ) -> None:
        self.job, self.groups, self.hardware, self.clusters = job, groups, hardware, platform["clusters"]
        self.hosts = hardware.hosts
        self.host_of_rank = host_of_rank
        self.ranks_on = Counter(host_of_rank)
        self.asked_of = {frozenset((pair.first, pair.second)) for pair in groups.pairs}
        self.known: dict[frozenset[int], WorstPaths] = {}

    def found(self, group: ResolvedGroup) -> GroupPlacement:
        hosts = self.hosts_of(group)
        clusters = list(dict.fromkeys(self.hardware.cluster_of(host) for host in hosts))
        inside = self.worst_inside(group)
        return GroupPlacement(
            ranks=rank_list.show(group.ranks),
            colour=group.colour,
            nodes=[self.hosts[host].name for host in hosts[:_MOST_NODES]],
            node_count=len(hosts),
            clusters=[self.clusters[number]["name"] for number in clusters],
            sites=[site for site in dict.fromkeys(self.clusters[number]["site"] for number in clusters) if site],
            cores=self.cores(hosts),
            speed=min(self.hosts[host].speed for host in hosts),
            inside=_network(inside, []) if inside else None,
            between=self.between(group.colour),
        )

    def hosts_of(self, group: ResolvedGroup) -> list[int]:
        return list(dict.fromkeys(self.host_of_rank[rank] for rank in group.ranks))

    def cores(self, hosts: Iterable[int]) -> int:
        """Whole cores for each rank, where these are fewest."""
        return min(self.hosts[host].cores // self.ranks_on[host] for host in hosts)

    def between(self, parent: int | None) -> list[FoundNetwork]:
        """Between the groups inside of one."""
        beside = self.groups.inside(parent)
        found = []
        for first, second in combinations(beside, 2):
            if len(beside) > _MOST_BESIDE and frozenset((first.colour, second.colour)) not in self.asked_of:
                continue
            names = [first.asked.name, second.asked.name]
            found.append(_network(self.worst(first, second), names))
        return found

    def worst_inside(self, group: ResolvedGroup) -> WorstPaths | None:
        """Between any two ranks of a group; None: it has one rank."""
        return self.worst(group, group) if len(group.ranks) > 1 else None

    def worst(self, first: ResolvedGroup, second: ResolvedGroup) -> WorstPaths:
        """Between any rank of one group and any of the other."""
        pair = frozenset((first.colour, second.colour))
        if pair not in self.known:
            self.known[pair] = self.worst_of(self.hosts_of(first), self.hosts_of(second))
        return self.known[pair]

    def worst_of(self, some: list[int], others: list[int]) -> WorstPaths:
        """Between two lists of hosts, either way; within a host only where both lists are that host alone.

        Cost: two routes for each pair of hosts, of which none is kept.
        """
        here, there = self.standing_for(some), self.standing_for(others)
        ways = product(here, there) if here == there else chain(product(here, there), product(there, here))
        alone = len({*some, *others}) == 1
        paths = (self.path(source, target) for source, target in ways if source != target or alone)
        latest = slowest = next(paths)
        for path in paths:
            if path.latency_s > latest.latency_s:
                latest = path
            if path.rate_bytes_per_s < slowest.rate_bytes_per_s:
                slowest = path
        return WorstPaths(latest, slowest)

    def path(self, source: int, target: int) -> HostPath:
        route = self.hardware.route(source, target)
        return HostPath(route.latency_s, route.bandwidth_bytes_per_s, source, target)

    def standing_for(self, hosts: list[int]) -> list[int]:
        """Hosts whose paths are those of all: two of each cabinet, as its nodes are alike, unless the topology makes them differ."""
        seen: Counter[int] = Counter()
        kept = []
        for host in hosts:
            cabinet = self.hardware.cabinet_of(host)
            seen[cabinet] += 1
            cluster = self.clusters[self.hardware.cluster_of(host)]
            if seen[cabinet] <= 2 or any(cluster[kind] for kind in _ONE_BY_ONE):
                kept.append(host)
        return kept

    def unmet(self) -> Iterator[str]:
        for group in self.groups.all:
            yield from self.unmet_by_nodes(group)
            if group.asked.inside is not None and (worst := self.worst_inside(group)):
                what = f'between ranks of "{group.name}"'
                yield from self.unmet_by_network(group.asked.inside, (*group.key, "inside"), what, worst)
        for pair in self.groups.pairs:
            first, second = self.groups.all[pair.first], self.groups.all[pair.second]
            what = f'between "{first.name}" and "{second.name}"'
            yield from self.unmet_by_network(pair.asked, pair.key, what, self.worst(first, second))

    def unmet_by_nodes(self, group: ResolvedGroup) -> Iterator[str]:
        where, hosts = self.job.source.where, self.hosts_of(group)
        if group.asked.cores is not None and self.cores(hosts) < group.asked.cores:
            worst = min(hosts, key=lambda host: self.hosts[host].cores // self.ranks_on[host])
            ranks = f"{self.ranks_on[worst]} rank{'s' * (self.ranks_on[worst] > 1)}"
            yield (
                f'{where((*group.key, "cores"))}: each rank of "{group.name}" needs {group.asked.cores}, but '
                f"{self.hosts[worst].name} has {self.hosts[worst].cores} for {ranks}"
            )
        if group.asked.speed_at_least is not None:
            slowest = min(hosts, key=lambda host: self.hosts[host].speed)
            if self.hosts[slowest].speed < group.asked.speed_at_least:
                yield (
                    f'{where((*group.key, "speed_at_least"))}: "{group.name}" needs {group.asked.speed_at_least:g}, but a '
                    f"core of {self.hosts[slowest].name} has {self.hosts[slowest].speed:g}"
                )

    def unmet_by_network(
        self, needs: NetworkDemand, key: tuple[str | int, ...], what: str, worst: WorstPaths
    ) -> Iterator[str]:
        where = self.job.source.where
        asked_s, found_s = needs.latency_at_most_s, worst.latest.latency_s
        if asked_s is not None and found_s > asked_s:
            yield (
                f"{where((*key, 'latency_at_most_s'))}: {what} at most {show_time(asked_s)} is asked for, but "
                f"{self.ends(worst.latest)} it is {show_time(found_s)}"
            )
        asked_rate, found_rate = needs.rate_at_least_bytes_per_s, worst.slowest.rate_bytes_per_s
        if asked_rate is not None and found_rate < asked_rate:
            yield (
                f"{where((*key, 'rate_at_least_bytes_per_s'))}: {what} at least {show_rate(asked_rate)} is asked for, but "
                f"{self.ends(worst.slowest)} it is {show_rate(found_rate)}"
            )

    def ends(self, path: HostPath) -> str:
        first, second = self.hosts[path.source].name, self.hosts[path.target].name
        return f"in {first}" if first == second else f"from {first} to {second}"

    def unknown(self) -> Iterator[str]:
        for group in self.groups.all:
            if group.asked.memory_bytes is not None:
                key = (*group.key, "memory_bytes")
                yield f"{self.job.source.where(key)}: not checked: platforms do not say how much memory a node has"


def _network(worst: WorstPaths, groups: list[str]) -> FoundNetwork:
    return FoundNetwork(
        groups=groups, latency_s=worst.latest.latency_s, rate_bytes_per_s=worst.slowest.rate_bytes_per_s
    )
