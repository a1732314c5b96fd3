# SPDX-License-Identifier: BSD-3-Clause
"""What the calls of one rank of an OTF2 archive are as operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orrery.trace.imports.otf2_amounts import Amounts
from orrery.trace.imports.otf2_calls import Otf2Call, is_left_out
from orrery.trace.imports.otf2_comms import Communicators, MemberView
from orrery.trace.imports.otf2_definitions import ACCELERATORS, ArchiveDefinitions
from orrery.trace.imports.otf2_foresight import CANCELLED, NEVER_OVER, Foresight, RankCollective
from orrery.trace.imports.target import BUFFERED, EQUAL_PARTS, READY, STANDARD, SYNCHRONOUS, Target, TargetCall
from orrery.trace.reading import BLOCKING
from orrery.trace.start_up import STARTS

_NS = 10**9
_MODES = {"bsend": BUFFERED, "ssend": SYNCHRONOUS, "rsend": READY}
_DOUBLE = 8
_OFF = 2
_UNKNOWN = "messages on a communicator whose members the trace does not say"
_NO_MEMBERS = "its group is not among the definitions of MPI's"
_TOO_LITTLE = "the format says too little of it"
_WINDOWS = "the format does not say what they moved on whose behalf"


def communicates(call: Otf2Call) -> bool:
    """Whether what is in a call can be imported at all."""
    return bool(call.name) and not is_left_out(call.name) and call.name not in STARTS and call.name != "MPI_Finalize"


@dataclass(frozen=True)
class ArchiveContents:
    """What the whole archive says."""

    definitions: ArchiveDefinitions
    comms: Communicators
    amounts: Amounts
    foresights: list[Foresight]


class Otf2RankImport:
    """Takes the calls of a rank one after the other and writes operations."""

    def __init__(self, target: Target, rank: int, said: ArchiveContents, first: int) -> None:
        """`first`: when the rank began, in ticks."""
        self._target, self._rank = target, rank
        self._definitions, self._comms, self._amounts = said.definitions, said.comms, said.amounts
        self._foresight = said.foresights[rank]
        self._before, self._paused = first, 0
        self._finalized = False
        self._last_request = 0
        self._open: dict[int, int] = {}  # our requests, by the trace's
        self._probed: dict[int, tuple[int, int, MemberView]] = {}
        # Of the present call:
        self._call_name = ""
        self._exchange = False  # it sends and receives
        self._pending: list[int] = []
        self._complete: list[int] = []
        self._tested: list[int] = []
        self._handlers: dict[str, Callable[[TargetCall, tuple[int, ...]], None]] = {
            "MpiSend": self._send,
            "MpiIsend": self._isend,
            "MpiRecv": self._receive,
            "MpiIrecvRequest": self._irecv,
            "MpiMrecv": self._receive_probed,
            "MpiImrecvRequest": self._irecv_probed,
            "MpiProbe": self._probe,
            "MpiIsendComplete": lambda _call, values: self._over(values[0]),
            "MpiIrecv": lambda _call, values: self._over(values[4]),
            "MpiImrecv": lambda _call, values: self._over(values[0]),
            "NonBlockingCollectiveComplete": lambda _call, values: self._over(values[5]),
            "MpiRequestTest": self._test,
            "MpiCollectiveEnd": lambda call, _values: self._collective(call, None),
            "NonBlockingCollectiveRequest": lambda call, values: self._collective(call, values[0]),
            **dict.fromkeys(("RmaPut", "RmaGet", "RmaAtomic", "RmaCollectiveEnd"), self._one_sided),
        }

    def take(self, event: Otf2Call) -> None:
        """The next call."""
        if not event.name:
            self._between(event)
        elif event.name in STARTS:
            self._call(event.name, event.begin, event.end).start()
            self._before, self._paused = event.end, 0
        elif is_left_out(event.name):
            self._target.lose(self._rank, event.name, _TOO_LITTLE)
            self._count_local(event)
        elif not self._finalized:
            call = self._call(event.name, event.begin, event.end)
            if event.name == "MPI_Finalize":
                call.add("finalize")
                self._finalized = True
            else:
                self._act(event, call)
            # Calls that are no operations are computation.
            if call.written:
                self._before, self._paused = event.end, 0
            else:
                self._count_local(event)

    def _count_local(self, event: Otf2Call) -> None:
        if event.name.startswith("MPI_"):  # other names are those of events outside of any call
            self._target.count_local(event.name, (event.end - event.begin) * _NS // self._definitions.resolution)

    def end(self, last: int) -> None:
        """The rank ended in the tick `last`."""
        if not self._finalized:
            self._call("", last, last).add("finalize")

    def _call(self, name: str, begin: int, end: int) -> TargetCall:
        resolution = self._definitions.resolution
        compute = max(0, begin - self._before - self._paused)
        began, ended = (max(0, at - self._definitions.offset) * _NS // resolution for at in (begin, end))
        return TargetCall(self._target, self._rank, name, compute / resolution, (began, max(began, ended)))

    def _between(self, event: Otf2Call) -> None:
        """Writing the trace out is not computation; what happens while it is off is not known."""
        what = event.events[0]
        if what.name == "BufferFlush":
            self._paused += max(0, what.values[0] - what.time)
        elif what.values[0] == _OFF:
            self._target.lose(self._rank, "communication while recording was off", "it was not recorded")

    def _act(self, event: Otf2Call, call: TargetCall) -> None:
        self._call_name = event.name.removeprefix("MPI_").lower()
        self._pending, self._complete, self._tested = [], [], []
        # The receive of an exchange is recorded when it is over, and posted before the send.
        kinds = {record.name for record in event.events}
        self._exchange = "MpiSend" in kinds and "MpiRecv" in kinds
        first = [record for record in event.events if record.name == "MpiRecv"] if self._exchange else []
        for record in (*first, *(record for record in event.events if record not in first)):
            if record.name in self._handlers:
                self._handlers[record.name](call, record.values)
        self._wait(call)

    # --- requests --------------------------------------------------------------------------------------------------

    def _request(self, number: int) -> int:
        self._last_request += 1
        self._open[number] = self._last_request
        return self._last_request

    def _own_request(self) -> int:
        """One that the present call waits for itself, where it exchanges messages; else none."""
        if not self._exchange:
            return 0
        self._last_request += 1
        self._pending.append(self._last_request)
        return self._last_request

    def _over(self, number: int) -> None:
        if number in self._open:
            self._complete.append(self._open.pop(number))

    def _test(self, _call: TargetCall, values: tuple[int, ...]) -> None:
        if values[0] in self._open:
            self._tested.append(self._open[values[0]])

    def _wait(self, call: TargetCall) -> None:
        complete = self._pending + self._complete
        if self._call_name == "request_free":
            for request in complete:
                call.add("request_free", requests=[request])
        elif self._call_name.startswith("test") and (complete or self._tested):
            call.add("test_all", requests=complete or self._tested)
            call.answer(flag=bool(complete), completed=range(len(complete)))
        elif complete:
            call.add("wait_all", requests=complete)

    # --- messages --------------------------------------------------------------------------------------------------

    def _peer(self, rank: int, comm: int) -> tuple[MemberView, int] | None:
        view = self._comms.find(comm, self._rank)
        world = None if view is None else view.world(rank)
        if view is None or world is None:
            self._target.lose(self._rank, _UNKNOWN, _NO_MEMBERS)
            return None
        return view, world

    def _mode(self) -> int:
        name = self._call_name.removesuffix("_c")
        return _MODES.get(name, _MODES.get(name.removeprefix("i"), STANDARD))

    def _send(self, call: TargetCall, values: tuple[int, ...]) -> None:
        """A send. When one that does not block was over is not said: nobody waits for it."""
        receiver, comm, tag, size = values
        if (found := self._peer(receiver, comm)) is None:
            return
        forgotten = self._call_name.startswith(("i", "start")) and not self._exchange
        request = self._request(-1) if forgotten else self._own_request()
        self._add_send(call, found, tag, size, request)
        if forgotten:
            call.add("request_free", requests=[request])

    def _isend(self, call: TargetCall, values: tuple[int, ...]) -> None:
        receiver, comm, tag, size, request = values
        sent = self._foresight.sends.popleft() if self._foresight.sends else True
        if sent and (found := self._peer(receiver, comm)) is not None:
            self._add_send(call, found, tag, size, self._request(request))

    def _add_send(self, call: TargetCall, to: tuple[MemberView, int], tag: int, size: int, request: int) -> None:
        view, peer = to
        call.add("isend", flags=0 if request else BLOCKING, mode=self._mode(), peer=peer, tag=tag, comm=view.number,
                 request=request, size=size)  # fmt: skip

    def _receive(self, call: TargetCall, values: tuple[int, ...]) -> None:
        sender, comm, tag, size = values
        if (found := self._peer(sender, comm)) is not None:
            call.receive(found[1], tag, found[0].number, size, self._own_request())

    def _irecv(self, call: TargetCall, values: tuple[int, ...]) -> None:
        what = self._foreseen()
        if isinstance(what, tuple) and (found := self._peer(what[0], what[1])) is not None:
            call.receive(found[1], what[2], found[0].number, what[3], self._request(values[0]))

    def _foreseen(self) -> tuple[int, ...] | None:
        what = self._foresight.receives.popleft() if self._foresight.receives else NEVER_OVER
        if isinstance(what, tuple):
            return what
        if what != CANCELLED:
            self._target.lose(self._rank, what, "what it received is recorded where it is over")
        return None

    def _probe(self, call: TargetCall, values: tuple[int, ...]) -> None:
        sender, comm, tag, message = values
        if (found := self._peer(sender, comm)) is None:
            return
        view, world = found
        self._probed[message] = (world, tag, view)
        waits = self._call_name in ("probe", "mprobe")
        call.add("probe" if waits else "iprobe", peer=world, tag=tag, comm=view.number)
        call.answer(source=world, tag=tag)

    def _receive_probed(self, call: TargetCall, values: tuple[int, ...]) -> None:
        message, size = values
        if message in self._probed:
            source, tag, view = self._probed.pop(message)
            call.receive(source, tag, view.number, size)

    def _irecv_probed(self, call: TargetCall, values: tuple[int, ...]) -> None:
        message, request = values
        what = self._foreseen()
        if what is not None and message in self._probed:
            source, tag, view = self._probed.pop(message)
            call.receive(source, tag, view.number, what[-1], self._request(request))

    # --- the others ------------------------------------------------------------------------------------------------

    def _collective(self, call: TargetCall, request: int | None) -> None:
        """One with a request does not block."""
        collective = self._foresight.collectives.popleft() if self._foresight.collectives else None
        if not isinstance(collective, RankCollective):
            if collective is not None:
                self._target.lose(self._rank, collective.what, collective.why)
            return
        said = self._amounts.call(collective.view.number, collective.number, collective.kind)
        is_root = collective.root == collective.view.me
        size, counts = self._amounts.sizes(
            said, len(collective.view.peers), (collective.sent, collective.received), is_root=is_root
        )
        if collective.kind in ("alltoallv", "alltoallw"):
            self._target.left_out.add(f"what goes to each rank in MPI_{collective.kind.capitalize()}", EQUAL_PARTS)
        element = _DOUBLE if size % _DOUBLE == 0 and all(count % _DOUBLE == 0 for count in counts) else 1
        call.collective(collective.kind, collective.view.number, collective.number, size=size,
                        element=element, root=collective.root, counts=counts,
                        request=0 if request is None else self._request(request))  # fmt: skip

    def _one_sided(self, _call: TargetCall, values: tuple[int, ...]) -> None:
        comm = self._definitions.comms.get(self._definitions.windows.get(values[0], -1))
        group = None if comm is None else self._definitions.groups.get(comm.group)
        if group is None or group.paradigm not in ACCELERATORS:
            self._target.lose(self._rank, "one-sided operations", _WINDOWS)
