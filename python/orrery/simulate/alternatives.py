# SPDX-License-Identifier: BSD-3-Clause
"""What other algorithms would have cost in a run: its most expensive collective calls, each simulated by itself."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from orrery import _core
from orrery.collective.call import ROOTED, Call
from orrery.collective.laboratory import Cost, Laboratory
from orrery.collective.predict import usual_segments, variants
from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.record.document import Record
from orrery.simulate.costly_calls import CallGroup, costly_calls
from orrery.trace.collective_sums import CollectiveSums, read_collective_sums
from orrery.units import show_bytes

MOST_MESSAGES = 1_000_000
"""That are simulated in all: a second or two. So what is left out does not depend on this host's load."""
MOST_S = 30.0
"""Seconds on this host after which no more is simulated, should messages of a platform cost far more than usual."""
_NOISY_REPLICAS = 3
_MODELS: dict[str, Model] = {"hybrid": "hybrid", "loggps": "loggps", "fluid": "fluid"}


@dataclass(frozen=True, kw_only=True)
class CostlyCall:
    """Calls of a run that are alike, and what one of them costs by each algorithm."""

    kind: str
    ranks: int
    """Size of the communicator."""
    bytes: int
    calls: int
    """Calls of each rank that takes part, in the mean."""
    time_s: float
    """In the run: seconds in these calls, mean of the ranks that take part; waiting for others is in it."""
    chosen: str
    """Algorithm that ran."""
    costs: dict[str, Cost]
    """Cost of one call alone, which all ranks enter at one moment, by algorithm; that of `chosen` is among them."""
    left_out: int = 0
    """Algorithms that were not simulated."""

    @property
    def fastest(self) -> str:
        """The algorithm that takes least; the one that ran where no other is faster by more than noise.

        It is the best of many, and looked at as if it were the only one: on a noisy platform one is named by chance more
        often than in 5 % of cases.
        """
        best = min(self.costs, key=lambda name: self.costs[name].time_s)
        return best if self.saves_s(best) > 0 else self.chosen

    def saves_s(self, algorithm: str) -> float:
        """Seconds that the calls would take less by another algorithm, as an estimate; negative: more; 0: within noise."""
        chosen, other = self.costs[self.chosen], self.costs[algorithm]
        if chosen.replicas_s and other.replicas_s:
            from orrery.noise.basis import NoiseBasis

            draws = NoiseBasis("pairs", "in draws of the platform's noise")
            if draws.verdict(chosen.replicas_s, other.replicas_s) != "apart":
                return 0.0
        return self.calls * (chosen.time_s - other.time_s)


@dataclass(frozen=True, kw_only=True)
class Option:
    """An algorithm for all calls of a collective, whatever their size: what `--coll` fixes."""

    kind: str
    algorithm: str
    instead_of: tuple[str, ...]
    """Algorithms that ran."""
    saves_s: float
    """Seconds by which the calls that were looked at would be shorter, as an estimate; other sizes are not in it."""


@dataclass(frozen=True, kw_only=True)
class Alternatives:
    """The most expensive calls of a run, by decreasing time."""

    calls: list[CostlyCall] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What was not simulated."""
    why_none: str | None = None
    """Why nothing could be simulated."""

    @property
    def options(self) -> list[Option]:
        """For each collective its best option, if it saves time; the best first."""
        kinds = dict.fromkeys(call.kind for call in self.calls)
        found = [_best_option([call for call in self.calls if call.kind == kind]) for kind in kinds]
        return sorted((option for option in found if option is not None), key=lambda option: -option.saves_s)


def alternatives(record: Record, trace: Path) -> Alternatives:
    """Simulate the collective calls that cost most in a run, each alone, with every algorithm that serves it.

    That is on the platform of the run, with its model and its places of ranks. It simulates `MOST_MESSAGES` at most; after
    Ctrl-C, what was simulated by then is given.

    Args:
        record: of a run or a replay.
        trace: that it recorded.
    Raises:
        InputError: the trace cannot be read.
    """
    sums = read_collective_sums(trace)
    if (why := _why_none(record, sums)) is not None:
        return Alternatives(why_none=why)
    try:
        laboratory = Laboratory(
            record.platform_file,
            _MODELS[record.model],
            record.mapping,
            replicas=_NOISY_REPLICAS if record.noisy else 1,
            seed=record.seed,
            sharing_error=record.sharing_error,
            force=True,
            said=False,
        )
        where = laboratory.placement(record.ranks).where
    except InputError as error:
        return Alternatives(why_none=f"the platform cannot be used any more: {error}")
    groups, left_out = costly_calls(sums, where, record.simulated_s)
    with laboratory.open():
        calls, more = _simulated(groups, laboratory)
    return Alternatives(calls=calls, left_out=[*left_out, *more])


def _why_none(record: Record, sums: CollectiveSums) -> str | None:
    if record.cause is not None:
        return "the run did not come to its end"
    if record.jobs:
        return "several jobs share the platform, where no call is alone"
    if sums.spawned:
        return "the program started ranks of its own, which share the platform"
    if record.model not in _MODELS:
        return f"the network of model {record.model} costs nothing"
    return None


@dataclass
class _AlternativesPlan:
    """Experiments with one group."""

    group: CallGroup
    whole: _core.CollectiveCall
    chosen: _core.Choice
    others: list[tuple[int, _core.Choice]]
    """All other algorithms, each with about how many messages it sends."""
    under_way: dict[str, Future[Cost]] = field(default_factory=dict)

    @classmethod
    def of(cls, group: CallGroup, hardware: _core.Platform) -> _AlternativesPlan:
        """Nothing is under way yet."""
        longest = group.longest
        whole = _core.CollectiveCall(
            longest.kind,
            size=len(group.where),
            bytes=longest.bytes,
            root=longest.root if longest.kind in ROOTED else 0,
            element=max(1, longest.element),
            extent=longest.extent,
            commutative=longest.commutative,
            built_in=longest.built_in,
            in_place=longest.in_place,
            places=_core.Places(hardware, group.where),
        )
        chosen = _core.Selector("default", f"{longest.kind}={longest.ran}").choose(whole)
        every = variants(Call(longest.kind, longest.bytes, len(group.where)), whole, usual_segments(longest.bytes))
        others = {choice.name: choice for choice in every if choice.name != chosen.name}
        return cls(
            group, whole, chosen, [(_core.estimated_messages(whole, choice), choice) for choice in others.values()]
        )

    def begin(self, choice: _core.Choice, laboratory: Laboratory) -> None:
        """Start an experiment."""
        self.under_way[choice.name] = laboratory.begin_at(self.whole, choice, self.group.where)

    def outcome(self) -> CostlyCall | None:
        """What came of it; None: nothing that could be compared, though there is more than one algorithm."""
        ended = (
            (name, future)
            for name, future in self.under_way.items()
            if future.done() and not future.cancelled() and not future.exception()
        )
        costs = {name: future.result() for name, future in ended}
        if self.chosen.name not in costs or (len(costs) == 1 and self.others):
            return None
        group = self.group
        return CostlyCall(
            kind=group.longest.kind,
            ranks=len(group.where),
            bytes=group.longest.bytes,
            calls=round(group.calls / group.ranks),
            time_s=group.time_s / group.ranks,
            chosen=self.chosen.name,
            costs=costs,
            left_out=1 + len(self.others) - len(costs),
        )


def _simulated(groups: Sequence[CallGroup], laboratory: Laboratory) -> tuple[list[CostlyCall], list[str]]:
    """What each group costs by each algorithm, and what was left out."""
    until = monotonic() + MOST_S
    plans = [_AlternativesPlan.of(group, laboratory.hardware) for group in groups]
    _begin(plans, laboratory)
    under_way = [future for plan in plans for future in plan.under_way.values()]
    interrupted = False
    try:
        wait(under_way, timeout=max(0.0, until - monotonic()))
    except KeyboardInterrupt:
        interrupted = True
    laboratory.stop()
    wait([future for future in under_way if not future.cancelled()])
    outcomes = [(plan.group, plan.outcome()) for plan in plans]
    left_out = _left_out(outcomes)
    return [call for _, call in outcomes if call is not None], [
        *left_out,
        "what Ctrl-C left",
    ] if interrupted else left_out


def _begin(plans: Sequence[_AlternativesPlan], laboratory: Laboratory) -> None:
    """Start experiments that send `MOST_MESSAGES` together: first what ran, of each group, then what sends least."""
    messages_left = MOST_MESSAGES // len(laboratory.variants.seeds)
    begun = []
    for plan in plans:
        messages = _core.estimated_messages(plan.whole, plan.chosen)
        if messages <= messages_left // 2:
            plan.begin(plan.chosen, laboratory)
            messages_left -= messages
            begun.append(plan)
    others = ((messages, plan, choice) for plan in begun for messages, choice in plan.others)
    for messages, plan, choice in sorted(others, key=lambda other: other[0]):
        if messages <= messages_left:
            plan.begin(choice, laboratory)
            messages_left -= messages


def _left_out(outcomes: Sequence[tuple[CallGroup, CostlyCall | None]]) -> list[str]:
    found = []
    if missing := [
        f"{group.longest.kind} of {show_bytes(group.longest.bytes)}" for group, call in outcomes if call is None
    ]:
        found.append(f"{', '.join(missing)}, which would take too long")
    if algorithms := sum(call.left_out for _, call in outcomes if call is not None):
        found.append(f"{algorithms:,} algorithms, which would take too long")
    return found


def _best_option(calls: Sequence[CostlyCall]) -> Option | None:
    """The option that saves most time in calls of one collective; None: no option saves any."""
    best: Option | None = None
    for name in dict.fromkeys(name for call in calls for name in call.costs):
        if not all(name in call.costs for call in calls):
            continue
        saves_s = sum(call.saves_s(name) for call in calls)
        if saves_s > (0.0 if best is None else best.saves_s):
            instead_of = tuple(dict.fromkeys(call.chosen for call in calls))
            best = Option(kind=calls[0].kind, algorithm=name, instead_of=instead_of, saves_s=saves_s)
    return best
