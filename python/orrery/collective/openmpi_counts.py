# SPDX-License-Identifier: BSD-3-Clause
"""Counts in Open MPI's classic rules files that do not fit what follows them.

The format knows no lines, so that a count which is off is noticed anywhere behind it. Files are nearly always written with a
line for each rule and for each number before the rules, though, and then what follows can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from orrery.units import whole_number

Line = tuple[int, tuple[str, ...]]
"""Number of a line, and its words, at least one."""
_RULE = (4, 5)
"""Numbers of a rule: bytes, algorithm, fan-in/out, segment size, and perhaps requests."""
_NEXT_COMMUNICATOR = 2
"""Numbers between the rules of two communicator sizes: a size and a count."""
_NEXT_COLLECTIVE = 4
"""Numbers between the rules of two collectives: its number and a count before the same."""


@dataclass(frozen=True)
class WrongCount:
    """A count that a file declares, and how many there are."""

    line: int
    what: str
    declared: int
    there: int

    def __str__(self) -> str:
        return f"{self.declared} {self.what} are declared here, but {self.there} follow"


@dataclass
class _DeclaredCount:
    """A declared count, and what follows so far."""

    what: str
    declared: Line
    there: int = field(default=0)

    def wrong(self) -> WrongCount | None:
        number, (word, *_) = self.declared
        said = whole_number(word)
        if said is None or said == self.there:
            return None
        return WrongCount(number, self.what, said, self.there)


def wrong_count(lines: Sequence[Line]) -> WrongCount | None:
    """The first wrong count of a file, those of rules before those of what is made of them.

    Args:
        lines: that have numbers, in order, without the line of the version.
    Returns:
        None where all fit, or where the file is not written line by line.
    """
    sizes: list[_DeclaredCount] = []
    communicators: list[_DeclaredCount] = []
    collectives: list[_DeclaredCount] = []
    for of_rules, group in groupby(lines, key=lambda line: len(line[1]) in _RULE):
        block = list(group)
        if of_rules:
            if sizes:
                sizes[-1].there += len(block)
            continue
        if any(len(words) != 1 for _, words in block):
            return None
        if not collectives:
            collectives.append(_DeclaredCount("collectives", block.pop(0)))
        if len(block) not in (_NEXT_COMMUNICATOR, _NEXT_COLLECTIVE):
            return _first_wrong(sizes)
        if len(block) == _NEXT_COLLECTIVE:
            collectives[0].there += 1
            communicators.append(_DeclaredCount("communicator sizes", block[1]))
        if not communicators:
            return None
        communicators[-1].there += 1
        sizes.append(_DeclaredCount("message sizes", block[-1]))
    return _first_wrong([*sizes, *communicators, *collectives])


def _first_wrong(counted: Sequence[_DeclaredCount]) -> WrongCount | None:
    found = (count.wrong() for count in counted)
    return next((wrong for wrong in found if wrong is not None), None)
