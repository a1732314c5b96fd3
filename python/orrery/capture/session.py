# SPDX-License-Identifier: BSD-3-Clause
"""One captured run, from the library that is built for it to the trace that is put together."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from orrery import _core
from orrery.capture.lines import meanings
from orrery.errors import InputError, Interrupt
from orrery.output import Output
from orrery.real_mpi.compiled import Said, build_wrappers, compiler_line
from orrery.real_mpi.preloaded import not_reached, run_preloaded
from orrery.real_mpi.starter import mpicc_of
from orrery.verbs import setting

_ABOUT = "about.json"
_RUNS_NOTHING = {"parts": "acts only on a program that runs, not with {parts}"}
_PATHS = {"callpath": "the paths of {callpath} have the call sites, too; use one of them"}


@dataclass(frozen=True, kw_only=True)
class CaptureSettings:
    """One run to capture."""

    command: list[str]
    """The command line that starts the program, as it would be without capture."""
    output: Output
    """Trace to write."""
    output_aside: bool = False
    """What the program writes to standard output goes to standard error."""
    mpicc: Annotated[str | None, setting("--mpicc", metavar="COMMAND", beside=_RUNS_NOTHING)] = None
    """Compiler of your MPI; by default the one that lies beside mpirun."""
    parts: Annotated[Path | None, setting("--parts", metavar="FOLDER")] = None
    """Run nothing: put together what ranks wrote there, as an earlier capture left it."""
    callsites: Annotated[bool, setting("--callsites", beside=_RUNS_NOTHING | _PATHS)] = False
    """Note where in the program each call stands: file and line, if it was compiled with -g."""
    callpath: Annotated[bool, setting("--callpath", beside=_RUNS_NOTHING)] = False
    """Note each call with all functions that are under way, from main on. Some microseconds a call."""


@dataclass(frozen=True, kw_only=True)
class CaptureOutcome:
    """What came of it."""

    trace: str
    """File."""
    exit_code: int
    """That of the launcher."""
    wall_s: float
    """From start to end of the launcher."""
    ranks: int
    """Ranks of MPI_COMM_WORLD."""
    operations: int
    """In the trace."""
    bytes: int
    """Size of the trace."""
    missing: list[int]
    """Ranks that left nothing."""
    cut_off: list[int]
    """Ranks that did not come to MPI_Finalize: what they did until then is in the trace."""
    spawned: int
    """Processes that were spawned: they are not captured."""
    damage: list[str]
    """What could not be read, a sentence each."""


def capture(settings: CaptureSettings, said: Said) -> CaptureOutcome:
    """Run the command and put its trace together, however the program ends.

    `said` is told before the library is compiled, which is when it is needed first for an MPI.

    Raises:
        InputError: the library cannot be built, the command cannot be started, or the trace cannot be written: then what
            ranks wrote is kept.
        OrreryError: no rank was captured.
    """
    if settings.parts is not None:
        return _of_parts(settings, settings.parts)
    mpicc = settings.mpicc or mpicc_of(settings.command)
    library = build_wrappers("capture", mpicc, said=said)
    folder = _parts_folder(settings.output.path)
    about = _RunFacts(command=settings.command, mpicc=f"{mpicc}: {compiler_line(mpicc)}")
    about.write(folder)
    begin = time.monotonic()
    try:
        code = _run(settings, library, folder)
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    about = replace(about, exit_code=code, wall_s=time.monotonic() - begin)
    if not _parts_in(folder):
        shutil.rmtree(folder, ignore_errors=True)
        raise not_reached("no rank was captured", code, settings.command, mpicc, "--mpicc")
    try:
        captured = _put_together(settings.output, about, folder)
    except (InputError, KeyboardInterrupt) as error:
        about.write(folder)
        again = shlex.join(["orrery", "capture", "--parts", str(folder), "-o", "FILE"])
        kept = "what ranks wrote is kept, and this puts it together"
        if isinstance(error, KeyboardInterrupt):
            raise Interrupt(f"{kept}: {again}") from None
        raise InputError(f"{error}; {kept} elsewhere: {again}") from None
    shutil.rmtree(folder, ignore_errors=True)
    return captured


@dataclass(frozen=True, kw_only=True)
class _RunFacts:
    """What is known of a run besides what its ranks write."""

    command: list[str]
    mpicc: str
    exit_code: int = 0
    wall_s: float = 0.0

    def write(self, folder: Path) -> None:
        """For `--parts`; a disk may be full, and the ranks matter more."""
        with contextlib.suppress(OSError):
            (folder / _ABOUT).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(folder: Path) -> _RunFacts:
        """Nothing, where there is nothing that can be read."""
        try:
            return _RunFacts(**json.loads((folder / _ABOUT).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return _RunFacts(command=[], mpicc="")


def _of_parts(settings: CaptureSettings, folder: Path) -> CaptureOutcome:
    """What an earlier capture left: its disk was full, or it was killed. The folder stays."""
    if not _parts_in(folder):
        raise InputError(f"--parts {folder}: there are no files of ranks, such as 0.trace")
    return _put_together(settings.output, _RunFacts.read(folder), folder)


def _parts_in(folder: Path) -> list[Path]:
    """By rank."""
    return sorted((path for path in folder.glob("*.trace") if path.stem.isdigit()), key=lambda path: int(path.stem))


def _parts_folder(output: Path) -> Path:
    """Where ranks write: beside the trace, so that all hosts see it that would see the trace."""
    try:
        return Path(tempfile.mkdtemp(prefix=f"{output.name}.", dir=output.absolute().parent))
    except OSError as error:
        raise InputError(f"{output}: {error.strerror}: cannot write the trace there") from None


def _run(settings: CaptureSettings, library: Path, folder: Path) -> int:
    variables = {"ORRERY_CAPTURE": str(folder)}
    if settings.callsites or settings.callpath:
        variables["ORRERY_CAPTURE_SITES"] = "paths" if settings.callpath else "calls"
    return run_preloaded(settings.command, library, variables, output_aside=settings.output_aside)


def _put_together(output: Output, about: _RunFacts, folder: Path) -> CaptureOutcome:
    parts = _parts_in(folder)
    damage = [why for part in parts if (why := _recover(part)) is not None]
    with output.partial() as partial:
        merged = _core.merge_traces([str(part) for part in parts], str(partial), _properties(about), _sites_of(parts))
        ranks, size = _core.TraceFile(str(partial)).ranks, partial.stat().st_size
    return CaptureOutcome(
        trace=str(output.path),
        exit_code=about.exit_code,
        wall_s=about.wall_s,
        ranks=ranks,
        operations=merged.operations,
        bytes=size,
        missing=list(merged.missing),
        cut_off=list(merged.cut_off),
        spawned=len(list(folder.glob("spawned.*"))),
        damage=[*merged.damage, *damage],
    )


def _sites_of(parts: list[Path]) -> dict[str, str]:
    """File and line of each call site. Ranks of the same program have the same."""
    texts: set[str] = set()
    for part in parts:
        with contextlib.suppress(InputError):  # merging says why it cannot be read
            texts.update(_core.TraceFile(str(part)).sites.values())
    return meanings(texts) if texts else {}


def _recover(part: Path) -> str | None:
    """Add to a rank's file what it had not come to write. Why that is not possible, if it is not."""
    rest = part.with_suffix(".rest")
    try:
        if rest.exists():
            _core.recover_trace(str(part), str(rest))
    except InputError as error:
        return str(error)
    return None


def _properties(about: _RunFacts) -> list[tuple[str, str]]:
    return [
        ("source", "orrery capture"),
        ("command", shlex.join(about.command)),
        ("mpi", about.mpicc),
        ("date", datetime.now(UTC).isoformat(timespec="seconds")),
        ("clock", "wall"),
        ("exit_code", str(about.exit_code)),
    ]
