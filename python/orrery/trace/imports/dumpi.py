# SPDX-License-Identifier: BSD-3-Clause
"""DUMPI traces, as sst-dumpi's library writes them: a text file for the run, a binary one for each rank.

What the format does not say: who is in communicators made of two groups, or by spawning and connecting; what moved in a
window, and when; what a call with MPI_IN_PLACE was given. The first two are left out, and counted; of the last the other
side's count is taken. Partitioned messages and non-blocking collectives are younger than the format.
"""

from __future__ import annotations

import re
from pathlib import Path

from orrery.allowance import Allowance
from orrery.errors import InputError
from orrery.trace.imports.beginnings import is_dumpi
from orrery.trace.imports.dumpi_calls import DumpiRankImport
from orrery.trace.imports.dumpi_file import DumpiFile
from orrery.trace.imports.dumpi_groups import CONCERNED, DumpiCommunicators
from orrery.trace.imports.target import Target

_MOST_RANKS = 1 << 24


def import_dumpi(path: Path, out: Path, *, lossy: bool) -> Target:
    """Write the trace whose text file, or any of whose binary ones, is `path` as one of Orrery's.

    Raises InputError when files are missing, or something cannot be said and `lossy` is not given. What was cut off is
    imported up to there.
    """
    files = [DumpiFile(binary) for binary in _files(path)]
    allowance = Allowance(path, sum(file.path.stat().st_size for file in files))
    groups = DumpiCommunicators(
        [[event for event in file.events() if event.name in CONCERNED] for file in files], allowance
    )
    target = Target(out, len(files), lossy=lossy)
    for key, value in (
        ("source", "DUMPI"),
        ("program", path.stem),
        ("mpi", ".".join(map(str, files[0].version))),
        ("not said", "what MPI_IN_PLACE stands for: the other side's count is taken"),
    ):
        target.writer.property(key, value)
    start_ns = min((_start(file) for file in files), default=0)
    for rank, file in enumerate(files):
        if file.hostname:
            target.host(rank, file.hostname)
        rank_import = DumpiRankImport(target, rank, groups, file.type_bytes, start_ns)
        for event in file.events():
            rank_import.take(event)
        complete = not file.damage
        if not complete:
            target.damage.append(f"{file.path}: {file.damage}")
        target.end(rank, complete=complete)
    for number, members in enumerate(groups.members[1:], start=1):
        target.writer.communicator(number, list(members))
    target.close()
    return target


def _start(file: DumpiFile) -> int:
    return next((event.begin_ns for event in file.events() if event.begin_ns >= 0), 0)


def _files(path: Path) -> list[Path]:
    """Those of all ranks, by rank."""
    try:
        with path.open("rb") as file:
            start = file.read(1 << 16)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: cannot read the trace") from None
    if is_dumpi(start):
        found = re.fullmatch(r"(.*-)\d+\.bin", path.name)
        if found is None:
            raise InputError(f"{path}: files of a DUMPI trace are named PREFIX-0000.bin, PREFIX-0001.bin and so on")
        return _numbered(path.parent, found[1], None)
    lines = (line.partition("=") for line in start.decode(errors="replace").splitlines())
    keys = {key: value.strip() for key, equals, value in lines if equals}
    if not re.fullmatch("[0-9]{1,9}", keys.get("numprocs", "")) or not 0 < int(keys["numprocs"]) <= _MOST_RANKS:
        raise InputError(f"{path}: expected a line numprocs=N, N from 1 to {_MOST_RANKS}")
    return _numbered(path.parent, Path(keys.get("fileprefix", "")).name + "-", int(keys["numprocs"]))


def _numbered(folder: Path, prefix: str, count: int | None) -> list[Path]:
    pattern = re.compile(re.escape(prefix) + r"(\d+)\.bin")
    found = {int(match[1]): file for file in folder.iterdir() if (match := pattern.fullmatch(file.name))}
    count = len(found) if count is None else count
    missing = next((rank for rank in range(count) if rank not in found), None)
    if missing is not None:
        raise InputError(f"{folder}: there is no file {prefix}{missing:04}.bin: the trace of rank {missing} is missing")
    return [found[rank] for rank in range(count)]
