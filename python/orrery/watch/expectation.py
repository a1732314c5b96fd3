# SPDX-License-Identifier: BSD-3-Clause
"""Expected times: the calls and messages that occur, simulated where their ranks are."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Cost, Laboratory, Step
from orrery.errors import InputError
from orrery.evidence.expectation import expected_of_call
from orrery.evidence.statement import statement_of
from orrery.record.expected import ExpectedInterval
from orrery.watch.placed import WatchedRanks

MOST_MESSAGES = 20_000_000
"""Calls that would send more are not simulated."""
MOST_MESSAGES_MEANWHILE = 20_000
"""Limit while the program runs, which the simulation would disturb."""
_DIGITS = 5
_TURNS = 4


class Leg(NamedTuple):
    """A message, between two world ranks."""

    source: int
    target: int
    bytes: int


@dataclass(frozen=True)
class ExpectedTime:
    """An expected time in seconds, and the algorithm that it is of; or why there is none."""

    time_s: float | None
    algorithm: str = ""
    why_not: str = ""


@dataclass
class Expectation:
    """What a platform expects of ranks in their places. Each call is simulated once, and remembered."""

    laboratory: Laboratory
    selector: _core.Selector
    placed: WatchedRanks
    names: Sequence[str]
    """Names of the ranks' hosts."""
    _calls: dict[tuple[object, ...], tuple[Future[Cost] | None, str, str]] = field(default_factory=dict)
    _exchanges: dict[tuple[object, ...], float] = field(default_factory=dict)

    def begin(self, call: Call, members: Sequence[int], root: int, most_messages: int = MOST_MESSAGES) -> None:
        """Start the simulation of a collective call of these world ranks, unless it is under way or too large."""
        key = self._key(call, members, root)
        if key not in self._calls and (made := self._started(call, members, root, most_messages)) is not None:
            self._calls[key] = made

    def collective(self, call: Call, members: Sequence[int], root: int) -> ExpectedTime:
        """What has been begun."""
        found = self._calls.get(self._key(call, members, root))
        if found is None:
            return ExpectedTime(None, why_not="it is not simulated while the program runs")
        future, algorithm, why_not = found
        return ExpectedTime(None if future is None else future.result().time_s, algorithm, why_not)

    def message(self, size: int, source: int, target: int) -> float:
        """Seconds of one message between two world ranks, both ready."""
        hosts = self.placed.host_of_rank
        return self.laboratory.one_way(_rounded(size), *self.laboratory.alike(hosts[source], hosts[target]))

    def exchange(self, rank: int, legs: Sequence[Leg]) -> float:
        """Seconds until a world rank has completed its own of these messages, all of which start at once.

        Of several messages the mean of some turns: what a turn leaves in the queues is there in the next one.
        """
        if len(legs) == 1 and legs[0].target == rank:
            return self.message(legs[0].bytes, legs[0].source, rank)
        ranks = list(dict.fromkeys([rank, *(end for leg in legs for end in (leg.source, leg.target))]))
        placed = [Leg(ranks.index(leg.source), ranks.index(leg.target), _rounded(leg.bytes)) for leg in legs]
        key = (*sorted(placed), *self._shape(ranks))
        if key not in self._exchanges:
            self._exchanges[key] = self._simulated_exchange(ranks, sorted(placed))
        return self._exchanges[key]

    def range_of(self, kind: str, ranks: int, size: int, time_s: float) -> ExpectedInterval | None:
        """Where real times are expected; None for models without evidence. A message is a broadcast between two."""
        laboratory = self.laboratory
        if laboratory.model != "hybrid" or time_s <= 0:
            return None
        return expected_of_call(kind, ranks, size, time_s, statement=statement_of(laboratory.platform))

    def way(self, source: int, target: int) -> str:
        """Between two world ranks, in words."""
        hosts, hardware = self.placed.host_of_rank, self.laboratory.hardware
        first, second = hosts[source], hosts[target]
        if first == second:
            return "within a node"
        if hardware.cluster_of(first) != hardware.cluster_of(second):
            return "between clusters"
        return "between nodes" if hardware.cabinet_of(first) == hardware.cabinet_of(second) else "between cabinets"

    def name_of(self, host: int) -> str:
        """What a host of the platform, which has ranks, is called where they run."""
        return self.names[self.placed.host_of_rank.index(host)]

    def _started(
        self, call: Call, members: Sequence[int], root: int, most_messages: int
    ) -> tuple[Future[Cost] | None, str, str] | None:
        where = [self.placed.where[rank] for rank in members]
        try:
            whole = call.core(root, _core.Places(self.laboratory.hardware, where))
            choice = self.selector.choose(whole)
        except InputError as error:
            return None, "", str(error)
        messages = _core.estimated_messages(whole, choice)
        if messages > MOST_MESSAGES:
            return None, choice.algorithm, f"about {messages:,} messages are too many to simulate"
        if messages > most_messages:
            return None
        return self.laboratory.begin_at(whole, choice, where), choice.name, ""

    def _key(self, call: Call, members: Sequence[int], root: int) -> tuple[object, ...]:
        return (call, root, *self._shape(members))

    def _shape(self, ranks: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """How ranks share hosts and cabinets: equal for ranks that share them in the same way."""
        where, hosts = self.placed.where, self.placed.host_of_rank
        cabinet = self.laboratory.hardware.cabinet_of
        places: dict[int, int] = {}
        cabinets: dict[int, int] = {}
        return tuple(
            (places.setdefault(where[rank], len(places)), cabinets.setdefault(cabinet(hosts[rank]), len(cabinets)))
            for rank in ranks
        )

    def _simulated_exchange(self, ranks: Sequence[int], legs: Sequence[Leg]) -> float:
        """Ranks of `legs` are positions in `ranks`."""
        bodies: list[list[Step]] = [[] for _ in ranks]
        for source, target, size in legs:  # receives are posted before anything is sent
            bodies[target].append(("irecv", source, size, 1))
        for source, target, size in legs:
            bodies[source].append(("isend", target, size, 1))
        variant = self.laboratory.variants.of(self.laboratory.variants.seeds[0])
        turns = _core.simulate_loop(
            variant.hardware,
            variant.parameters,
            self.selector,
            [[*body, ("waitall", 0, 0, 1)] for body in bodies],
            _TURNS,
            host_of_rank=[self.placed.where[rank] for rank in ranks],
        )
        return fmean(turns[1:])


def _rounded(size: int) -> int:
    """To five binary digits, so that few sizes are simulated; at least a byte."""
    shift = max(0, size.bit_length() - _DIGITS)
    return max(1, (size + (1 << shift >> 1)) >> shift << shift)
