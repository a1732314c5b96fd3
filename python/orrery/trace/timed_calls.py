# SPDX-License-Identifier: BSD-3-Clause
"""Calls of all ranks in time, the messages between them, and the hosts that they ran on: what timelines draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from orrery import _core
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.platform import core
from orrery.platform.prepared import prepare
from orrery.trace.reading import Operation, operations

Place = tuple[int, int]
"""Of an operation: rank, and number in its stream."""
_Key = tuple[int, int, int, int]
"""Of messages that do not overtake each other: communicator, source, destination, tag."""
_LATER = "ranks that were started later"


def timed(file: _core.TraceFile, rank: int) -> Iterator[tuple[int, Operation]]:
    """Operations of a rank that are calls whose times are known, with their numbers in its stream.

    Raises InputError if no operation of the rank has a time, though there are some.
    """
    found = False
    for number, operation in enumerate(operations(file, rank)):
        if operation.end_ns >= 0:
            found = True
            if operation.routine and operation.routine != ".application":
                yield number, operation
    if not found and file.records > 0:
        raise InputError("the trace says of no call when it was")


@dataclass(frozen=True, slots=True)
class Message:
    """One message: where it was sent, where it was complete at its receiver, and its time under way in ns."""

    sent: Place
    received: Place
    begin_ns: int
    end_ns: int


@dataclass
class _Gathered:
    """Sends and receives by what they match, each in its order."""

    sends: defaultdict[_Key, list[tuple[Place, int]]] = field(default_factory=lambda: defaultdict(list))
    receives: defaultdict[_Key, list[tuple[Place, int] | None]] = field(default_factory=lambda: defaultdict(list))
    """Where each was complete, and when; None: not in the trace."""


@dataclass
class _Receive:
    comm: int
    key: _Key | None
    ended: tuple[Place, int] | None = None


def messages(file: _core.TraceFile) -> list[Message]:
    """Point-to-point messages of a trace: which receive took which send follows from their order.

    Messages between two ranks with one communicator and tag do not overtake each other (MPI-5.0, 3.5). Left out are those
    whose receive or send is not in the trace, and, on its communicator, what a rank received after a receive of any source
    of which the trace does not say what it took.
    """
    gathered = _Gathered()
    for rank in range(file.streams):
        _gather(file, rank, gathered)
    found = []
    for key, sends in gathered.sends.items():
        for (sent, begin_ns), receive in zip(sends, gathered.receives.get(key, ()), strict=False):
            if receive is not None and receive[1] >= begin_ns:
                found.append(Message(sent, receive[0], begin_ns, receive[1]))
    return found


def _gather(file: _core.TraceFile, rank: int, to: _Gathered) -> None:
    receives: list[_Receive] = []  # in the order in which they were posted, which is that of matching
    by_request: dict[int, _Receive] = {}
    for number, one in enumerate(operations(file, rank)):
        ended = ((rank, number), one.end_ns) if one.end_ns >= 0 else None
        if one.kind == "isend" and one.peer >= 0 and ended:
            to.sends[one.comm, rank, one.peer, one.tag].append(((rank, number), one.begin_ns))
        elif one.kind == "irecv":
            receives.append(_Receive(one.comm, _key(one, rank), ended if one.blocking else None))
            if not one.blocking:
                by_request[one.request] = receives[-1]
        elif one.kind == "match":
            _told(one, rank, by_request)
        for request in one.resolved:
            if request in by_request and by_request[request].ended is None:
                by_request[request].ended = ended
    _add(receives, to)


def _told(match: Operation, rank: int, by_request: Mapping[int, _Receive]) -> None:
    """What a receive of any source took is told once it is over."""
    if match.answer and len(match.requests) == 1 and match.requests[0] in by_request:
        took = by_request[match.requests[0]]
        took.key = (took.comm, match.answer.source, rank, match.answer.tag)


def _add(receives: Iterable[_Receive], to: _Gathered) -> None:
    """Those of one rank, up to the first on each communicator of which is not known what it took."""
    unclear: set[int] = set()
    for receive in receives:
        if receive.key is None:
            unclear.add(receive.comm)
        elif receive.comm not in unclear:
            to.receives[receive.key].append(receive.ended)


def _key(receive: Operation, rank: int) -> _Key | None:
    """What a receive matches; None where its answer would say that, and comes later or is missing."""
    source, tag = receive.peer, receive.tag
    if source < 0 or tag < 0:
        if receive.answer is None or receive.answer.source < 0:
            return None
        source, tag = receive.answer.source, receive.answer.tag
    return receive.comm, source, rank, tag


def under_way(found: list[Message]) -> Iterator[tuple[int, int]]:
    """Times in ns, increasing, and how many messages are under way from then on."""
    changes: defaultdict[int, int] = defaultdict(int)
    for one in found:
        changes[one.begin_ns] += 1
        changes[one.end_ns] -= 1
    count = 0
    for time_ns, change in sorted(changes.items()):
        if change:
            count += change
            yield time_ns, count


def hosts_of(file: _core.TraceFile) -> list[str]:
    """Name of the host of each rank: those that the trace names, or those of the platform that it was simulated on."""
    known = file.hosts or _placed(file)
    names = [known.get(rank, "ranks") for rank in range(file.ranks)]
    return names + [_LATER] * (file.streams - file.ranks)


def _placed(file: _core.TraceFile) -> dict[int, str]:
    """By rank; nothing where the platform is not here any more."""
    properties = dict(file.properties)
    platform, mapping = properties.get("platform"), properties.get("mapping")
    if not platform or not mapping:
        return {}
    try:
        hardware = core.build(prepare(properties.get("platform_file") or platform))
        placement = place(file.ranks, Hosts.of(hardware, mapping), mapping)
    except (InputError, OSError):
        return {}
    names = [host.name for host in hardware.hosts]
    return {rank: names[host] for rank, host in enumerate(placement.host_of_rank)}


@dataclass(frozen=True)
class Timeline:
    """What there is to draw, but for the calls, which `timed` gives rank by rank."""

    file: _core.TraceFile
    hosts: list[str]
    """Name of the host of each rank."""
    messages: list[Message]

    @classmethod
    def of(cls, trace: _core.TraceFile) -> Timeline:
        """That of a trace; all messages are in memory."""
        return cls(trace, hosts_of(trace), messages(trace))

    @property
    def processes(self) -> dict[str, int]:
        """Hosts, each with its number from 1 on: in drawings a host is a process, and a rank is a thread of it."""
        return {name: number for number, name in enumerate(dict.fromkeys(self.hosts), start=1)}
