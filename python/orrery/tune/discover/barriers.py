# SPDX-License-Identifier: BSD-3-Clause
"""Which barrier follows the calls of a loop.

Its own loop leaves several in question, and short calls take other times behind each, since ranks leave it one after the other. So each
barrier that is not improbable is tried: short calls of all collectives are simulated with it, and the one with the largest evidence of
their times and of its own is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from orrery.tune.discover.infer import LibraryChoice, ObservedCell, infer

SHORT = 64
"""Calls of at most so many bytes tell barriers apart."""
_LEAST_SHARE = 0.02
_MOST = 4
"""Barriers that are tried."""


def barrier_behind(
    choice: LibraryChoice,
    trial: Callable[[str], Iterable[ObservedCell]],
    families: Mapping[str, Mapping[str, frozenset[str]]],
) -> str:
    """The algorithm, as `--coll` has it.

    Args:
        choice: what is inferred of the barrier from its own loop.
        trial: cells that are simulated with a barrier, by its algorithm.
        families: as `infer` has them.
    """
    tried = _tried(choice)
    if len(tried) == 1:
        return tried[0]
    return max(tried, key=lambda name: _evidence(choice.observed, name, trial(name), families))


def _tried(choice: LibraryChoice) -> list[str]:
    """The most probable ones, of those that take the same time to the last bit one."""
    times = choice.observed.times
    shares = sorted(choice.shares.items(), key=lambda item: -item[1])
    found: dict[float, str] = {}
    for name, share in shares:
        if share >= _LEAST_SHARE:
            found.setdefault(times[name], name)
    return list(found.values())[:_MOST] or [choice.algorithm]


def _evidence(
    barrier: ObservedCell,
    name: str,
    cells: Iterable[ObservedCell],
    families: Mapping[str, Mapping[str, frozenset[str]]],
) -> float:
    only = replace(barrier, times={name: barrier.times[name]})
    return infer([only, *cells], families).evidence
