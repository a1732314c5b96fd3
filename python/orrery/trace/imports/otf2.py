# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives, such as those of Score-P: one file that names the others, definitions, and the events of each thread.

What the format does not say, and what is taken instead, is in docs/trace-imports.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orrery.errors import InputError
from orrery.temporary import temporary_folder
from orrery.trace.imports.otf2_amounts import Amounts
from orrery.trace.imports.otf2_archive import Otf2Archive, read_archive
from orrery.trace.imports.otf2_calls import Otf2Call, calls_of
from orrery.trace.imports.otf2_comms import Communicators
from orrery.trace.imports.otf2_definitions import ACCELERATOR_STREAM, METRIC_LOCATION
from orrery.trace.imports.otf2_foresight import foresee
from orrery.trace.imports.otf2_rank import ArchiveContents, Otf2RankImport, communicates
from orrery.trace.imports.otf2_records import MESSAGES
from orrery.trace.imports.target import Target

_NOT_SAID = (
    "receives of any source or tag; datatypes and operations of reductions; what each rank gives in alltoallv and "
    "alltoallw; MPI_IN_PLACE; which sizes of collectives are sums"
)
_ONE_THREAD = "a trace has the calls of one thread of each rank"
_LOCATIONS = {ACCELERATOR_STREAM: "streams of accelerators", METRIC_LOCATION: "locations that only have metrics"}
_OTHERS = {
    "Enter": "calls of functions outside of MPI",
    "CallingContextEnter": "calls of functions outside of MPI",
    "CallingContextSample": "samples of call paths",
}
"""Words for events of the format's; others have its names."""


def import_otf2(path: Path, out: Path, *, lossy: bool) -> Target:
    """Write the archive whose anchor file is `path` as one of Orrery's traces.

    Raises InputError when it cannot be read, its library is not there, or something cannot be said and `lossy` is not
    given. What is damaged is imported up to there.
    """
    with temporary_folder("orrery-otf2-") as folder:
        archive = read_archive(path, folder)
        leaders = archive.definitions.leaders()
        if not leaders:
            raise InputError(f"{path}: has no ranks of MPI: no group of its definitions says which threads communicate")
        target = Target(out, len(leaders), lossy=lossy)
        creator = archive.definitions.creator
        for key, value in (
            ("source", "OTF2"),
            ("program", path.resolve().parent.name),
            ("tool", creator),
            ("not said", _NOT_SAID),
        ):
            target.writer.property(key, value)
        target.damage += archive.damage
        import_events(archive, leaders, target)
        _leave_out(archive, leaders, target)
        target.close()
    return target


def import_events(archive: Otf2Archive, leaders: list[int], target: Target) -> None:
    """Write what the ranks did whose locations are `leaders`. Raises InputError as `import_otf2` does."""
    definitions = archive.definitions
    comms = Communicators(definitions, leaders, target)
    amounts = Amounts(definitions.creator)
    foreseen = [
        foresee(filter(communicates, _calls(archive, leader)), rank, comms, amounts)
        for rank, leader in enumerate(leaders)
    ]
    said = ArchiveContents(definitions, comms, amounts, foreseen)
    for rank, leader in enumerate(leaders):
        if host := definitions.host(leader):
            target.host(rank, host)
        section = archive.sections.get(leader)
        first, last = (section.first, section.last) if section is not None else (definitions.offset, definitions.offset)
        rank_import = Otf2RankImport(target, rank, said, first)
        for call in _calls(archive, leader):
            rank_import.take(call)
        complete = archive.complete(leader)
        if complete:
            rank_import.end(last)
        target.end(rank, complete=complete)
    _other_threads(archive, leaders, target)


def _calls(archive: Otf2Archive, location: int) -> Iterator[Otf2Call]:
    section = archive.sections.get(location)
    return iter(()) if section is None else calls_of(section.read(), archive.definitions.regions)


def _other_threads(archive: Otf2Archive, leaders: list[int], target: Target) -> None:
    """Those that communicate besides the first one of a rank are left out."""
    ranks = {archive.definitions.locations[leader].group: rank for rank, leader in enumerate(leaders)}
    for location in archive.sections.keys() - set(leaders):
        rank = ranks.get(archive.definitions.locations[location].group)
        for event in archive.sections[location].read():
            if rank is not None and event.name in MESSAGES:
                target.lose(rank, f"{event.name} of threads other than the first of a rank", _ONE_THREAD)


def _leave_out(archive: Otf2Archive, leaders: list[int], target: Target) -> None:
    """Count what has no place in a trace: metrics by their names, calls that are none of MPI's, what others recorded."""
    definitions = archive.definitions
    for metric, times in archive.metrics.items():
        for name in definitions.metrics.get(metric) or [f"number {metric}"]:
            target.left_out.add(f"values of the metric {name}", "a trace has no metrics", times)
    for kind, times in archive.others.items():
        target.left_out.add(_OTHERS.get(kind, f"events {kind}"), "a trace has calls of MPI only", times)
    for location in definitions.locations.values():
        if location.number not in leaders and location.kind in _LOCATIONS:
            target.left_out.add(f"events of {_LOCATIONS[location.kind]}", _ONE_THREAD, location.events)
