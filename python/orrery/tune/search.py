# SPDX-License-Identifier: BSD-3-Clause
"""How long calls take by each algorithm of a library, simulated in loops with a barrier.

The barrier is that of the library's own choice for all algorithms, so that they differ in the call only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import TimedLoop
from orrery.collective.predict import usual_segments, variants
from orrery.tune.commuting import right_for_all
from orrery.tune.library import AlgorithmVariant, Library
from orrery.tune.timing import BARRIER, Length, call_s, turn_of, workers

LENGTH = Length(warm=2, first=20, least=3, most=40, messages=2_000_000)


class Loop(NamedTuple):
    """One loop that is timed."""

    collective: str
    ranks: int
    bytes: int
    algorithm: str
    """As `--coll` has it."""


@dataclass(frozen=True, kw_only=True)
class CellTimes:
    """What is known of one cell: a collective, a number of ranks and a size."""

    case: LoopCase
    default: str
    """What the library chooses, as `--coll` has it."""
    times: dict[str, float]
    """Seconds of a call by each algorithm, as `--coll` has it; that of the library's own choice is among them."""
    variants: dict[str, AlgorithmVariant]
    """The library's names of them, as far as its settings can name them."""
    barrier_s: float = 0.0
    """Seconds of the barrier behind each call, which is taken off; 0: the call is a barrier."""
    others: dict[str, float] = field(default_factory=dict)
    """Seconds of a call by algorithms that the library does not have, or cannot be told."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Algorithms that would have sent too many messages, and how many."""

    @property
    def default_s(self) -> float:
        """Seconds by the library's own choice."""
        return self.times[self.default]

    @property
    def best(self) -> str:
        """The quickest that settings can name, or the library's own choice where none is quicker."""
        usable = [name for name in self.times if name in self.variants or name == self.default]
        return min(usable, key=lambda name: (self.times[name], name != self.default))

    @property
    def gain(self) -> float:
        """How many times as long as the quickest the library's own choice takes."""
        return self.default_s / self.times[self.best]


@dataclass(frozen=True, kw_only=True)
class SearchScope:
    """What is simulated, and how much of it."""

    library: Library
    segments: tuple[int, ...] | None = None
    """Bytes; None: several that suit the size."""
    most_messages: int = 20_000_000
    """Algorithms that would send more in one call are left out."""
    others: bool = False
    """Simulate algorithms that the library does not have, too."""
    any_operation: bool = False
    """Only algorithms that are right for operations that do not commute, where rules cannot tell these apart."""
    budget_s: float | None = None
    """Then no further loop is begun; None: all are."""


def search(
    cases: Sequence[LoopCase],
    wanted: SearchScope,
    laboratory: Laboratory,
    kept: LoopStore[Loop] | None = None,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> list[CellTimes]:
    """Simulate all algorithms of all cells; in the order of the cases, fewer where Ctrl-C came or the time was over.

    Args:
        cases: the cells.
        wanted: which algorithms.
        laboratory: the platform.
        kept: loops that were timed before are taken from there, others are added.
        advanced: is told how many loops are there, and of how many.
    Raises:
        InputError: a call cannot be simulated, or the file of `kept` cannot be used.
    """
    selector = wanted.library.selector()
    plans = [_plan(case, wanted, laboratory, selector) for case in cases]
    there = {} if kept is None else kept.read()
    total = sum(len(plan.names) for plan in plans)
    loops = _LoopPool(laboratory, wanted, there, kept)
    found: list[CellTimes] = []
    done = 0
    with loops.open():
        try:
            for plan, futures in [(plan, loops.begin(plan.case, plan.names)) for plan in plans]:
                times = {name: future.result() for name, future in futures.items()}
                if any(timing is None for timing in times.values()):
                    break
                found.append(
                    plan.found({name: timing.mean_s for name, timing in times.items() if timing is not None}, loops)
                )
                done += len(futures)
                advanced(done, total)
        except KeyboardInterrupt:
            laboratory.stop()
    return found


@dataclass(frozen=True)
class _CellPlan:
    case: LoopCase
    default: str
    variants: dict[str, AlgorithmVariant]
    others: list[str]
    left_out: dict[str, int]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([self.default, *self.variants, *self.others]))

    def found(self, turns: dict[str, float], loops: _LoopPool) -> CellTimes:
        barrier_s = 0.0 if self.case.test == BARRIER else loops.barrier_s(self.case.ranks)
        times = {name: call_s(turn_s, barrier_s) for name, turn_s in turns.items()}
        others = {name: times.pop(name) for name in self.others}
        return CellTimes(
            case=self.case,
            default=self.default,
            times=times,
            variants=self.variants,
            barrier_s=barrier_s,
            others=others,
            left_out=self.left_out,
        )


def _plan(case: LoopCase, wanted: SearchScope, laboratory: Laboratory, selector: _core.Selector) -> _CellPlan:
    call = case.call
    whole = laboratory.whole(call)
    default = laboratory.chosen(selector, call).name
    segments = usual_segments(call.size) if wanted.segments is None else wanted.segments
    settable = {
        variant.ours: variant
        for variant in wanted.library.variants(whole, case.test, call.size, segments)
        if not wanted.any_operation or right_for_all(wanted.library, case.test, variant.name)
    }
    every = [choice.name for choice in variants(call, whole, segments)] if wanted.others else []
    left_out: dict[str, int] = {}
    kept: list[str] = []
    for name in dict.fromkeys([*settable, *every]):
        choice = wanted.library.selector(f"{case.test}={name}").choose(whole)
        messages = _core.estimated_messages(whole, choice)
        if messages > wanted.most_messages and name != default:
            left_out[name] = messages
        else:
            kept.append(name)
    return _CellPlan(
        case,
        default,
        {name: settable[name] for name in kept if name in settable},
        [name for name in kept if name not in settable and name != default],
        left_out,
    )


class _LoopPool:
    """Loops under way, on all cores of this machine; what they give does not depend on that."""

    def __init__(
        self, laboratory: Laboratory, wanted: SearchScope, there: dict[Loop, TimedLoop], kept: LoopStore[Loop] | None
    ) -> None:
        self._laboratory = laboratory
        self._wanted = wanted
        self._there = there
        self._kept = kept
        self._until = None if wanted.budget_s is None else monotonic() + wanted.budget_s
        self._barriers: dict[int, float] = {}
        self._workers = workers()

    @contextmanager
    def open(self) -> Iterator[None]:
        """Loops under way end with the block."""
        try:
            yield
        finally:
            self._workers.shutdown(cancel_futures=True)

    def begin(self, case: LoopCase, names: Iterable[str]) -> dict[str, Future[TimedLoop | None]]:
        return {name: self._workers.submit(self._time, case, name) for name in names}

    def barrier_s(self, ranks: int) -> float:
        if ranks not in self._barriers:
            case = LoopCase(BARRIER, ranks, 0)
            selector = self._wanted.library.selector()
            own = self._laboratory.chosen(selector, case.call).name
            timed_ = self._simulated(case, own)
            self._barriers[ranks] = timed_.mean_s
        return self._barriers[ranks]

    def _time(self, case: LoopCase, name: str) -> TimedLoop | None:
        if self._until is not None and monotonic() > self._until:
            return self._there.get(Loop(*case, name))
        return self._simulated(case, name)

    def _simulated(self, case: LoopCase, name: str) -> TimedLoop:
        loop = Loop(*case, name)
        if loop not in self._there:
            selector = self._wanted.library.selector(f"{case.test}={name}")
            whole = self._laboratory.whole(case.call)
            self._there[loop] = turn_of(case.call, whole, selector, self._laboratory, LENGTH)
            if self._kept is not None:
                self._kept.add(loop, self._there[loop])
        return self._there[loop]


def cells_of(found: Iterable[CellTimes]) -> Iterator[tuple[str, int, list[CellTimes]]]:
    """Collective, number of ranks, and what is known of their sizes, in ascending order."""
    rows: dict[tuple[str, int], list[CellTimes]] = {}
    for cell in found:
        rows.setdefault((cell.case.test, cell.case.ranks), []).append(cell)
    for (kind, ranks), row in sorted(rows.items()):
        yield kind, ranks, sorted(row, key=lambda cell: cell.case.bytes)
