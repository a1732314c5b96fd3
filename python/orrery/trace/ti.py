# SPDX-License-Identifier: BSD-3-Clause
"""Which files a time-independent trace of SimGrid's consists of."""

from __future__ import annotations

import re
from pathlib import Path

from orrery.errors import InputError

_ACTION = re.compile(rb"\s*(\d{1,9})[ \t]+([A-Za-z_]+)")
_ENOUGH = 1 << 16


def files_of(path: Path) -> list[Path] | None:
    """The files of all ranks, in their order; a single one may hold several ranks. None: `path` is no such trace.

    `path` is a folder with a file for each rank, a file of all ranks, or an index with the name of a file on each line, as
    `smpirun -trace-ti` writes it: relative to the current folder, or to its own.

    Raises:
        InputError: a file that the index names is not there, or a folder has two files of a rank.
    """
    if path.is_dir():
        return _in_folder(path)
    with path.open("rb") as file:
        start = file.read(_ENOUGH)
    line = _first_line(start)
    if line is None or b"\0" in start:
        return None
    if _ACTION.match(line):
        return [path]
    return _listed(path) if _located(path, line.decode(errors="replace").strip()) else None


def _first_line(start: bytes) -> bytes | None:
    """The first that says something."""
    lines = (line for line in start.splitlines() if line.strip() and not line.startswith(b"#"))
    return next(lines, None)


def _located(index: Path, name: str) -> Path | None:
    try:
        return next((place for place in (Path(name), index.parent / name) if place.is_file()), None)
    except (OSError, ValueError):  # longer than a name can be, or with a character that none can have
        return None


def _listed(index: Path) -> list[Path]:
    files = []
    for number, line in enumerate(index.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        found = _located(index, name)
        if found is None:
            raise InputError(f"{index}:{number}: there is no file {name}, neither here nor beside the index")
        files.append(found)
    return files


def _in_folder(folder: Path) -> list[Path] | None:
    by_rank: dict[int, Path] = {}
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            continue
        with path.open("rb") as file:
            action = _ACTION.match(_first_line(file.read(_ENOUGH)) or b"")
        if action is None:
            continue
        rank = int(action[1])
        if rank in by_rank:
            raise InputError(f"{path}: is of rank {rank}, as {by_rank[rank].name} is; name the index of the trace")
        by_rank[rank] = path
    if not by_rank:
        return None
    missing = next((rank for rank in range(len(by_rank)) if rank not in by_rank), None)
    if missing is not None:
        raise InputError(f"{folder}: there are {len(by_rank)} files of ranks, but none of rank {missing}")
    return [by_rank[rank] for rank in range(len(by_rank))]
