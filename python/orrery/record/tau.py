# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of TAU: folders of files `profile.NODE.CONTEXT.THREAD`, which pprof, ParaProf and Hatchet read.

A file has a line for each routine: its name, calls, calls that it makes itself, exclusive and inclusive microseconds,
and the group that it is in. The line above them carries metadata as XML. A node is a rank; what its contexts and threads
did is summed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from orrery.errors import InputError
from orrery.record.document import Profile, Row
from orrery.record.profile import APPLICATION
from orrery.record.sums import summed

TAU_APPLICATION = ".TAU application"
"""TAU's name of the program itself."""
CALLPATH = "TAU_CALLPATH"
"""Group of rows that are paths of calls, with ` => ` in their names."""
_DISABLED = "TAU_DISABLE"
"""Group of routines that were called so often that TAU measures them no more."""

_FILE = re.compile(r"profile\.(\d+)\.(\d+)\.(\d+)")
_HEAD = re.compile(r"(\d{1,9}) templated_functions(?:_MULTI_(.*))?")
_NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)"
_FUNCTION = re.compile(rf'"(.*)" {_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER} GROUP="(.*)"')
_OF_ONE_TIME_METRIC = "MULTI__TIME"
"""Folder of the profiles of time, where TAU measured several things at once."""


@dataclass(frozen=True, kw_only=True)
class TauProfiles:
    """What a folder of TAU's profiles says."""

    path: str
    """Path of the folder, or of one file."""
    profile: Profile
    metadata: dict[int, dict[str, str]]
    """Metadata of each rank, as TAU names it."""
    paths: list[Row]
    """Call paths, where TAU recorded them: names are joined by ` => `. Not in `profile`."""
    in_mpi: frozenset[str]
    """Names of rows that are routines of MPI, by TAU's groups; the others are the program's, or of other libraries."""
    total_s: dict[int, float]
    """By rank: until its longest thread ended, which is the inclusive time of the routine that has called all others."""

    @property
    def hosts(self) -> list[str]:
        """By rank; empty: not known of all."""
        named = [self.metadata[rank].get("Hostname", "") for rank in sorted(self.metadata)]
        return named if all(named) else []


class _Line(NamedTuple):
    name: str
    calls: int
    subrs: int
    exclusive_s: float
    inclusive_s: float
    group: str

    @property
    def is_of_mpi(self) -> bool:
        """By its groups; of what TAU measures no more they say that alone."""
        groups = {group.strip() for group in self.group.split("|")}
        return "MPI" in groups or (_DISABLED in groups and self.name.startswith("MPI_"))


def is_tau(path: Path) -> bool:
    """Whether it is a profile of TAU, or a folder of some. Looks at names only."""
    return bool(_FILE.fullmatch(path.name)) if path.is_file() else bool(_files_of(path))


def read_tau(path: Path) -> TauProfiles:
    """Read a folder of TAU's profiles, or one of its files.

    Raises InputError when there is none, or one cannot be read.
    """
    files = [path] if path.is_file() else _files_of(path)
    if not files:
        raise InputError(f"{path}: there is no profile.0.0.0 of TAU in it")
    flat: list[Row] = []
    paths: list[Row] = []
    metadata: dict[int, dict[str, str]] = {}
    in_mpi: set[str] = set()
    total_s: dict[int, float] = {}
    for file in files:
        rank = int(_matched(file)[1])
        lines, about = _read_file(file)
        metadata.setdefault(rank, {}).update(about)
        longest_s = max((line.inclusive_s for line in lines), default=0.0)
        total_s[rank] = max(total_s.get(rank, 0.0), longest_s)
        in_mpi |= {line.name for line in lines if line.is_of_mpi}
        flat += [_row(line, rank, longest_s) for line in lines if CALLPATH not in line.group]
        paths += [_row(line, rank, longest_s) for line in lines if CALLPATH in line.group]
    by_rank = [row for rank in sorted(metadata) for row in summed((r for r in flat if r.rank == rank), rank=rank)]
    return TauProfiles(
        path=str(path),
        profile=Profile(summed=summed(by_rank, rank=None), per_rank=by_rank),
        metadata=dict(sorted(metadata.items())),
        paths=summed(paths, rank=None),
        in_mpi=frozenset(in_mpi),
        total_s=dict(sorted(total_s.items())),
    )


def _files_of(folder: Path) -> list[Path]:
    """By node, context, thread."""
    if not folder.is_dir():
        return []
    inside = folder / _OF_ONE_TIME_METRIC
    names = [path for path in (inside if inside.is_dir() else folder).iterdir() if _FILE.fullmatch(path.name)]
    return sorted(names, key=lambda path: tuple(map(int, _matched(path).groups())))


def _matched(path: Path) -> re.Match[str]:
    found = _FILE.fullmatch(path.name)
    if found is None:
        raise InputError(f"{path}: is no profile of TAU; those are named profile.NODE.CONTEXT.THREAD")
    return found


def _read_file(path: Path) -> tuple[list[_Line], dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: cannot read it") from None
    head = _HEAD.fullmatch(text[0].strip()) if text else None
    if head is None or len(text) < 2:
        raise InputError(f'{path}:1: is no profile of TAU; expected "N templated_functions"')
    if head[2] is not None and "TIME" not in head[2]:
        raise InputError(f"{path}:1: is a profile of {head[2]}, not of time; name the folder of a profile of TIME")
    number = int(head[1])
    if len(text) < 2 + number:
        raise InputError(f"{path}: has {len(text) - 2} of the {number} routines that its first line tells of")
    lines = [_parsed(path, i, text[i - 1]) for i in range(3, 3 + number)]
    return lines, _metadata_in(text[1])


def _parsed(path: Path, number: int, text: str) -> _Line:
    found = _FUNCTION.match(text)
    if found is None:
        raise InputError(
            f'{path}:{number}: is no line of a routine; expected "NAME" CALLS SUBRS EXCL INCL PROFILECALLS GROUP="..."'
        )
    calls, subrs, exclusive_us, inclusive_us = (float(found[i]) for i in range(2, 6))
    if not all(map(isfinite, (calls, subrs, exclusive_us, inclusive_us))):
        raise InputError(f"{path}:{number}: a number is too large")
    return _Line(_own_name(found[1]), round(calls), round(subrs), exclusive_us * 1e-6, inclusive_us * 1e-6, found[7])


def _own_name(name: str) -> str:
    steps = [re.sub(r"\s+", " ", step).strip() for step in name.split("=>")]
    return " => ".join(APPLICATION if step == TAU_APPLICATION else step for step in steps)


def _metadata_in(line: str) -> dict[str, str]:
    found = {}
    for attribute in line.split("<attribute><name>")[1:]:
        name, _, rest = attribute.partition("</name><value>")
        value, closed, _ = rest.partition("</value></attribute>")
        if closed:
            found[_unescaped(name)] = _unescaped(value)
    return found


def _unescaped(text: str) -> str:
    try:
        return unescape(text)
    except ValueError:  # a number of a character with thousands of digits
        return text


def _row(line: _Line, rank: int, total_s: float) -> Row:
    return Row(
        rank=rank,
        phase=None,
        name=line.name,
        percent_time=100 * line.inclusive_s / total_s if total_s > 0 else 0.0,
        exclusive_s=line.exclusive_s,
        inclusive_s=line.inclusive_s,
        calls=line.calls,
        subrs=line.subrs,
        messages=0,
        bytes=0,
    )
