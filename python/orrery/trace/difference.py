# SPDX-License-Identifier: BSD-3-Clause
"""Where two traces do different things; times do not count, nor does what a tool numbers as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from orrery import _core
from orrery.trace.reading import FLAGS, PEEK, Operation, operations

_ROOTED = frozenset(word for word, rooted, _ in _core.collective_vocabulary() if rooted)
_REDUCTIONS = frozenset(word for word, _, reduces in _core.collective_vocabulary() if reduces)
_MEANING = {word: fields.split() for word, fields, _, _ in _core.operation_vocabulary()}
"""Fields that say what an operation does, by its kind, besides kind and routine. Others are left over from how it was recorded."""
_NO_DEED_FLAGS = ("FirstOfCall", "WantsMatch", "Part", "Late", "Apart", "Commutative", "UserDefined")
"""Flags that say how an operation was recorded, and those of reductions, which count for collectives that reduce alone."""
_FLAGS = {
    word: sum(
        bit for name, bit, kinds, _ in _core.operation_flags() if name not in _NO_DEED_FLAGS and word in kinds.split()
    )
    for word in _MEANING
}
"""Bits of the field `flags` that say what an operation does, by its kind."""
_NO_DEED = frozenset(("compute", "match"))
"""Kinds that do nothing to others: time that passes, MPI_Init among it, and the question what a receive has taken."""


@dataclass(frozen=True)
class DifferentOperation:
    """The first operation of a rank that is another one in the other trace."""

    rank: int
    number: int
    """Place of the operation in the first trace, or in the second where the first has ended."""
    first: Operation | None
    """Its requests are numbered in the order in which they began, its communicators in that of their use. None: the stream
    has ended."""
    second: Operation | None
    fields: list[str]
    """Names of what differs."""


def differences(first: _core.TraceFile, second: _core.TraceFile) -> list[DifferentOperation]:
    """By rank, of two traces of as many streams."""
    found = []
    for rank in range(first.streams):
        for a, b in zip_longest(_deeds(first, rank), _deeds(second, rank)):
            if a is None or b is None or a.meaning != b.meaning:
                found.append(_different(rank, a, b))
                break
    return found


class _NumberedOperation(NamedTuple):
    number: int
    operation: Operation
    meaning: dict[str, Any]


def _different(rank: int, a: _NumberedOperation | None, b: _NumberedOperation | None) -> DifferentOperation:
    first, second = ({} if deed is None else deed.meaning for deed in (a, b))
    fields = [name for name in first | second if first.get(name) != second.get(name)] if first and second else []
    number = a.number if a is not None else b.number if b is not None else 0
    return DifferentOperation(rank, number, a and a.operation, b and b.operation, fields)


def _deeds(file: _core.TraceFile, rank: int) -> Iterator[_NumberedOperation]:
    """What a rank does that others could notice."""
    numbering = _HandleNumbers(file)
    for number, operation in enumerate(operations(file, rank)):
        if operation.kind not in _NO_DEED:
            renumbered, members = numbering.applied(operation)
            yield _NumberedOperation(number, renumbered, _meaning(renumbered) | members)


def _meaning(operation: Operation) -> dict[str, Any]:
    fields = ("kind", "routine", *_MEANING[operation.kind])
    meaning = {name: getattr(operation, name) for name in fields}
    bits = _FLAGS[operation.kind]
    if operation.collective in _REDUCTIONS:
        bits |= FLAGS["Commutative"] | FLAGS["UserDefined"]
        meaning["extent"] = operation.extent or operation.element
    if operation.collective in _ROOTED:
        meaning["root"] = operation.peer
    meaning["flags"] = operation.flags & bits
    return meaning


class _HandleNumbers:
    """Numbers of requests and communicators of one rank in the order in which it comes to have them."""

    def __init__(self, file: _core.TraceFile) -> None:
        self._file = file
        self._requests: dict[int, int] = {}
        self._begun = 0
        self._comms = {0: 0}

    def applied(self, operation: Operation) -> tuple[Operation, dict[str, Any]]:
        """The operation with these numbers; and who is in its communicator, where it is the first on it."""
        requests = [self._requests.get(request, request) for request in operation.requests if request]
        if operation.kind not in ("wait_any", "wait_some", "test_any", "test_some"):
            requests.sort()  # otherwise answers name them by their places
        belongs = operation.kind in ("psend", "arrived") or operation.flags & FLAGS["Part"]
        if operation.request != 0 and not belongs:
            self._begun += 1
            self._requests[operation.request] = self._begun
        request = self._requests.get(operation.request, 0)
        for over in operation.requests if operation.kind == "request_free" else operation.resolved:
            if not operation.flags & PEEK:
                self._requests.pop(over, None)
        comm, members = self._comm(operation)
        return operation._replace(request=request, requests=requests, comm=comm), members

    def _comm(self, operation: Operation) -> tuple[int, dict[str, Any]]:
        if "comm" not in _MEANING.get(operation.kind, ()):
            return 0, {}
        if operation.comm in self._comms:
            return self._comms[operation.comm], {}
        self._comms[operation.comm] = len(self._comms)
        known = operation.comm in dict(self._file.communicators)
        members = self._file.members(operation.comm) if known else None
        return self._comms[operation.comm], {"members of the communicator": members}
