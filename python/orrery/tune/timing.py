# SPDX-License-Identifier: BSD-3-Clause
"""What a call takes in a program, simulated: a turn of a loop of the call and a barrier, less the barrier.

Ranks meet again after each call, as they do in programs and benchmarks. Calls that begin on all ranks at one moment would prefer other
algorithms where they are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import TimedLoop, timed, with_barrier

BARRIER = "barrier"
_LEAST_SHARE = 0.1
"""Share of a turn that a call takes at least, where its messages overlap with those of the barrier."""


@dataclass(frozen=True, kw_only=True)
class Length:
    """How long loops are: fewer turns of calls with many messages."""

    warm: int
    """Turns before those that are timed."""
    first: int
    """Turns that are timed first; more follow where their mean is not sure."""
    least: int
    most: int
    """Turns that are timed at least and at most, whatever they send."""
    messages: int
    """Messages of all turns, about."""


def turn_of(
    call: Call,
    whole: _core.CollectiveCall,
    selector: _core.Selector,
    laboratory: Laboratory,
    length: Length,
    *,
    root: int = 0,
    where: Sequence[int] | None = None,
) -> TimedLoop:
    """Simulate a loop of a call and a barrier.

    Args:
        call: what a loop can say of the call.
        whole: the same with its places.
        selector: who chooses the algorithms of both.
        laboratory: the platform.
        length: of the loop.
        root: of the call, where it has one.
        where: the place of each rank; None: as the mapping places them.
    Raises:
        InputError: it cannot be simulated.
    """
    messages = _core.estimated_messages(whole, selector.choose(whole))
    turns = max(length.least, min(length.most, length.messages // max(1, messages)))
    return timed(
        with_barrier(call, root),
        laboratory,
        selector,
        warm=length.warm,
        first_turns=length.first,
        most_turns=turns,
        where=where,
    )


def call_s(turn_s: float, barrier_s: float) -> float:
    """Seconds of a call, from those of a turn with a barrier and of the barrier alone."""
    return max(turn_s - barrier_s, _LEAST_SHARE * turn_s)


def workers() -> ThreadPoolExecutor:
    """For loops beside each other, on all cores of this machine; what they give does not depend on that."""
    return ThreadPoolExecutor(max_workers=cpu_count())
