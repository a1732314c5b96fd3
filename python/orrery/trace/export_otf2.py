# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives, for Vampir, Scalasca, Trace Compass and others: hosts are nodes, ranks are processes with one thread.

The format's own library writes them (`pip install otf2`), as Score-P would: sizes of collectives are what goes to and comes
from every rank, itself included. What the format has no word for is in docs/trace-imports.md.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path

import orrery
from orrery import _core
from orrery.errors import InputError
from orrery.trace.reading import operations
from orrery.trace.timeline import messages_of

NAME = "traces"
_NS = 10**9


def check_library() -> None:
    """Raises InputError where the library of the format is not installed."""
    if importlib.util.find_spec("_otf2") is None:
        raise InputError("writing OTF2 needs its library: pip install otf2 (or orrery[otf2])")


def export_otf2(file: _core.TraceFile, folder: Path) -> Counter[str]:
    """Write the archive whose anchor file is traces.otf2 in `folder`; what the format has no word for is counted.

    Raises InputError when the trace does not say when anything happened, or the archive cannot be written.
    """
    check_library()
    import otf2

    from orrery.trace.export_otf2_archive import Definitions
    from orrery.trace.export_otf2_rank import RankExport, by_receive

    received = by_receive(messages_of(file), file.streams)
    lost: Counter[str] = Counter()
    try:
        with otf2.writer.open(str(folder), archive_name=NAME, timer_resolution=_NS) as archive:
            archive.creator = f"Orrery {orrery.__version__}"
            definitions = Definitions(file, archive)
            for rank in range(file.streams):
                one = RankExport(definitions, rank, received[rank], lost)
                for operation in operations(file, rank):
                    one.take(operation)
                one.end()
    except otf2.error.TraceWriterError as error:
        raise InputError(f"{folder}: cannot be written as an OTF2 archive: {error}") from None
    return lost
