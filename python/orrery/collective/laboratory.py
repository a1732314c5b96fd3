# SPDX-License-Identifier: BSD-3-Clause
"""Simulated time of single collective calls on a platform."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orrery import _core
from orrery.collective import best
from orrery.collective.call import Call
from orrery.collective.selector import selector_named
from orrery.experiment.mapping import Hosts, RankPlacement, place
from orrery.experiment.room import check_room
from orrery.experiment.settings import BEST, Vary, check_vary
from orrery.experiment.variants import ReplicaVariant, Variants
from orrery.noise.intervals import Interval
from orrery.platform import core
from orrery.platform.model import Model
from orrery.platform.trusted import trusted
from orrery.platform.typical import caution_of_typical

Experiment = tuple[Call, _core.Choice]
Step = tuple[str, int, int, int]
"""Step of a loop: what (send, recv, isend, irecv, waitall, collectives), peer or root, bytes, bytes of an element."""


@dataclass(frozen=True)
class Cost:
    """What one experiment gave."""

    time_s: float
    """From the call until the last rank goes on; of several replicas the median."""
    messages: int
    bytes: int
    replicas_s: tuple[float, ...] = ()
    """Time of each replica, which has its seed in common with those of other costs; empty: there is one."""
    stalled: int = 0
    """Messages that waited for a time-out of a crowded switch, of all replicas."""

    @property
    def interval(self) -> Interval | None:
        """Where most replicas are; None: there is one."""
        return Interval.of(self.replicas_s) if self.replicas_s else None


class Laboratory:
    """A platform on which calls are simulated, each by itself: nothing else is on the network.

    Every experiment is made once and remembered. Experiments run side by side on all cores of this machine; what they
    give does not depend on that.
    """

    def __init__(
        self,
        platform: str,
        model: Model | None,
        mapping: str,
        root: int = 0,
        *,
        replicas: int = 1,
        seed: int = 0,
        vary: Vary = "noise",
        sharing_error: float = core.SHARING_ERROR,
        force: bool = False,
        said: bool = True,
    ) -> None:
        check_vary(vary, replicas)
        self.platform = trusted(platform, force=force, said=said)
        self._force = force
        self.model: Model = model or self.platform["model"]
        self.mapping = mapping
        self.root = root
        self.replicas = replicas
        self._seed = seed
        self._vary = vary
        self._sharing_error = sharing_error
        self._hosts: dict[int, RankPlacement] = {}
        self._places: dict[int, _core.Places] = {}
        self._made: dict[tuple[Call, str], Future[Cost]] = {}
        self._alike: dict[tuple[int, int, bool], tuple[int, int]] = {}
        self._one_way: dict[tuple[int, int, int], float] = {}
        self._stop = _core.Stop()

    @cached_property
    def hardware(self) -> _core.Platform:
        """Hosts and links."""
        return core.build(self.platform)

    @cached_property
    def variants(self) -> Variants:
        """What replicas are simulated on."""
        return Variants(
            self.platform, self.hardware, self.model, self.replicas, self._seed, self._vary, self._sharing_error
        )

    @cached_property
    def _each(self) -> list[ReplicaVariant]:
        return [self.variants.of(seed) for seed in self.variants.seeds]

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=os.cpu_count())

    def placement(self, ranks: int) -> RankPlacement:
        """Where ranks are."""
        if ranks not in self._hosts:
            self._hosts[ranks] = place(ranks, Hosts.of(self.hardware, self.mapping), self.mapping)
            check_room(self.platform, self.hardware, self._hosts[ranks], force=self._force)
        return self._hosts[ranks]

    def selector(self, name: str, coll: str, rules: Path | None, most_ranks: int) -> _core.Selector:
        """By its name, for calls of up to so many ranks. Raises InputError naming the option that is wrong."""
        if name != BEST:
            return selector_named(name, coll, rules)
        hosts = self.placement(most_ranks).where
        otherwise = selector_named("default", coll)
        return best.best(
            self.platform,
            self.hardware,
            self.model,
            hosts,
            otherwise,
            sharing_error=self._sharing_error,
            stop=self._stop,
        )

    def chosen(self, selector: _core.Selector, call: Call) -> _core.Choice:
        """What the selector chooses. It may have to search, which Ctrl-C ends."""
        return self._workers.submit(selector.choose, self.whole(call)).result()

    def whole(self, call: Call) -> _core.CollectiveCall:
        """The call as the core takes it, with the places of its ranks."""
        if call.ranks not in self._places:
            self._places[call.ranks] = _core.Places(self.hardware, self.placement(call.ranks).where)
        return call.core(self.root, self._places[call.ranks])

    def begin(self, experiments: Iterable[Experiment]) -> list[Future[Cost]]:
        """Start experiments, or find them among those made before."""
        return [self._begin(call, choice) for call, choice in experiments]

    def begin_at(self, whole: _core.CollectiveCall, choice: _core.Choice, where: list[int]) -> Future[Cost]:
        """Start an experiment whose ranks are in these places, whatever the mapping; it is not remembered."""
        return self._workers.submit(self._simulate, whole, choice, where)

    def time(self, call: Call, choice: _core.Choice) -> float:
        """Seconds from the call until the last rank goes on."""
        return self._begin(call, choice).result().time_s

    def alike(self, source: int, target: int) -> tuple[int, int]:
        """Two hosts that stand for these two: the first ones seen in the same two cabinets, or on one node."""
        hardware = self.hardware
        key = (hardware.cabinet_of(source), hardware.cabinet_of(target), source == target)
        return self._alike.setdefault(key, (source, target))

    def one_way(self, size: int, source: int, target: int) -> float:
        """Seconds of one message between ranks on two hosts, both ready: half of a ping-pong."""
        key = (size, source, target)
        if key not in self._one_way:
            pair = Call("bcast", size, 2)
            whole = pair.core(0)
            cost = self._simulate(whole, _core.named_choice(whole, "linear"), [source, target])
            self._one_way[key] = cost.time_s
        return self._one_way[key]

    def turns(
        self, bodies: list[list[Step]], count: int, selector: _core.Selector, where: Sequence[int] | None = None
    ) -> list[float]:
        """Seconds that each turn of a loop takes rank 0, on the first replica. Ctrl-C ends it.

        Args:
            bodies: for each rank what it does in each turn.
            count: turns.
            selector: who chooses algorithms of collectives.
            where: the place of each rank; None: as the mapping places them.
        Raises:
            InputError: ranks wait for each other for ever, or a step cannot be simulated.
        """
        variant = self._each[0]
        compute = variant.platform["compute"]
        return self._workers.submit(
            _core.simulate_loop,
            variant.hardware,
            variant.parameters,
            selector,
            bodies,
            count,
            host_of_rank=self.placement(len(bodies)).where if where is None else where,
            reduce_s_per_byte=compute["reduce_s_per_byte"],
            copy_s_per_byte=compute["copy_s_per_byte"],
            stop=self._stop,
        ).result()

    def _begin(self, call: Call, choice: _core.Choice) -> Future[Cost]:
        key = (call, choice.name)
        if key not in self._made:
            self._made[key] = self._workers.submit(
                self._simulate, self.whole(call), choice, self.placement(call.ranks).where
            )
        return self._made[key]

    def _simulate(self, whole: _core.CollectiveCall, choice: _core.Choice, host_of_rank: list[int]) -> Cost:
        made = [self._replica(whole, choice, host_of_rank, variant) for variant in self._each]
        times = tuple(replica.time_s for replica in made)
        return Cost(
            Interval.of(times).median_s if len(times) > 1 else times[0],
            made[0].messages,
            made[0].bytes,
            times if len(times) > 1 else (),
            sum(replica.stalled for replica in made),
        )

    def _replica(
        self,
        whole: _core.CollectiveCall,
        choice: _core.Choice,
        host_of_rank: list[int],
        variant: ReplicaVariant,
    ) -> _core.CallCost:
        compute = variant.platform["compute"]
        return _core.simulate_call(
            variant.hardware,
            variant.parameters,
            whole,
            choice,
            host_of_rank=host_of_rank,
            reduce_s_per_byte=compute["reduce_s_per_byte"],
            copy_s_per_byte=compute["copy_s_per_byte"],
            nonblocking_collective_s=compute["nonblocking_collective_s"],
            stop=self._stop,
        )

    def cautions(self, ranks: Iterable[int]) -> list[str]:
        """Limits of what is simulated here on so many ranks, a sentence each."""
        found = []
        sizes = set(ranks)
        load = max((max(self.placement(number).load) for number in sizes), default=1.0)
        if load > 1:
            found.append(
                f"more ranks than cores, up to {load:g} per core: what they wait for their turn is not in the times"
            )
        if self._inside_a_node(sizes):
            found.append(
                "all ranks are on one node, where no message crosses the network: --map node gives each its own"
            )
        if self.model == "fluid":
            found.append("model fluid has no protocol: small messages look faster than they are")
        if self.model == "loggps":
            found.append(
                "model loggps knows no contention between nodes: calls of many ranks look faster than they are"
            )
        return [*found, *caution_of_typical(self.platform, self.model)]

    def _inside_a_node(self, sizes: set[int]) -> bool:
        """Whether calls of several ranks all stay on one node of a platform that has others."""
        used = {self.placement(ranks).hosts_used for ranks in sizes if ranks > 1}
        return used == {1} and len(self.hardware.hosts) > 1

    def stop(self) -> None:
        """End experiments under way, and begin no more."""
        self._stop.set()
        self._workers.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def open(self) -> Iterator[Laboratory]:
        """Experiments under way end with the block, whatever ends it."""
        try:
            yield self
        finally:
            self._stop.set()
            self._workers.shutdown(cancel_futures=True)
