# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of what a rank of an OTF2 archive begins.

The archive says of a receive, and of a collective that does not block, what it is only where it is over.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from orrery.trace.imports.otf2_amounts import CREATE_HANDLE, KINDS, Amounts
from orrery.trace.imports.otf2_calls import Otf2Call
from orrery.trace.imports.otf2_comms import Communicators, MemberView
from orrery.trace.imports.otf2_records import Otf2Event
from orrery.trace.imports.target import COLOR_AND_KEY_BYTES

CANCELLED = "cancelled"
NEVER_OVER = "receive that was never over"


class LostCall(NamedTuple):
    """A call that cannot be imported."""

    what: str
    why: str


@dataclass(frozen=True)
class RankCollective:
    """A call of a collective, as one rank says it."""

    view: MemberView
    kind: str
    number: int
    """Among the calls on the communicator, by when they began."""
    root: int
    sent: int
    received: int


@dataclass
class Foresight:
    """What one rank began; each list in the order in which things began. None: nothing that could be lost."""

    receives: deque[tuple[int, ...] | str] = field(default_factory=deque)
    """Sender, communicator, tag, bytes; of a message that was probed only the bytes."""
    sends: deque[bool] = field(default_factory=deque)
    """Whether they were sent after all."""
    collectives: deque[RankCollective | LostCall | None] = field(default_factory=deque)


class _Watcher:
    def __init__(self) -> None:
        self.receives: list[tuple[int, ...] | str] = []
        self.sends: list[bool] = []
        self.collectives: list[tuple[str, tuple[int, ...] | None]] = []
        """Routine; number in the format, communicator, root, bytes sent and received."""
        self._receives: dict[int, int] = {}
        self._receives_probed: dict[int, int] = {}
        self._sends: dict[int, int] = {}
        self._collectives: dict[int, int] = {}

    def take(self, event: Otf2Event, routine: str) -> None:
        """The next event; a request is what it is until it is over."""
        if event.name.startswith(("NonBlocking", "MpiCollective")):
            self._take_collective(event, routine)
        else:
            self._take_message(event.name, event.values)

    def _take_message(self, name: str, values: tuple[int, ...]) -> None:
        match name:
            case "MpiIrecvRequest":
                self._receives[values[0]] = len(self.receives)
                self.receives.append(NEVER_OVER)
            case "MpiImrecvRequest":
                self._receives_probed[values[1]] = len(self.receives)
                self.receives.append(NEVER_OVER)
            case "MpiIrecv":
                self._received(self._receives, values[4], values[:4])
            case "MpiImrecv":
                self._received(self._receives_probed, values[0], values[1:])
            case "MpiIsend":
                self._sends[values[4]] = len(self.sends)
                self.sends.append(True)
            case "MpiIsendComplete":
                self._sends.pop(values[0], None)
            case "MpiRequestCancelled":
                self._received(self._receives, values[0], CANCELLED)
                self._received(self._receives_probed, values[0], CANCELLED)
                if values[0] in self._sends:
                    self.sends[self._sends.pop(values[0])] = False

    def _take_collective(self, event: Otf2Event, routine: str) -> None:
        values = event.values
        match event.name:
            case "NonBlockingCollectiveRequest":
                self._collectives[values[0]] = len(self.collectives)
                self.collectives.append((routine, None))
            case "NonBlockingCollectiveComplete" if values[5] in self._collectives:
                position = self._collectives.pop(values[5])
                self.collectives[position] = (self.collectives[position][0], values[:5])
            case "MpiCollectiveEnd":
                self.collectives.append((routine, values))

    def _received(self, begun: dict[int, int], request: int, what: tuple[int, ...] | str) -> None:
        """Note how a receive ended; nothing is known of one that did not begin so."""
        if request in begun:
            self.receives[begun.pop(request)] = what


def foresee(calls: Iterable[Otf2Call], rank: int, comms: Communicators, amounts: Amounts) -> Foresight:
    """Read the calls of a rank that communicate, and note what it says of collectives in `amounts`."""
    watcher = _Watcher()
    for call in calls:
        for event in call.events:
            watcher.take(event, call.name)
    numbers: dict[int, int] = defaultdict(int)
    found = Foresight(deque(watcher.receives), deque(watcher.sends))
    for routine, values in watcher.collectives:
        collective = _never_over(routine) if values is None else _collective(routine, values, rank, comms, numbers)
        found.collectives.append(collective)
        if isinstance(collective, RankCollective):
            amounts.call(collective.view.number, collective.number, collective.kind).note(
                collective.view.me, collective.sent, collective.received
            )
    return found


def _never_over(routine: str) -> LostCall:
    return LostCall(f"{routine} that was never over", "what it was is recorded where it is over")


def _collective(
    routine: str, values: tuple[int, ...], rank: int, comms: Communicators, numbers: dict[int, int]
) -> RankCollective | LostCall | None:
    operation, comm, root, sent, received = values
    if operation >= len(KINDS) and operation != CREATE_HANDLE:
        return None  # freeing and the like: what it costs is not known
    view = comms.find(comm, rank)
    if view is None:
        return LostCall(
            f"{routine} on a communicator whose members the trace does not say",
            "its group is not among the definitions of MPI's",
        )
    if view.inter:
        if operation == CREATE_HANDLE:
            return None
        return LostCall(
            f"{routine} on a communicator of two groups", "the format does not say which group is the root's"
        )
    number = numbers[view.number]
    numbers[view.number] += 1
    if operation == CREATE_HANDLE:
        told = COLOR_AND_KEY_BYTES * len(view.peers) if routine.startswith("MPI_Comm_split") else 0
        return RankCollective(view, "new_comm", number, 0, told, told)
    return RankCollective(view, KINDS[operation], number, root if root < len(view.peers) else 0, sent, received)
