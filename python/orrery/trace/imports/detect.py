# SPDX-License-Identifier: BSD-3-Clause
"""Which other tool a trace is from, and how it becomes one of Orrery's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from orrery.errors import InputError
from orrery.output import remove_unfinished
from orrery.trace.compressed import first_bytes, is_compressed
from orrery.trace.imports.beginnings import anchor_in, is_dumpi, is_dumpi_meta, is_otf2, is_paraver
from orrery.trace.other_files import what_cannot_be_read, what_has_to_be_simulated

if TYPE_CHECKING:
    from orrery.trace.imports.target import Target

_FORMATS: dict[str, Callable[[bytes], bool]] = {
    "DUMPI": lambda start: is_dumpi(start) or is_dumpi_meta(start),
    "Paraver": is_paraver,
    "OTF2": is_otf2,
}


def format_of(path: Path) -> str | None:
    """Whose trace a file is: DUMPI, Paraver, OTF2; None: of none of them. Raises InputError when it cannot be read."""
    return _format(_start(anchor_in(path)))


def import_trace(path: Path, out: Path, *, lossy: bool) -> Target:
    """Write `path` as one of Orrery's traces.

    Raises InputError when it is of no format that is known, is damaged where nothing can be read behind it, or something
    cannot be said and `lossy` is not given. What is written until then is removed.
    """
    path = anchor_in(path)
    name = _format(_start(path))
    if name is None:
        raise InputError(
            what_cannot_be_read(path)
            or what_has_to_be_simulated(path)
            or f"{path}: is of no format that can be imported; expected DUMPI (.meta or -0000.bin), Paraver (.prv) or OTF2 (.otf2)"
        )
    if name != "Paraver" and is_compressed(path):
        raise InputError(f"{path}: files of {name} have others beside them: decompress all of them, and name this one")
    try:
        return _reader(name)(path, out, lossy=lossy)
    except BaseException:
        remove_unfinished(out)
        raise


def _format(start: bytes) -> str | None:
    return next((name for name, matches in _FORMATS.items() if matches(start)), None)


def _reader(name: str) -> Callable[..., Target]:
    """What reads a format: loaded when there is something to read."""
    if name == "DUMPI":
        from orrery.trace.imports.dumpi import import_dumpi

        return import_dumpi
    if name == "Paraver":
        from orrery.trace.imports.paraver import import_paraver

        return import_paraver
    from orrery.trace.imports.otf2 import import_otf2

    return import_otf2


def _start(path: Path) -> bytes:
    return b"" if path.is_dir() else first_bytes(path, 1 << 16)
