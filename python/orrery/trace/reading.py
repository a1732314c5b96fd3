# SPDX-License-Identifier: BSD-3-Clause
"""The operations of a trace, one after the other, for dumps, exports and comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from orrery import _core

FLAGS = {name: bit for name, bit, _, _ in _core.operation_flags()}
"""Bits of the field `flags`, by their names."""
BLOCKING = FLAGS["Blocking"]
FIRST_OF_CALL = FLAGS["FirstOfCall"]
OUTSIDE = frozenset(("", "Application", ".application"))
"""Routines of what the program does outside of MPI."""
LEFT_OUT = "left_out"
"""Property of a trace that was imported: what of the other tool's could not be taken over, as `Omissions.to_text` has it."""
TAKE = FLAGS["Take"]
"""A probe that takes the message out of the queue, or the receive of such a message."""
PEEK = FLAGS["Peek"]
"""A test after which its requests are what they were."""
_MANY = 4096


class OperationAnswer(NamedTuple):
    """What the operation before was answered."""

    flag: bool
    source: int
    tag: int
    sequence: int
    bytes: int
    thread: int
    completed: list[int]


class Operation(NamedTuple):
    """One operation of a rank, and what it was answered."""

    kind: str
    routine: str
    flags: int
    mode: int
    collective: str
    peer: int
    tag: int
    comm: int
    request: int
    compute_s: float
    bytes: int
    element: int
    extent: int
    """Extent of an element of a collective, in bytes, if that is not its size; else 0."""
    requests: list[int]
    counts: list[int]
    begin_ns: int
    """Begin of the call, since the start of the run; meaningless where `end_ns` is below 0."""
    end_ns: int
    ran: str
    """Algorithm of a collective."""
    site: str
    answer: OperationAnswer | None = None

    @property
    def blocking(self) -> bool:
        """The rank went on only when it was over."""
        return bool(self.flags & BLOCKING)

    @property
    def resolved(self) -> list[int]:
        """Requests that are over after it: of waits and tests those that were complete then."""
        if self.kind == "wait_all":
            return self.requests
        if self.answer is None or self.kind not in _CHOOSING:
            return []
        if self.kind == "test_all":
            return self.requests if self.answer.flag else []
        return [self.requests[position] for position in self.answer.completed if position < len(self.requests)]


_CHOOSING = {"wait_any", "wait_some", "test_all", "test_any", "test_some"}


def is_steady(file: _core.TraceFile) -> bool:
    """Whether the run that wrote the trace charged computation less its noise (`--compute steady`)."""
    return dict(file.properties).get("charged") == "steady"


def operations(file: _core.TraceFile, rank: int, *, steady: bool = False) -> Iterator[Operation]:
    """The stream of one rank. `steady`: computation less its noise, instead of as it was measured."""
    kinds = _core.operation_kinds()
    reader = _core.TraceReader(file, rank, steady)
    last: Operation | None = None
    while records := reader.read(_MANY):
        for record in records:
            if len(record) == len(OperationAnswer._fields):
                answer = OperationAnswer(*record)
                if last is not None and answer.thread == 0:
                    last = last._replace(answer=answer)
                continue
            if last is not None:
                yield last
            last = Operation(kinds[record[0]], *record[1:])
    if last is not None:
        yield last
