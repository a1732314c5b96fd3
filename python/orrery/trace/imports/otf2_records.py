# SPDX-License-Identifier: BSD-3-Clause
"""Events on their way from the process that reads an OTF2 archive: a byte for the kind, the time, the fields.

That process runs the format's C library, which damaged archives may crash. What it has written until then is whole.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import NamedTuple

EVENTS: dict[str, str] = {
    "Enter": "I",
    "Leave": "I",
    "BufferFlush": "Q",
    "MeasurementOnOff": "B",
    "MpiSend": "IIIQ",
    "MpiIsend": "IIIQQ",
    "MpiIsendComplete": "Q",
    "MpiIrecvRequest": "Q",
    "MpiRecv": "IIIQ",
    "MpiIrecv": "IIIQQ",
    "MpiRequestTest": "Q",
    "MpiRequestCancelled": "Q",
    "MpiCollectiveBegin": "",
    "MpiCollectiveEnd": "BIIQQ",
    "NonBlockingCollectiveRequest": "Q",
    "NonBlockingCollectiveComplete": "BIIQQQ",
    "MpiProbe": "IIIQ",
    "MpiMrecv": "QQ",
    "MpiImrecvRequest": "QQ",
    "MpiImrecv": "QQ",
    "RmaPut": "I",
    "RmaGet": "I",
    "RmaAtomic": "I",
    "RmaCollectiveEnd": "I",
}
"""Names of the format's events, and what their fields are besides the time: B, I and Q have 8, 32 and 64 bits.

Of one-sided operations there is only the window.
"""

MESSAGES = frozenset(name for name in EVENTS if name.startswith(("Mpi", "NonBlocking", "Rma")))
"""Events that are communication; the others say when and in which call."""

NAMES = list(EVENTS)
EVENT_STRUCTS = [Struct("<BQ" + letters) for letters in EVENTS.values()]
BEGIN, END = 200, 201
SECTION_STRUCT = Struct("<BQQQQ")
"""BEGIN and END of what a location did: its number; events that were read, time of the first and of the last one."""


class Otf2Event(NamedTuple):
    """One event of a location; what `values` are, `EVENTS` says."""

    name: str
    time: int
    """In ticks of the trace's clock."""
    values: tuple[int, ...]


class LocationRecords(NamedTuple):
    """What one location did, in a file of records."""

    location: int
    path: Path
    begin: int
    end: int
    """Where its records are in the file."""
    complete: bool
    events: int
    """Number of events of all kinds that were read."""
    first: int
    last: int
    """Times of the first and the last event, in ticks."""

    def read(self) -> Iterator[Otf2Event]:
        """The events, in the order of the archive."""
        if self.begin == self.end:
            return
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = self.begin
            while at < self.end:
                kind = data[at]
                _, time, *values = EVENT_STRUCTS[kind].unpack_from(data, at)
                at += EVENT_STRUCTS[kind].size
                yield Otf2Event(NAMES[kind], time, tuple(values))


def sections_of(path: Path) -> list[LocationRecords]:
    """Those of one file; the last one may have been cut off."""
    found: list[LocationRecords] = []
    if path.stat().st_size == 0:
        return found
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at, begin, location = 0, 0, -1
        while at < len(data):
            kind = data[at]
            size = SECTION_STRUCT.size if kind in (BEGIN, END) else EVENT_STRUCTS[kind].size
            if at + size > len(data):
                break
            if kind in (BEGIN, END):
                _, number, events, first, last = SECTION_STRUCT.unpack_from(data, at)
                if kind == BEGIN:
                    location, begin = number, at + size
                else:
                    found.append(LocationRecords(location, path, begin, at, True, events, first, last))  # noqa: FBT003
                    location = -1
            at += size
        if location >= 0:
            found.append(LocationRecords(location, path, begin, at, False, 0, 0, 0))  # noqa: FBT003
    return found
