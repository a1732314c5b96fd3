# SPDX-License-Identifier: BSD-3-Clause
"""What groups of a job ask for, on a platform: the hosts that each rank may use. What cannot be met is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.job.profile import NetworkDemand
from orrery.job.resolving import Job, JobGroups, ResolvedGroup
from orrery.placement.search import Kinds
from orrery.placement.tree import Tree
from orrery.units import show_rate, show_time


@dataclass(frozen=True)
class Requirements:
    """The groups of a job, and the platform that is to serve them."""

    job: Job
    groups: JobGroups
    laboratory: Laboratory

    @property
    def cores(self) -> int:
        """Cores of a slot: what the most demanding group asks for each of its ranks."""
        return max((group.asked.cores or 1 for group in self.groups.all), default=1)

    def cautions(self) -> list[str]:
        """What is asked for and not looked at."""
        asking = [group.name for group in self.groups.all if group.asked.memory_bytes is not None]
        return [f"memory_bytes of {', '.join(asking)}: platforms do not say how much a node has"] if asking else []

    def kinds(self, slots: dict[int, int]) -> Kinds:
        """For each rank the hosts that it may use, so that groups which ask for a near network are each in one part.

        Larger groups choose first, and each takes the smallest part that serves it and still has room.

        Args:
            slots: ranks that each host has room for.
        Raises:
            InputError: a group asks for more than the platform has; names group, key, what is wanted and what there is.
        """
        tree = Tree.of(self.laboratory, sorted(slots))
        hosts: dict[int, set[int]] = {}
        left: dict[int | None, dict[int, int]] = {None: dict(slots)}
        for group in sorted(self.groups.all, key=lambda group: (group.depth, -len(group.ranks))):
            around = set(slots) if group.parent is None else hosts[group.parent]
            good = self._quick(group, around)
            left[group.colour] = there = left[group.parent]
            if group.asked.inside is not None:
                good = self._part(group, group.asked.inside, tree, good, there)
                left[group.colour] = _taken(there, good, len(group.ranks))
            room = sum(slots[host] for host in good)
            if room < len(group.ranks):
                raise self._unmet(group, "cores", f"{len(group.ranks)} ranks of {self.cores}", f"room for {room} ranks")
            hosts[group.colour] = good
        innermost = self.groups.innermost()
        return Kinds(innermost, [hosts[group.colour] for group in self.groups.all], slots)

    def check_between(self, host_of_rank: Sequence[int]) -> None:
        """Raises InputError for two groups whose network is not as asked for, as they are placed."""
        for error in self.unmet_between(host_of_rank):
            raise error

    def unmet_between(self, host_of_rank: Sequence[int]) -> Iterator[InputError]:
        """What two groups ask of their network and do not have, as they are placed."""
        for pair in self.groups.pairs:
            first, second = (self.groups.all[colour] for colour in (pair.first, pair.second))
            ends = [{host_of_rank[rank] for rank in group.ranks} for group in (first, second)]
            offered = self._network((a, b) for a in ends[0] for b in ends[1] if a != b)
            for key, wanted, has in _missing(pair.asked, *offered):
                yield self.job.source.error(
                    (*pair.key, key),
                    f"between {first.name} and {second.name} {wanted} is wanted; the best offered is {has}",
                )

    def _quick(self, group: ResolvedGroup, around: set[int]) -> set[int]:
        """Hosts whose processors are quick enough."""
        wanted = group.asked.speed_at_least
        if wanted is None:
            return set(around)
        speeds = {host: self.laboratory.hardware.hosts[host].speed for host in around}
        good = {host for host, speed in speeds.items() if speed >= wanted}
        if not good:
            raise self._unmet(group, "speed_at_least", f"{wanted:g}", f"{max(speeds.values(), default=0.0):g}")
        return good

    def _part(
        self, group: ResolvedGroup, asked: NetworkDemand, tree: Tree, good: set[int], left: dict[int, int]
    ) -> set[int]:
        """The smallest part whose network serves the group and that has room for it."""
        best: tuple[str, str, str] | None = None
        for part in sorted(tree.parts, key=lambda part: len(part.hosts)):
            inside = [host for host in part.hosts if host in good]
            if sum(left[host] for host in inside) < len(group.ranks):
                continue
            missing = list(_missing(asked, *self._network(_pairs(inside))))
            if not missing:
                return set(inside)
            best = best or missing[0]
        if best is None:
            free = sum(left[host] for host in good)
            raise self._unmet(
                group, "inside", f"one part for {len(group.ranks)} ranks", f"room for {free} that others left"
            )
        raise self._unmet(group, f"inside.{best[0]}", best[1], best[2])

    def _network(self, pairs: Iterator[tuple[int, int]]) -> tuple[float, float]:
        """Largest latency and smallest rate; equal places are looked at once."""
        latency_s, rate = 0.0, float("inf")
        seen: set[tuple[int, int]] = set()
        for pair in pairs:
            alike = self.laboratory.alike(*pair)
            if alike in seen:
                continue
            seen.add(alike)
            route = self.laboratory.hardware.route(*alike)
            latency_s, rate = max(latency_s, route.latency_s), min(rate, route.bandwidth_bytes_per_s)
        return latency_s, rate

    def _unmet(self, group: ResolvedGroup, key: str, wanted: str, offered: str) -> InputError:
        return self.job.source.error(
            (*group.key, *key.split(".")), f"group {group.name} wants {wanted}; the best offered is {offered}"
        )


def _taken(left: dict[int, int], hosts: set[int], ranks: int) -> dict[int, int]:
    """Takes room for so many ranks on some hosts, and gives what was taken: those inside of a group divide its room."""
    taken = {}
    for host in sorted(hosts):
        taken[host] = min(left[host], ranks)
        left[host] -= taken[host]
        ranks -= taken[host]
    return taken


def _missing(asked: NetworkDemand, latency_s: float, rate: float) -> Iterator[tuple[str, str, str]]:
    """Keys that are not met, with what is wanted and what there is."""
    limit = asked.latency_at_most_s
    if limit is not None and latency_s > limit * (1 + 1e-9):
        yield "latency_at_most_s", show_time(limit), show_time(latency_s)
    least = asked.rate_at_least_bytes_per_s
    if least is not None and rate < least * (1 - 1e-9):
        yield "rate_at_least_bytes_per_s", show_rate(least), show_rate(rate)


def _pairs(hosts: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((a, b) for position, a in enumerate(hosts) for b in hosts[position + 1 :])
