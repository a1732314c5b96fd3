# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that users name, with the sizes of segments and the fan-out that they ask for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.settings import CollectiveRequest


@dataclass(frozen=True, kw_only=True)
class AlgorithmParameter:
    """An option of the command line that some algorithms obey, and others have no use for."""

    option: str
    key: str
    """As the name of an algorithm may have it: "chain:KEY=4KiB"."""
    lack: str
    """What is said of an algorithm that does not obey it."""
    heading: str
    """What stands before the names of those that do."""
    need: str
    """What a call by an algorithm has where it acts."""
    obeyed_by: Callable[[_core.Algorithm], bool]
    asked: Callable[[CollectiveRequest], bool]
    """Whether the user gave the option."""

    def acts_on(self, name: str, algorithm: _core.Algorithm) -> bool:
        """Whether it acts on an algorithm that the user called `name`, which may say a value of its own."""
        return self.obeyed_by(algorithm) and not self._in(name)

    def refusal(self, name: str, algorithm: _core.Algorithm) -> str:
        """Why it does not act on an algorithm, as the core says it of `--coll`."""
        if self._in(name):
            return f'"{name}" has a {self.key} of its own'
        kind = algorithm.collective
        others = [other.name for other in _core.algorithms() if other.collective == kind and self.obeyed_by(other)]
        return f"{kind} by {algorithm.name} {self.lack}; {self.heading}: {', '.join(others) or 'none'}"

    def _in(self, name: str) -> bool:
        return f":{self.key}=" in re.sub(r"\(.*\)", "", name)


SEGMENT = AlgorithmParameter(
    option="--segment",
    key="segment",
    lack="is not segmented",
    heading="segments are for",
    need="segments shorter than the call",
    obeyed_by=lambda algorithm: algorithm.segments,
    asked=lambda request: request.segments is not None,
)
FANOUT = AlgorithmParameter(
    option="--fanout",
    key="fanout",
    lack="has no fanout",
    heading="it is for",
    need="a fanout",
    obeyed_by=lambda algorithm: algorithm.fans_out,
    asked=lambda request: request.fanout != 0,
)


@cache
def _table() -> dict[tuple[str, str], _core.Algorithm]:
    return {(algorithm.collective, algorithm.name): algorithm for algorithm in _core.algorithms()}


def known(kind: str, name: str) -> _core.Algorithm:
    """The algorithm of a collective that has this name of Orrery's."""
    return _table()[kind, name]


def algorithm_named(call: Call, whole: _core.CollectiveCall, name: str) -> _core.Algorithm:
    """What the user means by a name, which may be another library's.

    Raises InputError where there is no such algorithm, or the call is served neither by it nor by another one instead.
    """
    choice = _core.named_choice(whole, name)
    return known(call.kind, choice.instead_of or choice.algorithm)


def named_choices(call: Call, whole: _core.CollectiveCall, name: str, request: CollectiveRequest) -> list[_core.Choice]:
    """What serves the call where the user names this algorithm: one for each size of segments that the request has.

    Algorithms that have no segments, or no fan-out, are without.
    """
    algorithm = algorithm_named(call, whole, name)
    fanout = request.fanout if FANOUT.acts_on(name, algorithm) else 0
    segments = request.segments if request.segments and SEGMENT.acts_on(name, algorithm) else (0,)
    with_options = re.search("[(:]", name) is not None
    wanted = f"{name}:fanout={fanout}" if fanout and with_options else name
    choices = [_core.named_choice(whole, wanted, segment, 0 if with_options else fanout) for segment in segments]
    return [choice if choice.segments else choice.with_segment(0) for choice in choices]
