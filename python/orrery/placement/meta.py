# SPDX-License-Identifier: BSD-3-Clause
"""The meta-scheduler: which cluster each group of a job goes to.

Of all choices that give every group what it asks for: the fewest clusters, among these the earliest start, then the lowest
price. A job starts when the last of its clusters lets it. Each group has nodes of its own, all of one cluster; one that no
cluster serves as a whole is divided into its subgroups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from orrery.errors import InputError
from orrery.job.profile import NetworkDemand
from orrery.job.resolving import Job, JobGroups, ResolvedGroup
from orrery.job.source import Key
from orrery.placement.clusters import FreeCluster, Sites
from orrery.units import show_bytes, show_rate, show_time

_MOST_STEPS = 200_000
"""Partial choices that are looked at: all of them for a dozen groups and clusters."""


@dataclass(frozen=True)
class ClusterAssignment:
    """A group and its cluster."""

    group: str
    ranks: int
    cluster: str
    nodes: int


@dataclass(frozen=True)
class ClusterChoice:
    """Where all groups go."""

    groups: list[ClusterAssignment]
    clusters: list[str]
    starts_in_s: float
    """When the last of the clusters lets the job start."""
    price_per_hour: float
    cautions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Lack:
    """Something that is asked for and that a cluster does not have."""

    group: ResolvedGroup
    """Whoever asks for it."""
    key: str
    wanted: str
    offered: str
    off: float
    """How far the cluster is from it, from 0 to 1."""


@dataclass(frozen=True)
class _Unit:
    """A group that goes to one cluster as a whole."""

    group: ResolvedGroup
    around: list[ResolvedGroup]
    """Groups around it: what they need for each rank, its ranks need, too."""
    inside: list[ResolvedGroup]
    """Groups inside of it, at any depth."""

    @cached_property
    def cores(self) -> int:
        """Cores of a rank: what the most demanding one asks for."""
        return max(group.asked.cores or 1 for group in self._asking)

    @cached_property
    def memory_bytes(self) -> int:
        """Memory of a rank, likewise; 0: nobody asks."""
        return max(group.asked.memory_bytes or 0 for group in self._asking)

    @property
    def _asking(self) -> list[ResolvedGroup]:
        return [*self.around, self.group, *self.inside]

    def nodes_of(self, cluster: FreeCluster) -> int:
        """Nodes that its ranks need; one has room for a rank at least."""
        return -(-len(self.group.ranks) // self._per_node(cluster))

    def _per_node(self, cluster: FreeCluster) -> int:
        there = cluster.cores // self.cores
        return min(there, (cluster.memory_bytes or 0) // self.memory_bytes) if self.memory_bytes else there

    def lacks(self, cluster: FreeCluster) -> Iterator[_Lack]:
        """What the cluster does not have, whoever else is there."""
        for group in self._asking:
            yield from _lacks_of_rank(group, cluster)
        for group in (self.group, *self.inside):
            asked = group.asked.inside
            yield from _network_lacks(group, asked, "inside.", cluster.latency_s, cluster.rate_bytes_per_s)
        if self._per_node(cluster) and (needs := self.nodes_of(cluster)) > cluster.free_nodes:
            offered = f"{cluster.free_nodes} of {self._per_node(cluster)} such ranks"
            wanted = f"nodes for {len(self.group.ranks)} ranks"
            yield _Lack(self.group, "free_nodes", wanted, offered, 1 - cluster.free_nodes / needs)


def _lacks_of_rank(group: ResolvedGroup, cluster: FreeCluster) -> Iterator[_Lack]:
    asked = group.asked
    if asked.speed_at_least is not None and cluster.speed < asked.speed_at_least:
        off = 1 - cluster.speed / asked.speed_at_least
        yield _Lack(group, "speed_at_least", f"a speed of {asked.speed_at_least:g}", f"{cluster.speed:g}", off)
    if asked.cores is not None and asked.cores > cluster.cores:
        off = 1 - cluster.cores / asked.cores
        yield _Lack(group, "cores", f"{asked.cores} cores for a rank", f"{cluster.cores}", off)
    has = cluster.memory_bytes
    if asked.memory_bytes is not None and (has or 0) < asked.memory_bytes:
        offered = "an unknown amount" if has is None else show_bytes(has)
        off = 1 - (has or 0) / asked.memory_bytes
        yield _Lack(group, "memory_bytes", f"{show_bytes(asked.memory_bytes)} for a rank", offered, off)


def _network_lacks(
    group: ResolvedGroup, asked: NetworkDemand | None, table: str, latency_s: float, rate: float
) -> Iterator[_Lack]:
    """What a network does not have. `table`: what stands before its keys in the profile."""
    if asked is None:
        return
    limit, least = asked.latency_at_most_s, asked.rate_at_least_bytes_per_s
    if limit is not None and latency_s > limit:
        wanted = f"a latency of {show_time(limit)} at most"
        yield _Lack(group, f"{table}latency_at_most_s", wanted, show_time(latency_s), 1 - limit / latency_s)
    if least is not None and rate < least:
        wanted = f"a rate of {show_rate(least)} at least"
        yield _Lack(group, f"{table}rate_at_least_bytes_per_s", wanted, show_rate(rate), 1 - rate / least)


def choose(job: Job, ranks: int, sites: Sites) -> ClusterChoice:
    """Raises InputError for what cannot be met: names group, key, what is wanted and the best that is offered."""
    groups = job.resolve(ranks)
    units = [unit for group in groups.inside(None) for unit in _units(job, groups, group, [], sites)]
    units.sort(key=lambda unit: -len(unit.group.ranks))
    return _ClusterSearch(job, groups, sites, units).best()


def _units(
    job: Job, groups: JobGroups, group: ResolvedGroup, around: list[ResolvedGroup], sites: Sites
) -> Iterator[_Unit]:
    """The group, or its subgroups where no cluster serves it as a whole."""
    unit = _Unit(group, around, list(_inside(groups, group)))
    lacks = [(cluster, list(unit.lacks(cluster))) for cluster in sites.clusters]
    if not all(found for _, found in lacks):
        yield unit
    elif unit.inside and group.asked.inside is None:
        for subgroup in groups.inside(group.colour):
            yield from _units(job, groups, subgroup, [*around, group], sites)
    else:
        raise _unmet(job, lacks)


def _inside(groups: JobGroups, group: ResolvedGroup) -> Iterator[ResolvedGroup]:
    for subgroup in groups.inside(group.colour):
        yield subgroup
        yield from _inside(groups, subgroup)


def _unmet(job: Job, lacks: list[tuple[FreeCluster, list[_Lack]]]) -> InputError:
    """What the nearest cluster lacks, and which cluster has most of that."""
    lack = min((found for _, found in lacks), key=lambda found: (len(found), found[0].off))[0]
    group = lack.group
    offers = [
        (alike, cluster)
        for cluster, found in lacks
        for alike in found
        if alike.key == lack.key and alike.group.colour == group.colour
    ]
    best, cluster = min(offers, key=lambda offer: offer[0].off)
    return job.source.error(
        group.key if lack.key == "free_nodes" else (*group.key, *lack.key.split(".")),
        f"group {group.name} wants {lack.wanted}; the best offered is {best.offered} ({cluster.name})",
    )


Value = tuple[int, float, float]
"""Number of clusters, seconds until the start, price: what is made small, in this order."""


class _ClusterSearch:
    """Goes through all choices, the largest group first, and leaves out what cannot become better than the best."""

    def __init__(self, job: Job, groups: JobGroups, sites: Sites, units: list[_Unit]) -> None:
        self._job, self._sites, self._units = job, sites, units
        self._may = [[cluster for cluster in sites.clusters if not list(unit.lacks(cluster))] for unit in units]
        self._free = {cluster.name: cluster.free_nodes for cluster in sites.clusters}
        self._at: list[FreeCluster] = []
        self._values: list[Value] = [(0, 0.0, 0.0)]
        """Value of the choice so far, by how many groups have their clusters."""
        self._used: Counter[str] = Counter()
        self._best: tuple[Value, list[FreeCluster]] | None = None
        self._steps = 0
        self._deepest = 0
        self._why = ""
        self._pairs = self._pairs_of(groups)

    def _pairs_of(self, groups: JobGroups) -> dict[int, list[tuple[int, int, NetworkDemand, Key]]]:
        """What is asked between units, by the later one of both. A group that is divided stands for all of its units."""
        units: defaultdict[int, list[int]] = defaultdict(list)
        for number, unit in enumerate(self._units):
            for group in (*unit.around, unit.group, *unit.inside):
                units[group.colour].append(number)
        found: defaultdict[int, list[tuple[int, int, NetworkDemand, Key]]] = defaultdict(list)
        for pair in groups.pairs:
            for first, second in product(units[pair.first], units[pair.second]):
                found[max(first, second)].append((first, second, pair.asked, pair.key))
        return found

    def best(self) -> ClusterChoice:
        self._go_through()
        if self._best is None:
            raise self._nowhere()
        (_, starts_in_s, price), at = self._best
        gone = [
            ClusterAssignment(unit.group.name, len(unit.group.ranks), cluster.name, unit.nodes_of(cluster))
            for unit, cluster in zip(self._units, at, strict=True)
        ]
        said = ["there are too many choices to look at all of them"] if self._steps >= _MOST_STEPS else []
        return ClusterChoice(gone, list(dict.fromkeys(group.cluster for group in gone)), starts_in_s, price, said)

    def _go_through(self) -> None:
        """Depth first. Without recursion: a job may have thousands of groups."""
        levels = [self._choices()]
        while levels and self._steps < _MOST_STEPS:
            self._steps += 1
            cluster = next(levels[-1], None)
            if cluster is None:
                levels.pop()
                if self._at:
                    self._take_back()
                continue
            self._put(cluster)
            if self._best is not None and self._values[-1] >= self._best[0]:
                self._take_back()
            elif len(self._at) == len(self._units):
                self._best = self._values[-1], list(self._at)
                self._take_back()
            else:
                levels.append(self._choices())

    def _choices(self) -> Iterator[FreeCluster]:
        """Clusters for the next group: those with room for it and the network that it asks for, the cheapest first."""
        number = len(self._at)
        may = sorted(
            self._may[number],
            key=lambda cluster: (cluster.name not in self._used, cluster.wait_s, cluster.cost_per_core_hour),
        )
        for cluster in may:
            nodes, free = self._units[number].nodes_of(cluster), self._free[cluster.name]
            if nodes > free:
                self._note(number, f"free nodes: {nodes} are needed, and others leave {free} on {cluster.name}")
            elif self._is_joined(number, cluster):
                yield cluster

    def _put(self, cluster: FreeCluster) -> None:
        nodes = self._units[len(self._at)].nodes_of(cluster)
        used, start_s, price = self._values[-1]
        more = nodes * cluster.cores * cluster.cost_per_core_hour
        self._values.append((used + (cluster.name not in self._used), max(start_s, cluster.wait_s), price + more))
        self._at.append(cluster)
        self._used[cluster.name] += 1
        self._free[cluster.name] -= nodes

    def _take_back(self) -> None:
        cluster = self._at.pop()
        self._values.pop()
        self._used[cluster.name] -= 1
        if not self._used[cluster.name]:
            del self._used[cluster.name]
        self._free[cluster.name] += self._units[len(self._at)].nodes_of(cluster)

    def _is_joined(self, number: int, cluster: FreeCluster) -> bool:
        """Whether the network between a group on this cluster and those before it is as asked for."""
        for first, second, asked, key in self._pairs.get(number, ()):
            first_name, second_name = (cluster.name if end == number else self._at[end].name for end in (first, second))
            names, there = (
                f"{first_name} and {second_name}",
                self._sites.joined.get(frozenset([first_name, second_name])),
            )
            group = self._units[first].group
            where = f"between {group.name} and {self._units[second].group.name}"
            if there is None:
                self._note(number, f"{where}: {names} are not joined")
                return False
            for lack in _network_lacks(group, asked, "", there.latency_s, there.rate_bytes_per_s):
                line = self._job.source.where((*key, lack.key))
                self._note(number, f"{where} {lack.wanted} is wanted; {names} offer {lack.offered} ({line})")
                return False
        return True

    def _note(self, number: int, why: str) -> None:
        """Remember what stopped the choice that came furthest."""
        if number >= self._deepest and (number > self._deepest or not self._why):
            self._deepest, self._why = number, why

    def _nowhere(self) -> InputError:
        group = self._units[self._deepest].group
        many = f", in the first {_MOST_STEPS:,} choices that were looked at" if self._steps >= _MOST_STEPS else ""
        return self._job.source.error(
            group.key, f"group {group.name} has no place beside the others{many}: {self._why}"
        )
