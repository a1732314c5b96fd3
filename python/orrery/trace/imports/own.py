# SPDX-License-Identifier: BSD-3-Clause
"""Traces of any tool as Orrery's own, for what looks into them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orrery import _core
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.marks import TRACE_MAGIC
from orrery.temporary import temporary_folder
from orrery.trace.broken_streams import BrokenStreams, broken_streams
from orrery.trace.compressed import decompressed, first_bytes
from orrery.trace.imports.detect import format_of, import_trace
from orrery.trace.other_files import simulation_gives_times, what_cannot_be_read, what_has_to_be_simulated

if TYPE_CHECKING:
    from orrery.trace.imports.target import Target


@dataclass(frozen=True)
class OwnTrace:
    """A trace in Orrery's format."""

    path: Path
    named: Path
    """As the user calls it."""
    imported: Target | None
    """What came of importing it; None: it had that format."""

    @property
    def left_out(self) -> Omissions:
        """What the import has left out."""
        return Omissions() if self.imported is None else self.imported.left_out

    def damage(self, file: _core.TraceFile) -> list[str]:
        """What could not be read of the trace, which `file` opens, a sentence each; all of it is read for that."""
        if self.imported is not None:
            return self.imported.what_is_damaged
        return self.damage_beside(file, broken_streams(file))

    def damage_beside(self, file: _core.TraceFile, broken: BrokenStreams) -> list[str]:
        """What `damage` says, where the streams that end too early are known."""
        if self.imported is not None:
            return self.imported.what_is_damaged
        return [*broken.damage, *(what.replace(str(self.path), str(self.named)) for what in file.damage)]

    def notes(self, file: _core.TraceFile) -> list[str]:
        """What the import has left out, and what could not be read."""
        return [*self.left_out.lines, *self.damage(file)]

    def check_times(self, file: _core.TraceFile) -> int:
        """The end of the run in ns, for commands that need to know when calls were.

        Raises InputError when nothing in the trace has a time. It says first that the trace is not complete, where it is
        not, and advises a replay only where there are calls to replay.
        """
        try:
            return _core.trace_end_ns(file)
        except InputError:
            raise InputError(f"{self.named}: {self._why_untimed(file)}") from None

    def _why_untimed(self, file: _core.TraceFile) -> str:
        damage = [what.removeprefix(f"{self.named}: ") for what in self.damage(file)]
        incomplete = f"is not complete ({'; '.join(damage)}), and " if damage else ""
        if file.records == 0:
            what = "no call of any rank is left of it" if damage else "holds no call of any rank"
            return f"{incomplete}{what}, so there are no times, and a replay gives none: record the run again"
        what = "what is left of it does not say" if damage else "does not say"
        ending = " (the replay ends with 1, as its trace is not complete)" if damage else ""
        return f"{incomplete}{what} when anything happened: {simulation_gives_times(self.named)}{ending}"


@contextmanager
def as_own(path: Path) -> Iterator[OwnTrace]:
    """A trace of Orrery's, or of another tool's as one, which is gone afterwards; an open file lasts. Either may be compressed.

    What cannot be imported is left out. Raises InputError when it cannot be read, and for what says nothing of times.
    """
    if format_of(path) is not None:
        with temporary_folder("orrery-import-") as folder:
            own = folder / "own.trace"
            yield OwnTrace(own, path, import_trace(path, own, lossy=True))
        return
    _check(path)
    with decompressed(path) as plain:
        yield OwnTrace(plain, path, None)


def _check(path: Path) -> None:
    """Raises InputError for what is known to be no trace of Orrery's, with what helps."""
    if path.is_file() and first_bytes(path, len(TRACE_MAGIC)) == TRACE_MAGIC:
        return
    if refusal := what_cannot_be_read(path) or what_has_to_be_simulated(path):
        raise InputError(refusal)
