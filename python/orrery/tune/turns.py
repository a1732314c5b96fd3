# SPDX-License-Identifier: BSD-3-Clause
"""What calls take by the algorithms of two releases, simulated in loops with a barrier.

All loops have the same barrier, dissemination, which serves any number of ranks, so that they differ in the call alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import TimedLoop
from orrery.collective.selector import selector_named
from orrery.comparison.selectors import SelectorSide
from orrery.tune.timing import BARRIER, Length, call_s, turn_of, workers

_FENCE = "barrier=dissemination"
_LENGTH = Length(warm=1, first=4, least=1, most=100, messages=20_000)
_MOST_COMPARED = 200_000
"""Messages, about. Algorithms that send more are not made of other calls, so that the name says all."""


@dataclass(frozen=True)
class PlacedCall:
    """A call of ranks in given places."""

    call: Call
    where: tuple[int, ...]
    """Place of each rank, as the core numbers places."""
    root: int = 0

    @property
    def loops_as(self) -> Call:
        """The call as a loop makes it: with an operation of MPI's own, not in place, of elements without gaps."""
        return Call(self.call.kind, self.call.size, self.call.ranks, type_size=self.call.element)


@dataclass(frozen=True)
class CallTime:
    """What one call takes."""

    time_s: float
    """Without the barrier."""
    half_width_s: float
    """Half of the interval of 95 % of the turn's mean."""


@dataclass(frozen=True)
class PendingCall:
    """A call that is being timed."""

    turn: Future[TimedLoop]
    fence: Future[TimedLoop] | None
    """None: the call is a barrier itself."""

    def result(self) -> CallTime:
        """Wait for it."""
        turn = self.turn.result()
        fence_s = 0.0 if self.fence is None else self.fence.result().mean_s
        return CallTime(call_s(turn.mean_s, fence_s), turn.half_width_s)


class CallTimer:
    """Calls on a platform by the algorithms of two releases. What sends the same messages is timed once."""

    def __init__(self, laboratory: Laboratory, sides: Sequence[SelectorSide]) -> None:
        """Raises InputError for a release or rules that cannot be used."""
        self.laboratory = laboratory
        self.sides = sides
        self._selectors: dict[tuple[int, str], _core.Selector] = {}
        self._places: dict[tuple[int, ...], _core.Places] = {}
        self._choices: dict[tuple[int, PlacedCall], _core.Choice] = {}
        self._alike: dict[PlacedCall, bool] = {}
        self._begun: dict[tuple[int, PlacedCall, str], PendingCall] = {}
        self._fences: dict[tuple[int, ...], Future[TimedLoop]] = {}
        self._workers = workers()
        for side in range(len(sides)):
            self._selector(side, "")

    def placed(self, call: Call, root: int = 0) -> PlacedCall:
        """The call by the first ranks, as the mapping places them."""
        return PlacedCall(call, tuple(self.laboratory.placement(call.ranks).where), root)

    def choice(self, side: int, placed: PlacedCall) -> _core.Choice:
        """What a release chooses. Raises InputError where no algorithm serves the call."""
        key = (side, placed)
        if key not in self._choices:
            self._choices[key] = self._selector(side, "").choose(self._whole(placed))
        return self._choices[key]

    def alike(self, placed: PlacedCall) -> bool:
        """Whether both releases send the same messages: those that algorithms are made of may differ where names do not."""
        if placed not in self._alike:
            first, second = (self.choice(side, placed) for side in (0, 1))
            self._alike[placed] = first.name == second.name and self._same_messages(placed, first, second)
        return self._alike[placed]

    def serves(self, side: int, placed: PlacedCall) -> bool:
        """Whether a loop can make the call by the algorithm that the release chooses."""
        name = self.choice(side, placed).name
        return self._looped(side, placed, "").choose(self._whole(placed, loops=True)).name == name

    def begin(self, side: int, placed: PlacedCall) -> PendingCall:
        """Time a call by what a release chooses."""
        return self._begin(0 if self.alike(placed) else side, placed, "")

    def begin_by(self, side: int, placed: PlacedCall, algorithm: str) -> PendingCall | None:
        """Time a call by an algorithm that is named; None: it does not serve the call."""
        choice = self._looped(side, placed, algorithm).choose(self._whole(placed, loops=True))
        return self._begin(side, placed, algorithm) if choice.name == algorithm else None

    def _begin(self, side: int, placed: PlacedCall, algorithm: str) -> PendingCall:
        key = (side, placed, algorithm)
        if key not in self._begun:
            fence = None if placed.call.kind == BARRIER else self._fence(placed.where)
            self._begun[key] = PendingCall(self._submit(placed, self._looped(side, placed, algorithm)), fence)
        return self._begun[key]

    def messages(self, side: int, placed: PlacedCall) -> int:
        """How many a call sends by what a release chooses, about."""
        return _core.estimated_messages(self._whole(placed), self.choice(side, placed))

    @contextmanager
    def open(self) -> Iterator[CallTimer]:
        """Loops under way end with the block, whatever ends it."""
        with self.laboratory.open():
            try:
                yield self
            finally:
                self._workers.shutdown(wait=False, cancel_futures=True)

    def stop(self) -> None:
        """End loops under way, and begin no more."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self.laboratory.stop()

    def selector(self, side: int) -> _core.Selector:
        """What chooses algorithms for a release."""
        return self._selector(side, "")

    def _selector(self, side: int, fixed: str) -> _core.Selector:
        key = (side, fixed)
        if key not in self._selectors:
            release = self.sides[side]
            self._selectors[key] = selector_named(release.selector, fixed, release.rules)
        return self._selectors[key]

    def _looped(self, side: int, placed: PlacedCall, algorithm: str) -> _core.Selector:
        """Who chooses in a loop. What a loop cannot say of a call, such as its operation, would let others be chosen."""
        kind = placed.call.kind
        plain = placed.loops_as == placed.call or self._plain_choice(side, placed) == self.choice(side, placed).name
        name = algorithm or ("" if plain else self.choice(side, placed).name)
        fixed = [f"{kind}={name}"] if name else []
        return self._selector(side, ",".join([*fixed, *([_FENCE] if kind != BARRIER else [])]))

    def _plain_choice(self, side: int, placed: PlacedCall) -> str:
        return self.choice(side, PlacedCall(placed.loops_as, placed.where, placed.root)).name

    def _same_messages(self, placed: PlacedCall, first: _core.Choice, second: _core.Choice) -> bool:
        whole = self._whole(placed)
        if _core.estimated_messages(whole, first) > _MOST_COMPARED:
            return True
        return _core.collective_messages(whole, first) == _core.collective_messages(whole, second)

    def _whole(self, placed: PlacedCall, *, loops: bool = False) -> _core.CollectiveCall:
        if placed.where not in self._places:
            self._places[placed.where] = _core.Places(self.laboratory.hardware, placed.where)
        call = placed.loops_as if loops else placed.call
        return call.core(placed.root, self._places[placed.where])

    def _fence(self, where: tuple[int, ...]) -> Future[TimedLoop]:
        if where not in self._fences:
            placed = PlacedCall(Call(BARRIER, 0, len(where)), where)
            self._fences[where] = self._submit(placed, self._selector(0, _FENCE))
        return self._fences[where]

    def _submit(self, placed: PlacedCall, selector: _core.Selector) -> Future[TimedLoop]:
        return self._workers.submit(
            turn_of,
            placed.loops_as,
            self._whole(placed, loops=True),
            selector,
            self.laboratory,
            _LENGTH,
            root=placed.root,
            where=placed.where,
        )
