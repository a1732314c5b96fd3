# SPDX-License-Identifier: BSD-3-Clause
"""Which other tool a trace is from, and how it becomes one of Orrery's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from orrery.errors import InputError
from orrery.output import remove_unfinished
from orrery.trace.imports.dumpi import import_dumpi, is_dumpi_meta
from orrery.trace.imports.dumpi_file import is_dumpi
from orrery.trace.imports.otf2 import anchor_in, import_otf2, is_otf2
from orrery.trace.imports.paraver import import_paraver
from orrery.trace.imports.paraver_file import is_paraver
from orrery.trace.imports.target import Target

_FORMATS: list[tuple[str, Callable[[bytes], bool], Callable[..., Target]]] = [
    ("DUMPI", is_dumpi, import_dumpi),
    ("DUMPI", is_dumpi_meta, import_dumpi),
    ("Paraver", is_paraver, import_paraver),
    ("OTF2", is_otf2, import_otf2),
]


def format_of(path: Path) -> str | None:
    """Whose trace a file is: DUMPI, Paraver, OTF2; None: of none of them. Raises InputError when it cannot be read."""
    start = _start(anchor_in(path))
    return next((name for name, matches, _ in _FORMATS if matches(start)), None)


def import_trace(path: Path, out: Path, *, lossy: bool) -> Target:
    """Write `path` as one of Orrery's traces.

    Raises InputError when it is of no format that is known, is damaged where nothing can be read behind it, or something
    cannot be said and `lossy` is not given. What is written until then is removed.
    """
    path = anchor_in(path)
    start = _start(path)
    for _, matches, read in _FORMATS:
        if not matches(start):
            continue
        try:
            return read(path, out, lossy=lossy)
        except BaseException:
            remove_unfinished(out)
            raise
    raise InputError(
        f"{path}: is of no format that can be imported; expected DUMPI (.meta or -0000.bin), Paraver (.prv) or OTF2 (.otf2)"
    )


def _start(path: Path) -> bytes:
    if path.is_dir():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(1 << 16)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: cannot read the trace") from None
