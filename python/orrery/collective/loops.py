# SPDX-License-Identifier: BSD-3-Clause
"""Loops of calls as benchmarks time them, simulated: turns follow each other without a pause, and overlap where nothing keeps ranks
together.

Source: Khan 2011, section 3.3: a few turns to warm up, then many; the time of one is the mean. In the
loop of a collective a barrier follows each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from orrery import _core
from orrery.collective.call import ROOTED, Call
from orrery.collective.laboratory import Laboratory, Step
from orrery.noise.student import error_of_mean

WINDOW = 64
"""Messages that are under way at once where bandwidth and rate are measured, as OSU's benchmarks have it."""
_ANSWER_BYTES = 4
_FIRST_TURNS = 20
_MORE = 7
_SURE = 0.02
_QUANTILE = 1.96
"""Quantile of the normal distribution, for an interval of 95 %: both decide when a loop is long enough, as in loops on real MPIs
(`src/measure/suite/main.c`), not whether two times differ."""

Bodies = list[list[Step]]
"""For each rank what it does in each turn."""


@dataclass(frozen=True)
class TimedLoop:
    """A loop that was timed."""

    turns: int
    """Those that were timed."""
    mean_s: float
    """Mean time of one turn."""
    half_width_s: float
    """Half of the interval of 95 % of that mean."""

    @property
    def sure(self) -> bool:
        """Whether that is below 2 % of the mean."""
        return self.half_width_s <= _SURE * self.mean_s

    @classmethod
    def of(cls, times: list[float]) -> TimedLoop:
        """From the times of all turns, in seconds; at least one."""
        return cls(len(times), fmean(times), _QUANTILE * error_of_mean(times))


def timed(
    bodies: Bodies,
    laboratory: Laboratory,
    selector: _core.Selector,
    *,
    warm: int = 3,
    first_turns: int = _FIRST_TURNS,
    most_turns: int = 1000,
    where: Sequence[int] | None = None,
) -> TimedLoop:
    """Simulate a loop until the mean of its turns is known to 2 %, `most_turns` at most.

    Args:
        bodies: for each rank what it does in each turn.
        laboratory: the platform.
        selector: who chooses algorithms of collectives.
        warm: turns before those that are timed.
        first_turns: those that are timed at least; where their mean is not sure, there are seven times as many, and so on.
        most_turns: those that are timed at most.
        where: the place of each rank; None: as the mapping places them.
    Raises:
        InputError: it cannot be simulated.
    """
    turns = min(first_turns, most_turns)
    while True:
        found = TimedLoop.of(laboratory.turns(bodies, warm + turns, selector, where)[warm:])
        if found.sure or turns == most_turns:
            return found
        turns = min(_MORE * turns, most_turns)


def ping_pong(size: int, ranks: int = 2) -> Bodies:
    """Ranks 0 and 1 send a message to each other, in turn; others do nothing."""
    there: list[Step] = [("send", 1, size, 1), ("recv", 1, size, 1)]
    back: list[Step] = [("recv", 0, size, 1), ("send", 0, size, 1)]
    return [there, back, *([] for _ in range(ranks - 2))]


def one_way(size: int, ranks: int = 2, pairs: int = 1) -> Bodies:
    """Ranks of the first half send a window of messages each to their partner in the second, which then answers."""
    bodies: Bodies = [[] for _ in range(ranks)]
    half = 1 if pairs == 1 else ranks // 2
    for source in range(pairs):
        target = source + half
        bodies[source] = [("isend", target, size, 1)] * WINDOW
        bodies[source] += [("waitall", 0, 0, 1), ("recv", target, _ANSWER_BYTES, 1)]
        bodies[target] = [("irecv", source, size, 1)] * WINDOW
        bodies[target] += [("waitall", 0, 0, 1), ("send", source, _ANSWER_BYTES, 1)]
    return bodies


def both_ways(size: int, ranks: int = 2) -> Bodies:
    """Ranks 0 and 1 send a window of messages to each other at once."""
    bodies: Bodies = [[] for _ in range(ranks)]
    for rank, peer in ((0, 1), (1, 0)):
        bodies[rank] = [
            *[("irecv", peer, size, 1)] * WINDOW,
            *[("isend", peer, size, 1)] * WINDOW,
            ("waitall", 0, 0, 1),
        ]
    bodies[0].append(("recv", 1, _ANSWER_BYTES, 1))
    bodies[1].append(("send", 0, _ANSWER_BYTES, 1))
    return bodies


def with_barrier(call: Call, root: int = 0) -> Bodies:
    """A collective and a barrier; of a barrier only that."""
    fence: Step = ("barrier", 0, 0, 1)
    if call.kind == "barrier":
        return [[fence] for _ in range(call.ranks)]
    step: Step = (call.kind, root if call.kind in ROOTED else 0, call.size, call.element)
    return [[step, fence] for _ in range(call.ranks)]
