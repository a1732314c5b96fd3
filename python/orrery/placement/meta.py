# SPDX-License-Identifier: BSD-3-Clause
"""The meta-scheduler: which cluster each group of a job goes to.

Of all choices that give every group what it asks for: the fewest clusters, among these the earliest start, then the lowest
price. A job starts when the last of its clusters lets it. Each group has nodes of its own, all of one cluster; one that is
too large for any cluster is divided into its subgroups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from orrery.errors import InputError
from orrery.job.profile import Network
from orrery.job.resolving import Groups, Job, Resolved
from orrery.job.source import Key
from orrery.placement.clusters import FreeCluster, Sites
from orrery.units import show_bytes, show_rate, show_time

_MOST_STEPS = 200_000
"""Partial choices that are looked at: all of them for a dozen groups and clusters."""


@dataclass(frozen=True)
class Gone:
    """A group and its cluster."""

    group: str
    ranks: int
    cluster: str
    nodes: int


@dataclass(frozen=True)
class Choice:
    """Where all groups go."""

    groups: list[Gone]
    clusters: list[str]
    starts_in_s: float
    """When the last of the clusters lets the job start."""
    price_per_hour: float
    cautions: list[str] = field(default_factory=list)


Lack = tuple[str, str, str, float]
"""A key that is not met: its name, what is wanted, what is offered, and how far that is off, from 0 to 1."""


def choose(job: Job, ranks: int, sites: Sites) -> Choice:
    """Raises InputError for what cannot be met: names group, key, what is wanted and the best that is offered."""
    groups = job.resolve(ranks)
    whole = [one for group in groups.inside(None) for one in _served(job, groups, group, sites)]
    whole.sort(key=lambda one: -len(one.ranks))
    return _Search(job, groups, sites, whole).best()


def _served(job: Job, groups: Groups, group: Resolved, sites: Sites) -> Iterator[Resolved]:
    """The group, or its subgroups where no cluster can have it as a whole."""
    lacks = [list(_lacks(group, cluster)) for cluster in sites.clusters]
    if any(not lack for lack in lacks):
        yield group
        return
    inside = groups.inside(group.colour)
    if inside and all(lack[0][0] == "free_nodes" for lack in lacks) and group.asked.inside is None:
        for one in inside:
            yield from _served(job, groups, one, sites)
        return
    nearest = min(range(len(lacks)), key=lambda number: (len(lacks[number]), lacks[number][0][3]))
    key, wanted, _, _ = lacks[nearest][0]
    offers = [lack for one in lacks for lack in one if lack[0] == key]
    best = min(offers, key=lambda lack: lack[3])
    raise job.source.error(
        _key_of(group, key),
        f"group {group.name} wants {wanted}; the best offered is {best[2]} ({sites.clusters[nearest].name})",
    )


def _key_of(group: Resolved, key: str) -> Key:
    return group.key if key == "free_nodes" else (*group.key, *key.split("."))


def _per_node(group: Resolved, cluster: FreeCluster) -> int:
    """Ranks of the group that a node has room for."""
    there = cluster.cores // (group.asked.cores or 1)
    if group.asked.memory_bytes is not None:
        there = min(there, (cluster.memory_bytes or 0) // group.asked.memory_bytes)
    return there


def _lacks(group: Resolved, cluster: FreeCluster) -> Iterator[Lack]:
    """What a group asks for and a cluster does not have, whoever else is there."""
    asked = group.asked
    if asked.speed_at_least is not None and cluster.speed < asked.speed_at_least:
        off = 1 - cluster.speed / asked.speed_at_least
        yield "speed_at_least", f"a speed of {asked.speed_at_least:g}", f"{cluster.speed:g}", off
    if (asked.cores or 1) > cluster.cores:
        yield "cores", f"{asked.cores} cores for a rank", f"{cluster.cores}", 1 - cluster.cores / (asked.cores or 1)
    if asked.memory_bytes is not None and (cluster.memory_bytes or 0) < asked.memory_bytes:
        has = cluster.memory_bytes
        offered = "an unknown amount" if has is None else show_bytes(has)
        yield (
            "memory_bytes",
            f"{show_bytes(asked.memory_bytes)} for a rank",
            offered,
            1 - (has or 0) / asked.memory_bytes,
        )
    if asked.inside is not None:
        for key, wanted, offered, off in _network_lacks(asked.inside, cluster.latency_s, cluster.rate_bytes_per_s):
            yield f"inside.{key}", wanted, offered, off
    each = _per_node(group, cluster)
    if each and -(-len(group.ranks) // each) > cluster.free_nodes:
        needs = -(-len(group.ranks) // each)
        offered = f"{cluster.free_nodes} of {each} such ranks"
        yield "free_nodes", f"nodes for {len(group.ranks)} ranks", offered, 1 - cluster.free_nodes / needs


def _network_lacks(asked: Network, latency_s: float, rate: float) -> Iterator[Lack]:
    limit, least = asked.latency_at_most_s, asked.rate_at_least_bytes_per_s
    if limit is not None and latency_s > limit:
        yield (
            "latency_at_most_s",
            f"a latency of {show_time(limit)} at most",
            show_time(latency_s),
            1 - limit / latency_s,
        )
    if least is not None and rate < least:
        yield "rate_at_least_bytes_per_s", f"a rate of {show_rate(least)} at least", show_rate(rate), 1 - rate / least


Value = tuple[int, float, float]
"""Number of clusters, seconds until the start, price: what is made small, in this order."""


class _Search:
    """Goes through all choices, the largest group first, and leaves out what cannot become better than the best."""

    def __init__(self, job: Job, groups: Groups, sites: Sites, whole: list[Resolved]) -> None:
        self._job, self._sites, self._whole = job, sites, whole
        self._may = [[one for one in sites.clusters if not list(_lacks(group, one))] for group in whole]
        self._nodes = [
            {one.name: -(-len(group.ranks) // _per_node(group, one)) for one in may}
            for group, may in zip(whole, self._may, strict=True)
        ]
        self._free = {one.name: one.free_nodes for one in sites.clusters}
        self._at: list[FreeCluster] = []
        self._best: tuple[Value, list[FreeCluster]] | None = None
        self._steps = 0
        self._deepest = 0
        self._why = ""
        self._pairs = self._pairs_of(groups)

    def _pairs_of(self, groups: Groups) -> list[tuple[int, int, Network, Key]]:
        """Pairs by the positions of the groups that are placed as a whole."""
        position: dict[int, int] = {}
        for group in groups.all:
            own = next((i for i, one in enumerate(self._whole) if set(group.ranks) <= set(one.ranks)), None)
            if own is not None:
                position[group.colour] = own
        return [
            (position[pair.first], position[pair.second], pair.asked, pair.key)
            for pair in groups.pairs
            if pair.first in position and pair.second in position
        ]

    def best(self) -> Choice:
        self._place()
        if self._best is None:
            raise self._nowhere()
        (_, starts_in_s, price), at = self._best
        gone = [
            Gone(group.name, len(group.ranks), one.name, nodes[one.name])
            for group, one, nodes in zip(self._whole, at, self._nodes, strict=True)
        ]
        said = ["there are too many choices to look at all of them"] if self._steps >= _MOST_STEPS else []
        return Choice(gone, list(dict.fromkeys(one.cluster for one in gone)), starts_in_s, price, said)

    def _value(self) -> Value:
        used = {one.name: one for one in self._at}
        price = sum(
            nodes[one.name] * one.cores * one.cost_per_core_hour
            for one, nodes in zip(self._at, self._nodes, strict=False)
        )
        return len(used), max((one.wait_s for one in used.values()), default=0.0), price

    def _place(self) -> None:
        self._steps += 1
        number = len(self._at)
        value = self._value()
        if self._steps >= _MOST_STEPS or (self._best is not None and value >= self._best[0]):
            return
        if number == len(self._whole):
            self._best = value, list(self._at)
            return
        used = {one.name for one in self._at}
        for one in sorted(
            self._may[number], key=lambda one: (one.name not in used, one.wait_s, one.cost_per_core_hour)
        ):
            nodes = self._nodes[number][one.name]
            if nodes > self._free[one.name]:
                self._note(
                    number, f"free nodes: {nodes} are needed, and others leave {self._free[one.name]} on {one.name}"
                )
                continue
            self._at.append(one)
            if self._joined(number):
                self._free[one.name] -= nodes
                self._place()
                self._free[one.name] += nodes
            self._at.pop()

    def _joined(self, number: int) -> bool:
        """Whether the network between the group that came last and those before it is as asked for."""
        for first, second, asked, key in self._pairs:
            if max(first, second) != number:
                continue
            names = [self._at[first].name, self._at[second].name]
            there = self._sites.joined(*names)
            where = f"between {self._whole[first].name} and {self._whole[second].name}"
            if there is None:
                self._note(number, f"{where}: {' and '.join(names)} are not joined")
                return False
            for lack in _network_lacks(asked, there.latency_s, there.rate_bytes_per_s):
                line = self._job.source.error((*key, lack[0]), "")
                self._note(
                    number,
                    f"{where} {lack[1]} is wanted; {' and '.join(names)} offer {lack[2]} ({str(line).rstrip(': ')})",
                )
                return False
        return True

    def _note(self, number: int, why: str) -> None:
        """Remember what stopped the choice that came furthest."""
        if number >= self._deepest and (number > self._deepest or not self._why):
            self._deepest, self._why = number, why

    def _nowhere(self) -> InputError:
        group = self._whole[self._deepest]
        return self._job.source.error(group.key, f"group {group.name} has no place beside the others: {self._why}")
