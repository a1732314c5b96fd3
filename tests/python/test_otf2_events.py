# SPDX-License-Identifier: BSD-3-Clause
"""Whatever events an OTF2 archive has, in whatever order: they are imported, or refused in words."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orrery import _core
from orrery.errors import InputError
from orrery.trace.imports.otf2 import import_events
from orrery.trace.imports.otf2_archive import Otf2Archive
from orrery.trace.imports.otf2_definitions import CPU_THREAD, ArchiveDefinitions, Location, Otf2Comm, Otf2Group
from orrery.trace.imports.otf2_records import BEGIN, END, EVENT_STRUCTS, EVENTS, SECTION_STRUCT, sections_of
from orrery.trace.imports.target import Target
from orrery.trace.reading import operations

_ROUTINES = ("MPI_Init", "MPI_Send", "MPI_Irecv", "MPI_Waitall", "MPI_Test", "MPI_Request_free", "MPI_Sendrecv",
             "MPI_Start", "MPI_Improbe", "MPI_Comm_split", "MPI_Put", "MPI_Finalize")  # fmt: skip
_BITS = {"B": 8, "I": 32, "Q": 64}


def _definitions() -> ArchiveDefinitions:
    """Three ranks and a thread more; the world, two of three ranks, each rank alone, two groups, and nonsense."""
    return ArchiveDefinitions(
        creator="Score-P 8.4",
        resolution=10**9,
        locations={number: Location(number, CPU_THREAD, 0, min(number, 2)) for number in range(4)},
        groups={
            0: Otf2Group(4, 4, 0, [0, 1, 2]),
            1: Otf2Group(5, 4, 0, [2, 0]),
            2: Otf2Group(6, 4, 0, []),
            3: Otf2Group(5, 4, 0, [1]),
            4: Otf2Group(5, 4, 0, [7, 7]),
            5: Otf2Group(5, 4, 1, [0, 1, 2]),
        },
        comms={0: Otf2Comm("MPI_COMM_WORLD", 5, -1), 1: Otf2Comm("pair", 1, -1), 2: Otf2Comm("self", 2, -1),
               3: Otf2Comm("inter", 1, 3), 4: Otf2Comm("broken", 4, -1)},
        windows={0: 0},
        regions=dict(enumerate(_ROUTINES)),
    )  # fmt: skip


@st.composite
def _events(draw: st.DrawFn) -> list[bytes]:
    """Mostly small numbers, so that requests and communicators are met again."""
    out = []
    for _ in range(draw(st.integers(0, 25))):
        kind = draw(st.integers(0, len(EVENTS) - 1))
        name, letters = list(EVENTS.items())[kind]
        most = len(_ROUTINES) - 1 if name in ("Enter", "Leave") else 6
        values = [
            draw(st.integers(0, most) | st.integers(0, most if most > 6 else 2 ** _BITS[letter] - 1))
            for letter in letters
        ]
        time = draw(st.integers(0, 100) | st.integers(0, 2**64 - 1))
        out.append(EVENT_STRUCTS[kind].pack(kind, time, *values))
    return out


def _event(name: str, *values: int) -> bytes:
    kind = list(EVENTS).index(name)
    return EVENT_STRUCTS[kind].pack(kind, 0, *values)


_ENDS_AS_IT_DID_NOT_BEGIN = [
    [_event("MpiIrecvRequest", 7), _event("MpiImrecv", 7, 64)],
    [_event("MpiProbe", 0, 0, 0, 3), _event("MpiImrecvRequest", 3, 7), _event("MpiIrecv", 0, 0, 0, 64, 7)],
    [],
    [],
]


@given(st.lists(_events(), min_size=4, max_size=4), st.integers(0, 40))
@example(_ENDS_AS_IT_DID_NOT_BEGIN, 0)
@settings(deadline=None, max_examples=150)
def test_any_events_are_imported_or_refused_in_words(streams: list[list[bytes]], cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.bin"
        content = b"".join(
            SECTION_STRUCT.pack(BEGIN, number, 0, 0, 0) + b"".join(events) + SECTION_STRUCT.pack(END, number, 0, 1, 90)
            for number, events in enumerate(streams)
        )
        path.write_bytes(content[: len(content) - cut])
        archive = Otf2Archive(_definitions(), {section.location: section for section in sections_of(path)})
        target = Target(Path(folder) / "own.trace", 3, lossy=True)
        with suppress(InputError):
            import_events(archive, [0, 1, 2], target)
        target.writer.close()
        file = _core.TraceFile(str(Path(folder) / "own.trace"))
        for rank in range(file.streams):
            assert all(operation.kind for operation in operations(file, rank))
