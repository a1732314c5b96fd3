# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives, for Vampir, Scalasca, Trace Compass and others: hosts are nodes, ranks are processes with one thread.

The format's own library writes them (`pip install otf2`), as Score-P would: sizes of collectives are what goes to and comes
from every rank, itself included. What the format has no word for is in docs/trace-imports.md.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import orrery
from orrery import _core
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.trace.reading import operations
from orrery.trace.timed_calls import TimedCalls

NAME = "traces"
_NS = 10**9


def check_library() -> None:
    """Raises InputError where the library of the format is not installed."""
    if importlib.util.find_spec("_otf2") is None:
        raise InputError("writing OTF2 needs its library: pip install otf2 (or orrery[otf2])")


def export_otf2(file: _core.TraceFile, folder: Path) -> Omissions:
    """Write the archive whose anchor file is traces.otf2 in `folder`. Returns what is not in it.

    Raises InputError when the trace does not say when anything happened, or what, or the archive cannot be written.
    """
    check_library()
    import otf2

    from orrery.trace.export_otf2_archive import DefinitionWriter
    from orrery.trace.export_otf2_rank import RankExport, by_receive

    line = TimedCalls.of(file)
    line.leave_out_sites()
    received = by_receive(line.sent, file.streams)
    try:
        with otf2.writer.open(str(folder), archive_name=NAME, timer_resolution=_NS) as archive:
            archive.creator = f"Orrery {orrery.__version__}"
            definitions = DefinitionWriter(file, archive)
            for rank in range(file.streams):
                rank_export = RankExport(definitions, rank, received[rank], line)
                for operation in operations(file, rank):
                    rank_export.take(operation)
                rank_export.end()
    except otf2.error.TraceWriterError as error:
        raise InputError(f"{folder.name}: cannot be written as an OTF2 archive: {error}") from None
    return line.left_out
