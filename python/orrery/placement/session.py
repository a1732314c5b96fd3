# SPDX-License-Identifier: BSD-3-Clause
"""One search from settings to result: a matrix, mappings for it, and what they take in simulation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.placement.level_bytes import bytes_by_level
from orrery.placement.matrix import TrafficMatrix
from orrery.placement.matrix_files import read_matrix
from orrery.placement.requirements import Requirements
from orrery.placement.result import CandidateMapping, PlacementGain, PlacementOutcome
from orrery.placement.search import Kinds, MappingSearch, slots_like
from orrery.placement.settings import PlaceSettings
from orrery.placement.simulated import Simulator
from orrery.platform.find import DEFAULT
from orrery.replay.edges import edges_of
from orrery.replay.session import opened_as_it_was
from orrery.replay.settings import ReplaySettings

_LEAST_GAIN = 0.01
"""Share of the time: of less no simulation of a cluster can be sure, and a mapping of one's own is a burden."""
_TOO_LITTLE = f"saves less than {_LEAST_GAIN:.0%}, too little to change the given mapping"
_NOT_SIMULATED = "nothing was simulated: a matrix does not say when ranks wait for each other"
_FULL = 4
"""A platform with so many times the room that is needed is searched as a whole, besides the nodes that policies take."""


def placed(settings: PlaceSettings) -> PlacementOutcome:
    """The best mapping. Raises InputError for settings, files, or groups that cannot be served."""
    with _trace(settings) as trace:
        if trace is None:
            matrix = read_matrix(settings.source)
            as_given = ReplaySettings(
                traces=[],
                platform=settings.platform or DEFAULT,
                model=settings.model,
                mapping=settings.mapping or DEFAULT_MAPPING,
                seed=settings.seed or 0,
                force=settings.force,
            )
        else:
            as_given = _replayed(settings, trace)
            ranks, edges = edges_of(as_given)
            matrix = TrafficMatrix.of(ranks, edges)
            if not len(matrix.sources):
                raise InputError(f"{settings.source}: no rank sends another one anything, so any mapping is as good")
        return _PlacementSession(settings, as_given, matrix, simulated=trace is not None).result()


@contextmanager
def _trace(settings: PlaceSettings) -> Iterator[Path | None]:
    """The trace to replay; that of a program is recorded now. None: the source is a matrix."""
    if settings.ranks is None:
        yield None if settings.of_matrix else settings.source
        return
    from orrery.run.once import trace_of_run

    with trace_of_run(
        settings.ranks,
        [str(settings.source), *settings.program],
        platform=settings.platform or DEFAULT,
        model=settings.model,
        mapping=settings.mapping or DEFAULT_MAPPING,
        selector=settings.selector or "default",
        seed=settings.seed or 0,
        force=settings.force,
    ) as trace:
        yield trace


def _replayed(settings: PlaceSettings, trace: Path) -> ReplaySettings:
    """How the given mapping is simulated: as the trace was recorded, where the user says nothing."""
    keys = ("platform", "model", "mapping", "selector", "seed", "force")
    settled, _ = opened_as_it_was(ReplaySettings.of([trace], **{key: getattr(settings, key) for key in keys}))
    return replace(settled, said=settled.said | set(keys))


@dataclass
class _PlacementSession:
    settings: PlaceSettings
    as_given: ReplaySettings
    matrix: TrafficMatrix
    simulated: bool

    def result(self) -> PlacementOutcome:
        """Search, simulate, compare."""
        with self.laboratory.open():
            tried = self._tried()
        given = tried[0]
        best, gain, said = self._compared(given, tried)
        return PlacementOutcome(
            source=str(self.settings.source),
            platform=self.laboratory.platform["name"],
            model=self.laboratory.model,
            ranks=self.matrix.ranks,
            messages=float(self.matrix.messages.sum()),
            bytes=self.matrix.all_bytes,
            given=given,
            best=best,
            tried=sorted(tried, key=_order),
            gain=gain,
            hosts=[self.names[host] for host in best.host_of_rank],
            cores=[self.laboratory.hardware.hosts[host].cores for host in best.host_of_rank],
            order=self.names,
            cautions=[*self.matrix.cautions, *(self.requirements.cautions() if self.requirements else []), *said],
        )

    @cached_property
    def laboratory(self) -> Laboratory:
        """The platform."""
        how = self.as_given
        return Laboratory(how.platform, how.model, how.mapping, seed=how.seed, force=how.force, said=False)

    @cached_property
    def names(self) -> list[str]:
        """Names of all hosts."""
        return [host.name for host in self.laboratory.hardware.hosts]

    @cached_property
    def requirements(self) -> Requirements | None:
        """What groups ask for; None: there is no job profile."""
        if self.settings.groups is None:
            return None
        from orrery.job.reading import load

        job = load(self.settings.groups)
        return Requirements(job, job.resolve(self.matrix.ranks), self.laboratory)

    def _tried(self) -> list[CandidateMapping]:
        """The given mapping first, then policies, then what the search finds."""
        ranks, given = self.matrix.ranks, self.as_given.mapping
        policies = {"given": self._policy(given), "slot": self._policy("slot"), "node": self._policy("node")}
        policies = {name: policy for name, policy in policies.items() if name == "given" or policy != policies["given"]}
        rooms = {f"search, nodes as by {name}": slots_like(policy) for name, policy in policies.items()}
        free, needs, kinds = self.free, self.requirements, self.kinds
        if needs is not None:
            rooms = {"search": free}
        elif ranks < sum(free.values()) <= _FULL * ranks:
            rooms["search, all nodes"] = free
        everything = MappingSearch(self.matrix, self.laboratory, self._whole(policies.values(), free), None, 0)
        tried = [self._one(name, "", hosts, everything) for name, hosts in policies.items()]
        seen: list[dict[int, int]] = []
        for name, slots in rooms.items():
            if slots in seen:
                continue
            seen.append(slots)
            found = MappingSearch(self.matrix, self.laboratory, slots, kinds, self.settings.seed or 0).best(
                policies["given"]
            )
            if all(found.host_of_rank != mapping.host_of_rank for mapping in tried):
                tried.append(self._one(name, found.start, found.host_of_rank, everything))
            if needs is not None and not any(mapping.fits for mapping in tried):  # what stands in the way is told
                needs.check_between(found.host_of_rank)
        return tried

    def _policy(self, mapping: str) -> list[int]:
        return place(self.matrix.ranks, Hosts.of(self.laboratory.hardware, mapping), mapping).host_of_rank

    @cached_property
    def kinds(self) -> Kinds | None:
        """Which hosts ranks may use; None: nobody asks for anything."""
        return self.requirements.kinds(self.free) if self.requirements else None

    @cached_property
    def free(self) -> dict[int, int]:
        """Slots of all hosts; if they are too few, as many times as needed."""
        cores = self.requirements.cores if self.requirements else 1
        slots = {
            number: host.cores // cores
            for number, host in enumerate(self.laboratory.hardware.hosts)
            if host.cores >= cores
        }
        there = sum(slots.values())
        if there >= self.matrix.ranks:
            return slots
        if self.requirements is not None or not there:
            raise InputError(
                f"platform {self.laboratory.platform['name']}: has room for {there} ranks of {cores} cores, and there are "
                f"{self.matrix.ranks}"
            )
        times = -(-self.matrix.ranks // there)
        return {host: number * times for host, number in slots.items()}

    def _whole(self, policies: Iterable[list[int]], free: dict[int, int]) -> dict[int, int]:
        """Room for every mapping that is looked at."""
        room = dict(free)
        for policy in policies:
            for host, number in slots_like(policy).items():
                room[host] = max(room.get(host, 0), number)
        return room

    def _one(self, name: str, start: str, hosts: list[int], everything: MappingSearch) -> CandidateMapping:
        pairs_s, busiest_s = everything.cost(hosts)
        return CandidateMapping(
            name=name,
            start=start,
            host_of_rank=hosts,
            pairs_s=pairs_s,
            busiest_s=busiest_s,
            simulated_s=self._simulator.times_s(hosts)[0] if self.simulated else None,
            level_bytes=bytes_by_level(self.matrix, hosts, self.laboratory),
            fits=self._fits(hosts),
        )

    def _fits(self, hosts: list[int]) -> bool:
        if self.requirements is None or self.kinds is None:
            return True
        return self.kinds.allow(hosts) and not any(self.requirements.unmet_between(hosts))

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator(self.as_given, self.names)

    def _compared(
        self, given: CandidateMapping, tried: list[CandidateMapping]
    ) -> tuple[CandidateMapping, PlacementGain | None, list[str]]:
        """The best of those that fit, what it gains, and what is to be said of that."""
        best = min((mapping for mapping in tried if mapping.fits), key=_order)
        if best is given:
            return given, None, []
        if self.simulated:
            before, after = (
                self._simulator.times_s(mapping.host_of_rank, self.settings.replicas) for mapping in (given, best)
            )
            gain, said = PlacementGain.of(before, after), list[str]()
        else:
            gain, said = PlacementGain.of([given.cost_s], [best.cost_s]), [_NOT_SIMULATED]
        if gain.low < _LEAST_GAIN and given.fits:
            return given, None, [*said, f"{best.name} {_TOO_LITTLE}"]
        return best, gain if self.simulated else None, said


def _order(mapping: CandidateMapping) -> tuple[float, float]:
    return (mapping.cost_s if mapping.simulated_s is None else mapping.simulated_s, mapping.cost_s)
