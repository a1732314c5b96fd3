# SPDX-License-Identifier: BSD-3-Clause
"""Traces of any tool as Orrery's own, for what looks into them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orrery.trace.compressed import decompressed
from orrery.trace.imports.detect import format_of, import_trace

if TYPE_CHECKING:
    from orrery.trace.imports.target import Target


@dataclass(frozen=True)
class Own:
    """A trace in Orrery's format."""

    path: Path
    imported: Target | None
    """What came of importing it; None: it had that format."""

    def notes(self) -> list[str]:
        """What the import has left out, and what it could not read."""
        if self.imported is None:
            return []
        lost = [f"left out: {what}, {count:,} times" for what, count in self.imported.lost.most_common()]
        return [*lost, *(f"{what}; what was before it is there" for what in self.imported.damage)]


@contextmanager
def as_own(path: Path) -> Iterator[Own]:
    """A trace of Orrery's, or of another tool's as one, which is gone afterwards; an open file lasts. Either may be compressed.

    What cannot be imported is left out. What is no trace at all is given as it is: who opens it says so.
    Raises InputError when it cannot be read.
    """
    with decompressed(path) as plain:
        if format_of(plain) is None:
            yield Own(plain, None)
            return
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="orrery-import-") as folder:
            own = Path(folder) / f"{plain.stem}.trace"
            yield Own(own, import_trace(plain, own, lossy=True))
