# SPDX-License-Identifier: BSD-3-Clause
"""Calls of all ranks in time, the messages between them, and the hosts that they ran on: what timelines draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from orrery import _core
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.platform import core
from orrery.platform.prepared import prepare
from orrery.trace.timeline import Call, Messages, calls_of, messages_of

_LATER = "ranks that were started later"


class Message(NamedTuple):
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


@dataclass(frozen=True)
class Timeline:
    """What there is to draw."""

    file: _core.TraceFile
    hosts: list[str]
    """Name of the host of each rank."""
    sent: Messages

    @classmethod
    def of(cls, trace: _core.TraceFile) -> Timeline:
        """That of a trace; its messages are in memory, 72 bytes for each.

        Raises InputError when the trace does not say when anything happened.
        """
        return cls(trace, hosts_of(trace), messages_of(trace))

    @property
    def processes(self) -> dict[str, int]:
        """Hosts, each with its number from 1 on: in drawings a host is a process, and a rank is a thread of it."""
        return {name: number for number, name in enumerate(dict.fromkeys(self.hosts), start=1)}

    def calls(self, rank: int) -> Iterator[Call]:
        """Those of a rank, in the order of time."""
        routines = self.file.routines
        return (call for call in calls_of(self.file, rank) if routines.get(call.routine))

    def messages(self) -> Iterator[Message]:
        """By begin; those whose times are known. Where clocks differ, one may seem to end before it begins: it is left out."""
        sent = self.sent
        columns = (sent.begin_ns, sent.end_ns, sent.source, sent.destination, sent.sent_by, sent.completed_by)
        rows = zip(*columns, strict=True)
        return (Message._make(row) for row, timed in zip(rows, sent.timed, strict=True) if timed and row[1] >= row[0])

    def under_way(self) -> Iterator[tuple[int, int]]:
        """Times in ns, increasing, and how many messages are under way from then on."""
        begins = Counter(one.begin_ns for one in self.messages())
        ends = Counter(one.end_ns for one in self.messages())
        count = 0
        for time_ns in sorted(begins.keys() | ends.keys()):
            change = begins[time_ns] - ends[time_ns]
            if change:
                count += change
                yield time_ns, count
