# SPDX-License-Identifier: BSD-3-Clause
"""The program that reads an OTF2 archive: `python -m orrery.trace.imports.otf2_reader ARCHIVE FOLDER FIRST`.

It writes definitions.json, and what the locations from the FIRST on did into events-FIRST.bin; in a process of its own,
since the C library behind it may crash on damaged archives. What it could not read goes to damage-FIRST.txt, a line each;
how many events it did not keep, to others-FIRST.json.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from orrery.trace.imports.otf2_definitions import CPU_THREAD, ArchiveDefinitions, Location, Otf2Comm, Otf2Group
from orrery.trace.imports.otf2_records import BEGIN, END, EVENT_STRUCTS, MESSAGES, NAMES, SECTION_STRUCT

UNREADABLE = 3
"""Exit code: not even the definitions could be read; the reason is in damage-0.txt."""
_BATCH = 100_000
_PR_SET_PDEATHSIG = 1
_MEMORY = 2 << 30
_MEMORY_PER_BYTE = 64


def routine_of(region: str) -> str:
    """The routine of MPI that a region is named after, spelled as MPI does; empty: none."""
    name = region.split("(", 1)[0].strip()
    if not name.upper().startswith("MPI_") or len(name) <= len("MPI_"):
        return ""
    return f"MPI_{name[4].upper()}{name[5:].lower()}"


def load_library() -> Any:
    """The bindings of the format's library; names that are no UTF-8 are read as far as they are."""
    lib = importlib.import_module("_otf2")
    for part in ("GlobalDefReaderCallbacks", "Reader"):
        module: Any = sys.modules[f"_otf2.{part}"]
        module.str_decode = lambda text: None if text is None else text.decode(errors="replace")
    return lib


def read_definitions(lib: Any, reader: Any) -> ArchiveDefinitions:
    """Those of the whole archive."""
    found = ArchiveDefinitions()
    strings: dict[int, str] = {}
    callbacks = lib.GlobalDefReaderCallbacks_New()
    kept = []  # the library holds on to functions that it does not count

    def on(name: str, take: Callable[..., None]) -> None:
        def plain(_user: object, *values: Any) -> None:
            take(*(getattr(value, "value", value) for value in values))

        kept.append(plain)
        getattr(lib, f"GlobalDefReaderCallbacks_Set{name}Callback")(callbacks, plain)

    def clock(resolution: int, offset: int, *_: int) -> None:
        found.resolution, found.offset = resolution, offset

    def region(number: int, name: int, *_: int) -> None:
        if routine := routine_of(strings.get(name, "")):
            found.regions[number] = routine

    def context(number: int, region: int, *_: int) -> None:
        if region in found.regions:
            found.contexts[number] = region

    on("ClockProperties", clock)
    on("String", strings.__setitem__)
    on("SystemTreeNode", lambda number, name, kind, parent: found.tree.__setitem__(
        number, (strings.get(name, ""), strings.get(kind, ""), parent)))  # fmt: skip
    on("LocationGroup", lambda number, _name, _kind, parent, *_: found.location_groups.__setitem__(number, parent))
    on("Location", lambda number, _name, kind, events, group: found.locations.__setitem__(
        number, Location(number, kind, events, group)))  # fmt: skip
    on("Group", lambda number, _name, kind, paradigm, flags, members: found.groups.__setitem__(
        number, Otf2Group(kind, paradigm, flags, members)))  # fmt: skip
    on("Comm", lambda number, name, group, *_: found.comms.__setitem__(
        number, Otf2Comm(strings.get(name, ""), group, -1)))  # fmt: skip
    on("InterComm", lambda number, name, first, second, *_: found.comms.__setitem__(
        number, Otf2Comm(strings.get(name, ""), first, second)))  # fmt: skip
    on("RmaWin", lambda number, _name, comm, *_: found.windows.__setitem__(number, comm))
    members: dict[int, str] = {}
    on("MetricMember", lambda number, name, *_: members.__setitem__(number, strings.get(name, "")))
    on("MetricClass", lambda number, them, *_: found.metrics.__setitem__(
        number, [members.get(member, "") for member in them]))  # fmt: skip
    on("MetricInstance", lambda number, kind, *_: found.metrics.__setitem__(number, found.metrics.get(kind, [])))
    on("Region", region)
    on("CallingContext", context)
    definitions = lib.Reader_GetGlobalDefReader(reader)
    lib.Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, None)
    lib.Reader_ReadAllGlobalDefinitions(reader, definitions)
    lib.Reader_CloseGlobalDefReader(reader, definitions)
    found.creator = lib.Reader_GetCreator(reader) or ""
    return found


@dataclass(frozen=True)
class OpenArchive:
    """One that is open."""

    lib: Any
    reader: Any
    definitions: ArchiveDefinitions


class _Locations:
    """What locations did, one after the other, on its way into a file."""

    def __init__(self, archive: OpenArchive, out: IO[bytes], others: Path) -> None:
        """`others`: where it says how many events it did not keep."""
        self.archive = archive
        self._lib, self._reader, self._definitions = archive.lib, archive.reader, archive.definitions
        self._out, self._others_path = out, others
        try:
            self._lib.Reader_OpenDefFiles(self._reader)
            self._local = True
        except self._lib.Error:  # there need not be any
            self._local = False
        self._first, self._last = 0, 0
        self._others: Counter[str] = Counter()  # events that were not kept, by kind
        self._metrics: Counter[int] = Counter()  # events of metrics, by number
        self._kept: list[Callable[..., None]] = []  # the library holds on to functions that it does not count
        self._of_leaders = self._callbacks(NAMES)
        self._of_others = self._callbacks(MESSAGES)

    def read(self, location: int, expected: int, *, leads: bool) -> int:
        """Writes the section; gives how many events there were, of those `expected`.

        Raises the library's error when the file is damaged; what was before that is written.
        """
        lib, reader, out = self._lib, self._reader, self._out
        self._first = self._last = 0
        out.write(SECTION_STRUCT.pack(BEGIN, location, 0, 0, 0))
        out.flush()
        read = 0
        try:
            if self._local and (definitions := lib.Reader_GetDefReader(reader, location)):
                lib.Reader_ReadAllLocalDefinitions(reader, definitions)
                lib.Reader_CloseDefReader(reader, definitions)
            events = lib.Reader_GetEvtReader(reader, location)
            lib.Reader_RegisterEvtCallbacks(reader, events, self._of_leaders if leads else self._of_others, None)
            # Behind the last one the library finds an invalid record.
            while read < expected and (
                batch := lib.Reader_ReadLocalEvents(reader, events, min(_BATCH, expected - read))
            ):
                read += batch
                out.flush()
            lib.Reader_CloseEvtReader(reader, events)
        finally:
            out.write(SECTION_STRUCT.pack(END, location, read, self._first, self._last))
            out.flush()
            plain = {"others": self._others, "metrics": self._metrics}
            self._others_path.write_text(json.dumps(plain), encoding="utf-8")
        return read

    def _callbacks(self, wanted: Collection[str]) -> Any:
        callbacks = self._lib.EvtReaderCallbacks_New()
        for name in sorted(_kinds_of(self._lib) - set(NAMES) - _UNCOUNTED):
            self._on(callbacks, name, self._counter(name))
        self._on(callbacks, "Metric", self._metric_counter())
        regions, contexts = self._definitions.regions, self._definitions.contexts
        known = {"Enter": regions.keys(), "Leave": regions.keys()}
        for kind, name in enumerate(NAMES):
            if name in wanted:
                self._on(callbacks, name, self._writer(kind, known.get(name), _FIELDS.get(name, slice(None))))
        if "Enter" in wanted:
            for name, kind in (("CallingContextEnter", 0), ("CallingContextLeave", 1)):
                self._on(callbacks, name, self._writer(kind, contexts.keys(), slice(1), contexts))
        return callbacks

    def _metric_counter(self) -> Callable[..., None]:
        """A new function each time: the library keeps one C function for each of Python's."""
        metrics = self._metrics

        def take(_location: int, time: int, _at: int, _user: object, _more: object, number: int, *_: Any) -> None:
            self._see(time)
            metrics[number] += 1

        return take

    def _counter(self, name: str) -> Callable[..., None]:
        others = self._others

        def take(_location: int, time: int, *_: Any) -> None:
            self._see(time)
            others[name] += 1

        return take

    def _see(self, time: int) -> None:
        if not self._first:
            self._first = time
        self._last = time

    def _on(self, callbacks: Any, name: str, take: Callable[..., None]) -> None:
        self._kept.append(take)
        getattr(self._lib, f"EvtReaderCallbacks_Set{name}Callback")(callbacks, take)

    def _writer(
        self, kind: int, known: Any, fields: slice, instead: dict[int, int] | None = None
    ) -> Callable[..., None]:
        """A callback that writes events of a kind; calls only if their first field is `known`; `instead` replaces it."""
        pack, write, others = EVENT_STRUCTS[kind].pack, self._out.write, self._others

        def take(_location: int, time: int, _at: int, _user: object, _attributes: object, *values: Any) -> None:
            self._see(time)
            if known is not None and values[0] not in known:
                if kind == _ENTER:
                    others["Enter"] += 1
                return
            plain = [getattr(value, "value", value) for value in values[fields]]
            write(pack(kind, time, *(plain if instead is None else [instead[plain[0]]])))

        return take


_FIELDS = {"RmaPut": slice(1), "RmaGet": slice(1), "RmaAtomic": slice(1), "RmaCollectiveEnd": slice(2, 3)}
"""Where what is kept is among the fields of the format's events, unless it is all."""


_ENTER = NAMES.index("Enter")
_UNCOUNTED = frozenset((
    "CallingContextEnter", "CallingContextLeave", "Metric", "Unknown",  # are taken, or counted, elsewhere
    "ProgramBegin", "ProgramEnd", "ThreadBegin", "ThreadEnd", "ThreadTeamBegin", "ThreadTeamEnd", "CommCreate", "CommDestroy",
    "RmaWinCreate", "RmaWinDestroy", "RmaCollectiveBegin",
))  # fmt: skip
"""Kinds of events that nobody misses: the calls that they are in, or the definitions, say the same."""


def _kinds_of(lib: Any) -> set[str]:
    """All kinds of events that the library knows; newer ones know more."""
    begin, end = "EvtReaderCallbacks_Set", "Callback"
    return {name[len(begin) : -len(end)] for name in dir(lib) if name.startswith(begin) and name.endswith(end)}


def main(path: Path, folder: Path, first: int) -> int:
    """Gives the exit code."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # not longer than who started it
    _bound_memory(path)
    lib = load_library()
    with (folder / f"damage-{first}.txt").open("w", encoding="utf-8") as damage:
        try:
            reader = lib.Reader_Open(str(path))
            lib.Reader_SetSerialCollectiveCallbacks(reader)
            definitions = read_definitions(lib, reader)
        except lib.Error as error:
            damage.write(f"{error.description}\n")
            return UNREADABLE
        definitions.save(folder / "definitions.json")
        with (folder / f"events-{first}.bin").open("wb") as out:
            for what in read_events(
                _Locations(OpenArchive(lib, reader, definitions), out, folder / f"others-{first}.json"), first
            ):
                damage.write(f"{what}\n")
                damage.flush()
    return 0


def read_events(locations: _Locations, first: int) -> Iterator[str]:
    """Write what threads did, from the `first` on; gives what could not be read."""
    archive = locations.archive
    lib, definitions = archive.lib, archive.definitions
    leaders = set(definitions.leaders())
    threads = [
        thread for thread in definitions.locations.values() if thread.kind == CPU_THREAD or thread.number in leaders
    ]
    for thread in threads:
        lib.Reader_SelectLocation(archive.reader, thread.number)
    try:
        lib.Reader_OpenEvtFiles(archive.reader)
    except lib.Error as error:
        yield error.description
        return
    for thread in threads[first:]:
        try:
            read = locations.read(thread.number, thread.events, leads=thread.number in leaders)
            if read < thread.events:
                yield f"location {thread.number}: {read:,} of {thread.events:,} events are there"
        except lib.Error as error:
            yield f"location {thread.number}: {error.description}"


def _bound_memory(path: Path) -> None:
    """By the size of the archive, whatever lengths it says."""
    files = [path, path.with_suffix(".def"), *path.with_suffix("").glob("*")]
    most = _MEMORY + _MEMORY_PER_BYTE * sum(file.stat().st_size for file in files if file.is_file())
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
