# SPDX-License-Identifier: BSD-3-Clause
"""What one rank did as events of an OTF2 archive that is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from otf2 import events
from otf2.enums import CollectiveOp

from orrery.trace.export_otf2_archive import DefinitionWriter, GroupView
from orrery.trace.export_otf2_sizes import ROOTED, sizes_of
from orrery.trace.reading import FIRST_OF_CALL, OUTSIDE, PEEK, TAKE, Operation
from orrery.trace.start_up import STARTS
from orrery.trace.timed_calls import TimedCalls
from orrery.trace.timeline import Messages

_NO_ROOT = (1 << 32) - 1
_NO_MESSAGE = (1 << 64) - 1
_UNKNOWN = (
    "messages on communicators whose members the trace does not say",
    "the format names ranks by their place in them",
)
_NOT_THERE = ("receives whose messages are not in the trace", "the format says what was received")
_ANY = ("that receives were of any source or tag", "the format has no word for it: they are of what they took")
_ALGORITHMS = ("algorithms of collectives", "the format has no word for them")
_TESTS = frozenset(("test_all", "test_any", "test_some"))
_WORDLESS = {
    **dict.fromkeys(("put", "get", "accumulate", "get_accumulate", "lock", "unlock"), "one-sided operations"),
    **dict.fromkeys(
        ("file_read", "file_write", "file_metadata", "file_position", "file_lock", "file_unlock"),
        "file operations",
    ),
    **dict.fromkeys(("psend", "precv"), "parts of partitioned messages"),
    **dict.fromkeys(("phase_begin", "phase_end"), "begins and ends of phases"),
}
"""Operations of which only the routine is said."""
_ONLY_CALLS = "only the calls are written"


class ReceivedMessage(NamedTuple):
    """What a receive took: the world rank of its sender, tag, bytes, and after which operation it was over."""

    source: int
    tag: int
    size: int
    completed_by: int


def by_receive(sent: Messages, streams: int) -> list[dict[int, ReceivedMessage]]:
    """By rank, then by the operation that posted the receive."""
    found: list[dict[int, ReceivedMessage]] = [{} for _ in range(streams)]
    columns = (sent.destination, sent.received_by, sent.source, sent.tag, sent.bytes, sent.completed_by)
    for rank, received_by, *what in zip(*columns, strict=True):
        found[rank][received_by] = ReceivedMessage(*what)
    return found


_Said = Callable[[int], Any]
"""The event of something that is over, by when it was."""


@dataclass(frozen=True)
class _OpenRequest:
    """Something that is under way under a request; `request` is the format's."""

    request: int
    over: _Said | None
    """None: what says that it is over is no wait or test of ours, but its message."""


class RankExport:
    """Takes the operations of a rank one after the other and writes events."""

    def __init__(
        self, definitions: DefinitionWriter, rank: int, received: dict[int, ReceivedMessage], line: TimedCalls
    ) -> None:
        self._definitions, self._rank, self._received = definitions, rank, received
        self._start_up, self._left_out = line.start_up, line.left_out
        self._writer = definitions.writer(rank)
        self._number, self._now = -1, 0
        self._routine = ""  # of the call that is open
        self._requests, self._messages = 0, 0
        self._open: dict[int, list[_OpenRequest]] = {}  # by request of the trace
        self._arriving: dict[int, list[_Said]] = {}  # receives by the operation after which they are over
        self._probed: dict[tuple[int, int], int] = {}
        self._cancelled: set[int] = set()
        self._writer.enter(0, definitions.program)

    def take(self, operation: Operation) -> None:
        """The next operation."""
        self._number += 1
        if self._number == 0:
            self._begin_run(operation)
        begin, end = self._times(operation)
        if operation.routine in OUTSIDE:
            self._leave()
            return
        if operation.flags & FIRST_OF_CALL or operation.routine != self._routine:
            self._leave()
            self._enter(operation.routine, begin)
        self._begin(operation, begin)
        self._now = end
        self._end(operation, end)

    def _begin_run(self, first: Operation) -> None:
        """A trace of a simulation may say nothing of MPI_Init: it took no time."""
        if first.routine not in STARTS:
            self._enter("MPI_Init", self._start_up.shift_ns)

    def _times(self, operation: Operation) -> tuple[int, int]:
        """Begin and end; those of operations of which nothing is said follow from the one before."""
        if operation.end_ns < 0:
            return self._now, self._now
        begin, end = self._start_up.times(self._rank, operation.routine, operation.begin_ns, operation.end_ns)
        begin = max(self._now, begin)
        return begin, max(begin, end)

    def end(self) -> None:
        """There are no more."""
        self._leave()
        self._writer.leave(self._now, self._definitions.program)

    def _enter(self, routine: str, ns: int) -> None:
        self._routine, self._now = routine, ns
        self._writer.enter(ns, self._definitions.region(routine))

    def _leave(self) -> None:
        if self._routine:
            self._writer.leave(self._now, self._definitions.region(self._routine))
        self._routine = ""

    def _write(self, event: Any) -> None:
        self._writer.write(event)

    def _opened(self, request: int, over: Callable[[int], _Said | None]) -> int:
        """A new request of the format under one of the trace's; `over` gives what is said once it is over."""
        self._requests += 1
        self._open.setdefault(request, []).append(_OpenRequest(self._requests, over(self._requests)))
        return self._requests

    # --- what begins -----------------------------------------------------------------------------------------------

    def _begin(self, operation: Operation, ns: int) -> None:
        if operation.kind == "irecv" and (operation.peer < 0 or operation.tag < 0):
            self._left_out.add(*_ANY)
        if operation.ran:
            self._left_out.add(*_ALGORITHMS)
        if operation.kind == "isend":
            self._send(operation, ns)
        elif operation.kind == "irecv" and operation.request and not operation.blocking:
            self._post(operation, ns)
        elif operation.kind == "collective":
            self._begin_collective(operation, ns)
        elif operation.kind == "join":
            for request in operation.requests:
                if request != operation.request:
                    self._open.setdefault(operation.request, []).extend(self._open.pop(request, []))
        elif operation.kind in _WORDLESS:
            self._left_out.add(_WORDLESS[operation.kind], _ONLY_CALLS)

    def _send(self, operation: Operation, ns: int) -> None:
        view = self._definitions.comm(operation.comm, self._rank)
        if view is None or operation.peer not in view.peers:
            self._left_out.add(*_UNKNOWN)
            return
        message = (view.peers[operation.peer], view.definition, operation.tag, operation.bytes)
        if operation.blocking or not operation.request:
            self._write(events.MpiSend(ns, *message))
        else:
            request = self._opened(operation.request, lambda request: lambda at: events.MpiIsendComplete(at, request))
            self._write(events.MpiIsend(ns, *message, request))

    def _post(self, operation: Operation, ns: int) -> None:
        """A receive that does not block; what it takes, and when it is over, is known from its message."""
        took = self._received.get(self._number)
        message = None if took is None else self._message(operation.comm, took)
        if took is not None and message is None:
            self._left_out.add(*_UNKNOWN)
            return
        request = self._opened(operation.request, lambda _: None)
        probed = self._probed.pop((operation.peer, operation.element), None) if operation.flags & TAKE else None
        if probed is not None:
            self._write(events.MpiImrecvRequest(ns, probed, request))
        else:
            self._write(events.MpiIrecvRequest(ns, request))
        if took is None or message is None:
            return  # it is cancelled, or was never over
        said: _Said = lambda at: events.MpiIrecv(at, *message, request)  # noqa: E731
        if probed is not None:
            said = lambda at: events.MpiImrecv(at, request, took.size)  # noqa: E731
        self._arriving.setdefault(took.completed_by, []).append(said)

    def _message(self, comm: int, took: ReceivedMessage) -> tuple[Any, ...] | None:
        view = self._definitions.comm(comm, self._rank)
        if view is None or took.source not in view.peers:
            return None
        return view.peers[took.source], view.definition, took.tag, took.size

    def _begin_collective(self, operation: Operation, ns: int) -> None:
        said = self._collective(operation)
        if said is None:
            self._left_out.add(
                f"what {operation.routine} moved", "the format has no word for it, or the trace not its members"
            )
        elif operation.blocking or not operation.request:
            self._write(events.MpiCollectiveBegin(ns))
        else:
            request = self._opened(
                operation.request, lambda request: lambda at: events.NonBlockingCollectiveComplete(at, *said, request)
            )
            self._write(events.NonBlockingCollectiveRequest(ns, request))

    def _collective(self, call: Operation) -> tuple[Any, ...] | None:
        """Kind, communicator, root, bytes sent and received; None: the format has no word for it."""
        view = self._definitions.comm(call.comm, self._rank)
        operation = "CREATE_HANDLE" if call.collective == "new_comm" else call.collective.upper()
        kind = getattr(CollectiveOp, operation, None)
        if view is None or kind is None:
            return None
        root = call.peer if call.collective in ROOTED and call.peer >= 0 else _NO_ROOT
        return kind, view.definition, root, *sizes_of(call, len(view.places), view.places[self._rank])

    # --- what is over ----------------------------------------------------------------------------------------------

    def _end(self, operation: Operation, ns: int) -> None:
        if operation.kind == "irecv" and (operation.blocking or not operation.request):
            self._receive(operation, ns)
        elif operation.kind == "collective" and (operation.blocking or not operation.request):
            if what := self._collective(operation):
                self._write(events.MpiCollectiveEnd(ns, *what))
        elif operation.kind in ("probe", "iprobe"):
            self._probe(operation, ns)
        elif operation.kind == "cancel" and operation.answer and operation.answer.flag:
            self._cancelled |= {each.request for request in operation.requests for each in self._open.get(request, ())}
        for said in self._arriving.pop(self._number, ()):
            self._write(said(ns))
        resolved = operation.requests if operation.kind == "request_free" else operation.resolved
        if operation.kind in _TESTS and not resolved:
            self._tested(operation, ns)
        elif not operation.flags & PEEK or operation.kind not in _TESTS:
            self._resolve(resolved, ns)

    def _resolve(self, requests: list[int], ns: int) -> None:
        for request in requests:
            for each in self._open.pop(request, ()):
                if each.request in self._cancelled:
                    self._cancelled.remove(each.request)
                    self._write(events.MpiRequestCancelled(ns, each.request))
                elif each.over is not None:
                    self._write(each.over(ns))

    def _tested(self, operation: Operation, ns: int) -> None:
        for request in operation.requests:
            for each in self._open.get(request, ()):
                self._write(events.MpiRequestTest(ns, each.request))

    def _receive(self, operation: Operation, ns: int) -> None:
        took = self._received.get(self._number)
        probed = self._probed.pop((operation.peer, operation.element), None) if operation.flags & TAKE else None
        message = None if took is None else self._message(operation.comm, took)
        if took is not None and probed is not None:
            self._write(events.MpiMrecv(ns, probed, took.size))
        elif message is not None:
            self._write(events.MpiRecv(ns, *message))
        else:
            self._left_out.add(*(_NOT_THERE if took is None else _UNKNOWN))

    def _probe(self, operation: Operation, ns: int) -> None:
        view: GroupView | None = self._definitions.comm(operation.comm, self._rank)
        found = operation.answer
        if (
            found is None
            or (operation.kind == "iprobe" and not found.flag)
            or view is None
            or found.source not in view.peers
        ):
            return
        message = _NO_MESSAGE
        if operation.flags & TAKE:
            self._messages += 1
            message = self._probed[found.source, found.sequence] = self._messages
        self._write(events.MpiProbe(ns, view.peers[found.source], view.definition, found.tag, message))
