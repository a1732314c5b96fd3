# SPDX-License-Identifier: BSD-3-Clause
"""What an unknown library may have chosen: all algorithms that libraries have names for, with the segment sizes that are usual, or
that a library that is known uses for the same collective.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.collective.laboratory import Laboratory
from orrery.collective.predict import usual_segments
from orrery.tune.library import Library

MOST_MESSAGES = 1_000_000
"""Algorithms that would send more in one call are left out: no library chooses them."""


@dataclass(frozen=True)
class Candidates:
    """Algorithms of several libraries."""

    libraries: tuple[Library, ...]
    segments: Mapping[str, frozenset[int]]
    """Segment sizes of each collective besides the usual ones, in bytes."""

    @classmethod
    def of(cls, libraries: Sequence[Library], cases: Iterable[LoopCase], laboratory: Laboratory) -> Candidates:
        """With the segment sizes that these libraries choose in some cell."""
        found: dict[str, set[int]] = {}
        for case in cases:
            for library in libraries:
                if library.family != "intel":  # what it chooses itself is not known
                    choice = laboratory.chosen(library.selector(), case.call)
                    found.setdefault(case.test, set()).add(choice.segment_bytes)
        return cls(tuple(libraries), {kind: frozenset(sizes) for kind, sizes in found.items()})

    def names(self, case: LoopCase, laboratory: Laboratory) -> dict[str, str]:
        """Those of a cell, as `--coll` has them, and what each is there: without segments where they are longer than the call."""
        whole, size = laboratory.whole(case.call), case.bytes
        every = {*usual_segments(size), *self.segments.get(case.test, ())}
        found: dict[str, str] = {}
        for library in self.libraries:
            for variant in library.variants(whole, case.test, size, sorted(every)):
                found[variant.ours] = variant.ours
                choice = _core.named_choice(whole, variant.ours)
                if choice.segments and variant.segment == 0:
                    found |= {choice.with_segment(long).name: variant.ours for long in every if long >= size}
        return {name: there for name, there in found.items() if self._is_short(whole, case.test, there)}

    def _is_short(self, whole: _core.CollectiveCall, kind: str, name: str) -> bool:
        choice = _core.Selector("default", f"{kind}={name}").choose(whole)
        return _core.estimated_messages(whole, choice) <= MOST_MESSAGES

    @cached_property
    def families(self) -> dict[str, dict[str, frozenset[str]]]:
        """Algorithms of each collective, without parameters, by library."""
        return {
            library.name: {
                kind: frozenset(library.algorithms(kind)) for kind in {a.collective for a in _core.algorithms()}
            }
            for library in self.libraries
        }
