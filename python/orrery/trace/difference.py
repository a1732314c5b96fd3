# SPDX-License-Identifier: BSD-3-Clause
"""Where two traces do different things; times do not count."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from orrery import _core
from orrery.trace.reading import Operation, operations


@dataclass(frozen=True)
class Different:
    """The first operation of a rank that is another one in the other trace."""

    rank: int
    number: int
    """Of the operation."""
    first: Operation | None
    """None: the stream has ended."""
    second: Operation | None


def differences(first: _core.TraceFile, second: _core.TraceFile) -> list[Different]:
    """By rank, of two traces of as many streams."""
    found = []
    for rank in range(first.streams):
        for number, (a, b) in enumerate(zip_longest(operations(first, rank), operations(second, rank))):
            if _essence(a) != _essence(b):
                found.append(Different(rank, number, a, b))
                break
    return found


def _essence(operation: Operation | None) -> object:
    if operation is None:
        return None
    return operation._replace(compute_s=0.0, begin_ns=0, end_ns=0, ran="", site="", answer=None)
