# SPDX-License-Identifier: BSD-3-Clause
"""What a file is that is to be replayed, and how it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from orrery import _core
from orrery.allowance import require_ranks
from orrery.errors import InputError
from orrery.marks import TRACE_MAGIC
from orrery.trace.broken_streams import BrokenStreams, broken_streams
from orrery.trace.compressed import decompressed, first_bytes
from orrery.trace.goal import is_goal
from orrery.trace.other_files import what_cannot_be_read, what_has_to_be_simulated
from orrery.trace.ti import files_of


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """What of a recording counts, and what is put in its place."""

    recorded_matches: bool = False
    """Receives of any source take the messages that they took then."""
    recorded_algorithms: bool = False
    """Collectives run by the algorithms that they ran by then ..."""
    but_for: str = ""
    """... but for those that are fixed here, as `--coll` has them."""
    bytes_factor: float = 1.0
    """Messages are so many times as long."""
    flops_per_s: float = 1e9
    """What a second of computation stands for, in time-independent traces."""


@dataclass(frozen=True)
class OpenTrace:
    """A source and what its file says of itself."""

    source: _core.Source
    properties: dict[str, str] = field(default_factory=dict)
    cautions: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    """What could not be read of the file, a sentence each; empty: it is whole."""
    has_sites: bool = False
    """Whether operations name the call sites that they come from."""
    kind: str = "recorded"
    """`recorded`: a trace of Orrery's, or one that was imported; `time-independent`, `goal` or `workload`."""


def streams_broken_in(path: Path) -> BrokenStreams:
    """Streams of a trace that end before MPI_Finalize; none in files of other formats. Raises InputError when it cannot be read."""
    if not is_trace(path):
        return BrokenStreams(0)
    with decompressed(path) as plain:
        return broken_streams(_core.TraceFile(str(plain)))


def choices_in(path: Path) -> int:
    """Tests, probes and receives of any source in a trace; 0 in files of other formats."""
    with decompressed(path) as plain:
        return _core.choices_in(str(plain)) if is_trace(plain) else 0


def is_trace(path: Path) -> bool:
    """Whether a file is there and has Orrery's own format, compressed or not."""
    return path.is_file() and first_bytes(path, len(TRACE_MAGIC)) == TRACE_MAGIC


def is_any_trace(path: Path) -> bool:
    """Whether a file is there and is a trace of Orrery's or of another tool's.

    Raises InputError for what says what ranks do, but not when, and for traces of tools that are not read, with what helps.
    """
    from orrery.trace.imports.detect import format_of

    if not path.exists():
        return False
    if is_trace(path) or format_of(path) is not None:
        return True
    if refusal := what_cannot_be_read(path) or what_has_to_be_simulated(path):
        raise InputError(refusal)
    return False


def files_read(paths: Sequence[Path]) -> list[Path]:
    """Files that replays of these read, those that an index names among them."""
    return [file for path in paths if path.exists() for file in (path, *(files_of(path) or ()))]


def open_source(path: Path, reading: SourceOptions) -> OpenTrace:
    """What is in `path`, which may be compressed, ready to be run once. Raises InputError when it is nothing that can be replayed."""
    with decompressed(path) as plain:
        opened = _open_plain(plain, path, reading)

    def as_named(said: list[str]) -> list[str]:
        return [what.replace(str(plain), str(path)) for what in said]

    return replace(opened, cautions=as_named(opened.cautions), damage=as_named(opened.damage))


def _open_plain(path: Path, named: Path, reading: SourceOptions) -> OpenTrace:
    """`named`: as the user calls it, where `path` is what it holds compressed."""
    start = b"" if path.is_dir() else first_bytes(path, 4096)
    if start.startswith(TRACE_MAGIC):
        return _open_trace(path, reading)
    if is_goal(start):
        if reading.bytes_factor != 1:
            raise InputError(f"--bytes-scale: messages of GOAL schedules, such as {path}, cannot be scaled")
        return OpenTrace(_core.open_goal(str(path)), kind="goal")
    if path.suffix == ".toml":
        return _open_workload(path, reading)
    if (opened := _open_import(named, reading)) is not None:
        return opened
    if files := files_of(path):
        names = [str(file) for file in files]
        source = _core.open_ti(names, flops_per_s=reading.flops_per_s, bytes_factor=reading.bytes_factor)
        return OpenTrace(source, kind="time-independent")
    raise InputError(
        what_cannot_be_read(path)
        or f"{path}: is no trace; expected one that `orrery run -o FILE.trace` wrote (FILE.trace.xz and .gz, too), a GOAL schedule, a time-independent one of SimGrid's "
        f"(a folder, an index, or lines RANK ACTION ...), one of DUMPI (.meta), Paraver (.prv) or OTF2 (.otf2), or the TOML file of a workload"
    )


def _open_trace(path: Path, reading: SourceOptions) -> OpenTrace:
    file = _core.TraceFile(str(path))
    reason = dict(file.properties).get("replayable", "")
    if reason.startswith("no"):
        raise InputError(f"{path}: is a slice that cannot be replayed: {reason.removeprefix('no').lstrip(': ')}")
    source = _core.open_trace(
        str(path),
        recorded_matches=reading.recorded_matches,
        recorded_algorithms=reading.recorded_algorithms,
        but_for=reading.but_for,
        bytes_factor=reading.bytes_factor,
    )
    return OpenTrace(
        source,
        dict(file.properties),
        source.cautions,
        [f"{path}: {what}" for what in file.damage],
        has_sites=bool(file.sites),
    )


def _open_import(path: Path, reading: SourceOptions) -> OpenTrace | None:
    """By way of a trace of Orrery's, which has no name any more once it is open. None: not of a format to import."""
    from orrery.trace.imports.detect import format_of
    from orrery.trace.imports.own import as_own

    if format_of(path) is None:
        return None
    with as_own(path) as own:
        opened = _open_trace(own.path, reading)
        damage = own.damage(_core.TraceFile(str(own.path)))
    return OpenTrace(
        opened.source,
        {},
        [f"{path}: {what}" for what in own.left_out.lines],
        [f"{path}: {what}" for what in damage],
        has_sites=opened.has_sites,
    )


def _open_workload(path: Path, reading: SourceOptions) -> OpenTrace:
    from orrery.trace.workload import load, phases

    described = load(path)
    require_ranks(described.ranks)
    try:
        source = _core.open_workload(
            phases(described), ranks=described.ranks, steps=described.steps, bytes_factor=reading.bytes_factor
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return OpenTrace(source, kind="workload")
