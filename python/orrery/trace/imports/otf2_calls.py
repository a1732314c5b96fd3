# SPDX-License-Identifier: BSD-3-Clause
"""The calls of MPI that one rank of an OTF2 archive made: regions, and the events of communication in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from orrery.trace.imports.otf2_amounts import KINDS
from orrery.trace.imports.otf2_records import Otf2Event

_IMPLIED = {
    "MpiSend": "MPI_Send",
    "MpiIsend": "MPI_Isend",
    "MpiIsendComplete": "MPI_Wait",
    "MpiIrecvRequest": "MPI_Irecv",
    "MpiRecv": "MPI_Recv",
    "MpiIrecv": "MPI_Wait",
    "MpiRequestTest": "MPI_Test",
    "MpiRequestCancelled": "MPI_Wait",
    "NonBlockingCollectiveComplete": "MPI_Wait",
    "MpiProbe": "MPI_Probe",
    "MpiMrecv": "MPI_Mrecv",
    "MpiImrecvRequest": "MPI_Imrecv",
    "MpiImrecv": "MPI_Wait",
}
"""Calls that events outside of any region stand for."""

_LEFT_OUT = re.compile(
    r"MPI_(Put|Get|Accumulate|Get_accumulate|Rput|Rget|Raccumulate|Rget_accumulate|Fetch_and_op|Compare_and_swap"
    r"|Win_(create|allocate|allocate_shared|create_dynamic|free|fence|start|complete|post|wait|test|(un)?lock(_all)?|flush\w*)"
    r"|I?neighbor_\w+|Comm_(spawn|spawn_multiple|accept|connect|join)|Psend_init|Precv_init|Pready\w*"
    r"|File_(?!\w*(get_|set_|c2f|f2c))\w+)(_c)?"
)


def is_left_out(name: str) -> bool:
    """Whether a call takes part in communication, or moves data, and the format says too little of it."""
    return _LEFT_OUT.fullmatch(name) is not None


@dataclass
class Otf2Call:
    """One call of a rank; times in ticks."""

    name: str
    """Empty: no call, but one event that says something of the time between calls."""
    begin: int
    end: int
    events: list[Otf2Event] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether there is an event of one of these kinds."""
        return any(event.name in names for event in self.events)


def calls_of(events: Iterable[Otf2Event], regions: Mapping[int, str]) -> Iterator[Otf2Call]:
    """The calls of a rank in order; one that was under way at the end is left out.

    Events outside of any region of MPI are calls of their own. Regions inside of a call belong to it.
    """
    present: Otf2Call | None = None
    depth, began = 0, -1
    for event in events:
        if event.name == "Enter":
            if depth == 0:
                present = Otf2Call(regions[event.values[0]], event.time, event.time)
            depth += 1
        elif event.name == "Leave":
            depth = max(0, depth - 1)
            if depth == 0 and present is not None:
                present.end = event.time
                yield present
                present = None
        elif present is not None:
            present.events.append(event)
        elif event.name in ("BufferFlush", "MeasurementOnOff"):
            yield Otf2Call("", event.time, event.time, [event])
        elif event.name == "MpiCollectiveBegin":
            began = event.time
        else:
            yield Otf2Call(_implied(event), began if began >= 0 else event.time, event.time, [event])
            began = -1


def _implied(event: Otf2Event) -> str:
    if event.name == "MpiCollectiveEnd" and event.values[0] < len(KINDS):
        return f"MPI_{KINDS[event.values[0]].capitalize()}"
    return _IMPLIED.get(event.name, event.name)
