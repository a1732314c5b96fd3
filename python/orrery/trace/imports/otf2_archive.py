# SPDX-License-Identifier: BSD-3-Clause
"""An OTF2 archive, read by a process of its own (otf2_reader): whatever becomes of that, what it has read is here."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from orrery.errors import InputError
from orrery.trace.imports import otf2_reader
from orrery.trace.imports.otf2_definitions import ArchiveDefinitions, load
from orrery.trace.imports.otf2_records import LocationRecords, sections_of

_MOST_CRASHES = 20
_PATIENCE_S = 120.0
"""Without anything new from the process: a batch of events takes a second."""

_PERIOD_S = 0.02


@dataclass
class Otf2Archive:
    """What could be read."""

    definitions: ArchiveDefinitions
    sections: dict[int, LocationRecords] = field(default_factory=dict)
    """What locations did, by location."""
    damage: list[str] = field(default_factory=list)
    """What could not be read, a sentence each."""
    others: Counter[str] = field(default_factory=Counter)
    """Events that are not imported, by kind."""
    metrics: Counter[int] = field(default_factory=Counter)
    """Events of metrics, by the number of what is measured."""

    def add_others(self, path: Path) -> None:
        """Count what one process has read and not kept, if it came so far as to say so."""
        if path.exists():
            plain = json.loads(path.read_text(encoding="utf-8"))
            self.others.update(plain["others"])
            self.metrics.update({int(number): times for number, times in plain["metrics"].items()})

    def complete(self, location: int) -> bool:
        """Whether all that a location did could be read."""
        section = self.sections.get(location)
        return (
            section is not None and section.complete and section.events >= self.definitions.locations[location].events
        )


def read_archive(path: Path, folder: Path) -> Otf2Archive:
    """Read the archive whose anchor file is `path`; `folder` is for what it becomes, and has to last as long.

    Raises InputError when nothing of it can be read, or the library for it is not there.
    """
    if importlib.util.find_spec("_otf2") is None:
        raise InputError(f"{path}: reading OTF2 needs its library: pip install otf2 (or orrery[otf2])")
    archive: Otf2Archive | None = None
    first, crashes = 0, 0
    while True:
        code = _run(path, folder, first)
        said = _lines(folder / f"damage-{first}.txt")
        if archive is None:
            archive = Otf2Archive(_definitions(path, folder, code, said))
        archive.damage += [f"{path}: {what}" for what in said]
        archive.add_others(folder / f"others-{first}.json")
        found = sections_of(folder / f"events-{first}.bin")
        archive.sections |= {section.location: section for section in found}
        if code == 0:
            return archive
        crashes += 1
        where = f"location {found[-1].location}" if found else "the files of its events"
        archive.damage.append(f"{path}: {where}: {_end(code)}")
        if not found or crashes == _MOST_CRASHES:
            return archive
        first += len(found)


def _definitions(path: Path, folder: Path, code: int, said: list[str]) -> ArchiveDefinitions:
    file = folder / "definitions.json"
    if not file.exists():
        complaints = _lines(folder / "said.txt")
        why = next((line.partition("error: ")[2] for line in complaints if line.startswith("[OTF2]")), "")
        why = why or (said[0] if said else f"{_end(code)} ({' '.join(complaints[-1:])})")
        raise InputError(f"{path}: cannot be read as an OTF2 archive: {why}")
    found = load(file)
    if found.resolution <= 0:
        raise InputError(f"{path}: has no clock: its definitions do not say how many ticks a second has")
    return found


def _run(path: Path, folder: Path, first: int) -> int:
    """Gives how the process ended; as `_HUNG` if nothing came from it for long."""
    command = [sys.executable, "-P", "-m", otf2_reader.__name__, str(path), str(folder), str(first)]
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        return _watch(process, folder)
    finally:
        process.kill()
        process.wait()


_HUNG = -1000


def _watch(process: subprocess.Popen[bytes], folder: Path) -> int:
    """Counts its own looks, not the time: when both are stopped for long, nothing is wrong."""
    size, looks = -1, 0
    while looks * _PERIOD_S < _PATIENCE_S:
        try:
            return process.wait(_PERIOD_S)
        except subprocess.TimeoutExpired:
            now = sum(file.stat().st_size for file in folder.iterdir())
        size, looks = now, looks + 1 if now == size else 0
    return _HUNG


def _end(code: int) -> str:
    if code == _HUNG:
        return f"its library has found no end for {_PATIENCE_S:.0f} s: the file is damaged"
    if code < 0:
        return f"its library ended with {signal.Signals(-code).name}: the file is damaged"
    return f"its library ended with exit code {code}"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
