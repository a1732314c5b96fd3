# SPDX-License-Identifier: BSD-3-Clause
"""Calls of all ranks in time, the messages between them, and the hosts that they ran on: what timelines draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from orrery import _core
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.left_out import Omissions
from orrery.platform import core
from orrery.platform.prepared import prepare
from orrery.trace.start_up import StartUp
from orrery.trace.timeline import Messages, TimelineCall, calls_of, messages_of

_LATER = "ranks that were started later"


class TimedMessage(NamedTuple):
    """One message: from a call of its source to the one in which it was complete, in ns."""

    begin_ns: int
    end_ns: int
    source: int
    destination: int
    sent_by: int
    """Operation that began it: number in the stream of its rank."""
    completed_by: int
    """Operation after which the receive was over."""


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


_NO_ROUTINES = (
    "the trace does not name the routine of any of its operations, so there is nothing to draw: make it again with this "
    "version of Orrery, as by `orrery replay SCHEDULE -o FILE.trace`"
)
ONLY_COUNTED = "calls that the trace only counts, such as MPI_Comm_rank"
NOT_WHEN = "the trace does not say when they were"
_ONE_SIDE = "sends, puts and gets of which the trace has one side"


def counted_calls(file: _core.TraceFile) -> int:
    """Calls that are no operations of a trace, which has only their number."""
    return sum(calls for rank in range(file.streams) for _, _, calls, _ in file.local_calls(rank))


@dataclass(frozen=True)
class TimedCalls:
    """What there is to draw."""

    file: _core.TraceFile
    hosts: list[str]
    """Name of the host of each rank."""
    sent: Messages
    start_up: StartUp
    left_out: Omissions = field(default_factory=Omissions)
    """What of the trace is not among these, counted when they are asked for."""

    @classmethod
    def of(cls, trace: _core.TraceFile) -> TimedCalls:
        """That of a trace; its messages are in memory, 72 bytes for each.

        Raises InputError when the trace does not say when anything happened, or which routines were called.
        """
        line = cls(trace, hosts_of(trace), messages_of(trace), StartUp.of(trace))
        if trace.records > 0 and not any(True for rank in range(trace.streams) for _ in line.calls(rank)):
            raise InputError(_NO_ROUTINES)
        line.left_out.add(ONLY_COUNTED, NOT_WHEN, counted_calls(trace))
        return line

    def leave_out_messages(self) -> None:
        """Count those of which a format that has messages cannot have both ends."""
        sent = sum(edge[2] for edge in _core.TraceUsage(self.file).edges)
        self.left_out.add(_ONE_SIDE, "what ends they have is not known", sent - len(self.sent.timed))

    def leave_out_sites(self) -> None:
        """Count call sites, for formats that have no place for them."""
        self.left_out.add(
            "places in the program that calls came from", "the format has no word for them", len(self.file.sites)
        )

    @property
    def processes(self) -> dict[str, int]:
        """Hosts, each with its number from 1 on: in drawings a host is a process, and a rank is a thread of it."""
        return {name: number for number, name in enumerate(dict.fromkeys(self.hosts), start=1)}

    def calls(self, rank: int) -> Iterator[TimelineCall]:
        """Those of a rank, in the order of time."""
        routines = self.file.routines
        for call in calls_of(self.file, rank):
            if routine := routines.get(call.routine):
                begin, end = self.start_up.times(rank, routine, call.begin_ns, call.end_ns)
                yield call._replace(begin_ns=begin, end_ns=end)

    def messages(self) -> Iterator[TimedMessage]:
        """By begin; those whose times are known. Where clocks differ, one may seem to end before it begins: it is left out."""
        sent, shift = self.sent, self.start_up.shift_ns
        columns = (sent.begin_ns, sent.end_ns, sent.source, sent.destination, sent.sent_by, sent.completed_by)
        rows = zip(*columns, strict=True)
        for row, timed in zip(rows, sent.timed, strict=True):
            if timed and row[1] >= row[0]:
                yield TimedMessage(row[0] + shift, row[1] + shift, *row[2:])

    def leave_out_untimed(self) -> None:
        """Count messages that `messages` leaves out."""
        sent = self.sent
        untimed = sum(not timed for timed in sent.timed)
        self.left_out.add("messages", NOT_WHEN, untimed)

    def under_way(self) -> Iterator[tuple[int, int]]:
        """Times in ns, increasing, and how many messages are under way from then on."""
        begins = Counter(message.begin_ns for message in self.messages())
        ends = Counter(message.end_ns for message in self.messages())
        count = 0
        for time_ns in sorted(begins.keys() | ends.keys()):
            change = begins[time_ns] - ends[time_ns]
            if change:
                count += change
                yield time_ns, count
