# SPDX-License-Identifier: BSD-3-Clause
"""Cliffs of a release: sizes and numbers of ranks at which it chooses another algorithm, and the time more than doubles or halves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from orrery.published import UNWRITTEN, published
from orrery.tune.turns import CallTime, CallTimer, PendingCall, PlacedCall
from orrery.tune.uses import CallUse

STEEP = 2.0
"""Ratio of the times on both sides from which on it is a cliff."""
_AROUND = 2
"""Sizes up to so many times that of a program's call, and down to as small a part, are around it."""

Along = Literal["bytes", "ranks"]


@dataclass(frozen=True)
class Jump:
    """Neighbours for which a release chooses other algorithms."""

    along: Along
    side: int
    """The first release or the second."""
    before: PlacedCall
    after: PlacedCall
    """One more element, or one more rank."""
    use: CallUse | None = None
    """The program's calls that are near."""


@dataclass(frozen=True, kw_only=True)
class CliffEdge:
    """One side of a cliff."""

    ranks: int
    bytes: int
    algorithm: str
    time_s: float


@dataclass(frozen=True, kw_only=True)
class CliffDistance:
    """Where a program is, beside a cliff."""

    ranks: int
    bytes: int
    calls: int
    distance: int
    """Bytes, or ranks, to the other side."""
    on_the_slow_side: bool
    at_stake_s: float
    """Between both sides, over a run."""


@dataclass(frozen=True, kw_only=True)
class Cliff:
    """Two neighbouring sizes or numbers of ranks where the algorithm changes, and the time more than doubles or halves."""

    collective: str
    along: Along
    """What differs by one: `bytes` (by an element of a reduction) or `ranks`."""
    releases: tuple[str, ...]
    """That have it."""
    before: CliffEdge
    after: CliffEdge
    other_s: float | None
    """What the slow side would take by the algorithm of the quick one; None: that one does not serve the call."""
    use: CallUse | None = field(default=None, repr=False, metadata=UNWRITTEN)

    @property
    def slow(self) -> CliffEdge:
        """The side that takes more."""
        return max(self.before, self.after, key=lambda edge: edge.time_s)

    @property
    def quick(self) -> CliffEdge:
        """The other one."""
        return min(self.after, self.before, key=lambda edge: edge.time_s)

    @property
    @published
    def factor(self) -> float:
        """How many times as long the slow side takes."""
        return self.slow.time_s / self.quick.time_s

    @property
    @published
    def program(self) -> CliffDistance | None:
        """Where the program is; None: there is none."""
        if self.use is None or self.use.calls is None:
            return None
        call = self.use.placed.call
        at, low, high = (
            (call.size, self.before.bytes, self.after.bytes)
            if self.along == "bytes"
            else (call.ranks, self.before.ranks, self.after.ranks)
        )
        return CliffDistance(
            ranks=call.ranks,
            bytes=call.size,
            calls=self.use.calls,
            distance=high - at if at <= low else at - low,
            on_the_slow_side=(at >= high) == (self.slow is self.after),
            at_stake_s=self.use.calls * (self.slow.time_s - self.quick.time_s),
        )


def jumps_of_calls(turns: CallTimer, calls: Sequence[PlacedCall]) -> list[Jump]:
    """All jumps between the sizes of `calls`, and between all numbers of ranks up to the largest of them.

    Args:
        turns: who is asked what both releases choose.
        calls: of each kind the same sizes on the same numbers of ranks.
    Cost: two choices for each kind, size and number of ranks.
    """
    found = []
    for side in (0, 1):
        for row in _rows(calls):
            for low, high in pairwise(row):
                found += [Jump("bytes", side, *pair) for pair in _between(turns, side, low, high)]
    most = max(placed.call.ranks for placed in calls)
    alike = dict.fromkeys(replace(placed.call, ranks=2) for placed in calls)
    for side in (0, 1):
        for call in alike:
            row = [turns.placed(replace(call, ranks=ranks)) for ranks in range(2, most + 1)]
            found += [Jump("ranks", side, *pair) for pair in pairwise(row) if _differs(turns, side, *pair)]
    return found


def jumps_of_program(turns: CallTimer, uses: Iterable[CallUse]) -> list[Jump]:
    """For each use the next jump to smaller sizes and the next one to larger ones, up to half and twice the size; and those to one
    rank fewer, or more.
    """
    return [
        Jump(along, side, *pair, use=use)
        for use in uses
        for side in (0, 1)
        for along, pair in [*_next_sizes(turns, side, use.placed), *_next_ranks(turns, side, use.placed)]
    ]


def _rows(calls: Iterable[PlacedCall]) -> Iterator[list[PlacedCall]]:
    """By kind and number of ranks, in ascending sizes."""
    rows: dict[PlacedCall, list[PlacedCall]] = {}
    for placed in calls:
        rows.setdefault(replace(placed, call=replace(placed.call, size=0)), []).append(placed)
    for row in rows.values():
        yield sorted(row, key=lambda placed: placed.call.size)


def _next_sizes(
    turns: CallTimer, side: int, placed: PlacedCall
) -> Iterator[tuple[Along, tuple[PlacedCall, PlacedCall]]]:
    size, element = placed.call.size, placed.call.element
    if size == 0:
        return
    lower = _sized(placed, -(-size // _AROUND // element) * element)
    below = list(_between(turns, side, lower, placed))
    above = list(_between(turns, side, placed, _sized(placed, _AROUND * size)))
    if below:
        yield "bytes", below[-1]
    if above:
        yield "bytes", above[0]


def _next_ranks(
    turns: CallTimer, side: int, placed: PlacedCall
) -> Iterator[tuple[Along, tuple[PlacedCall, PlacedCall]]]:
    """Neighbours along ranks of a call by the first ranks; nobody knows where other communicators would grow."""
    call = placed.call
    if placed != turns.placed(call, placed.root):
        return
    if call.ranks > 2 and placed.root < call.ranks - 1:
        fewer = turns.placed(replace(call, ranks=call.ranks - 1), placed.root)
        if _differs(turns, side, fewer, placed):
            yield "ranks", (fewer, placed)
    placement = turns.laboratory.placement
    if placement(call.ranks).oversubscribed or not placement(call.ranks + 1).oversubscribed:
        more = turns.placed(replace(call, ranks=call.ranks + 1), placed.root)
        if _differs(turns, side, placed, more):
            yield "ranks", (placed, more)


def _between(turns: CallTimer, side: int, low: PlacedCall, high: PlacedCall) -> Iterator[tuple[PlacedCall, PlacedCall]]:
    """Neighbouring sizes with other choices, between two that choose differently. Where a band between both ends chooses as
    neither does, its ends are found, too, as far as bisection meets it.
    """
    element = low.call.element
    while _differs(turns, side, low, high):
        below, above = low.call.size // element, high.call.size // element
        while above - below > 1:
            middle = (below + above) // 2
            if _differs(turns, side, low, _sized(low, middle * element)):
                above = middle
            else:
                below = middle
        at = _sized(low, above * element)
        yield _sized(low, below * element), at
        low = at


def _sized(placed: PlacedCall, size: int) -> PlacedCall:
    return replace(placed, call=replace(placed.call, size=size))


def _differs(turns: CallTimer, side: int, placed: PlacedCall, other: PlacedCall) -> bool:
    return turns.choice(side, placed).name != turns.choice(side, other).name


def cliff_of(turns: CallTimer, jump: Jump, begun: Iterable[PendingCall]) -> Cliff | None:
    """What a jump is once both sides are timed; None: it is no cliff."""
    before, after = (loop.result() for loop in begun)
    slow, quick = max(before.time_s, after.time_s), min(before.time_s, after.time_s)
    if slow <= STEEP * quick:
        return None
    lower, upper = (
        _edge(turns, jump.side, placed, taken) for placed, taken in ((jump.before, before), (jump.after, after))
    )
    slower, other = (jump.after, lower) if after.time_s > before.time_s else (jump.before, upper)
    side = 0 if turns.alike(jump.before) and turns.alike(jump.after) else jump.side
    by_other = turns.begin_by(side, slower, other.algorithm)
    other_s = None if by_other is None else by_other.result().time_s
    if _leaves_the_node(turns, jump) and (other_s is None or slow <= STEEP * other_s):
        return None
    return Cliff(
        collective=jump.before.call.kind,
        along=jump.along,
        releases=(turns.sides[jump.side].name,),
        before=lower,
        after=upper,
        other_s=other_s,
        use=jump.use,
    )


def _leaves_the_node(turns: CallTimer, jump: Jump) -> bool:
    """Whether ranks before it are on one node, and after it on several: times grow there whatever the algorithm."""
    if jump.along == "bytes":
        return False
    nodes = [turns.laboratory.placement(placed.call.ranks).hosts_used for placed in (jump.before, jump.after)]
    return nodes[0] == 1 < nodes[1]


def merged(cliffs: Iterable[Cliff]) -> list[Cliff]:
    """Cliffs of both releases as one; the steepest first, and in a program those with most at stake."""
    found: dict[Cliff, tuple[str, ...]] = {}
    for cliff in cliffs:
        same = replace(cliff, releases=())
        found[same] = (*found.get(same, ()), *cliff.releases)
    every = [replace(cliff, releases=releases) for cliff, releases in found.items()]
    return sorted(every, key=lambda cliff: (-cliff.program.at_stake_s if cliff.program else 0.0, -cliff.factor))


def _edge(turns: CallTimer, side: int, placed: PlacedCall, taken: CallTime) -> CliffEdge:
    name = turns.choice(side, placed).name
    return CliffEdge(ranks=placed.call.ranks, bytes=placed.call.size, algorithm=name, time_s=taken.time_s)
