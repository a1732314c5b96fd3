# SPDX-License-Identifier: BSD-3-Clause
"""One captured run, from the library that is built for it to the trace that is put together."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orrery import _core
from orrery.calibrate.compiled import build, compiler_line, sources
from orrery.capture.launcher import mpicc_of, passing
from orrery.errors import InputError, OrreryError


@dataclass(frozen=True, kw_only=True)
class CaptureSettings:
    """One run to capture."""

    command: list[str]
    """The command line that starts the program, as it would be without capture."""
    output: Path = Path("capture.trace")
    """Trace to write."""
    mpicc: str | None = None
    """Compiler of the program's MPI; by default the one that lies beside the launcher."""


@dataclass(frozen=True, kw_only=True)
class Captured:
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


def capture(settings: CaptureSettings) -> Captured:
    """Run the command and put its trace together, however the program ends.

    Raises:
        InputError: the library cannot be built, the command cannot be started, or no rank was captured.
    """
    mpicc = settings.mpicc or mpicc_of(settings.command)
    library = build("capture", mpicc, options=_options())
    folder = _parts_folder(settings.output)
    try:
        begin = time.monotonic()
        code = _run(settings.command, library, folder)
        wall_s = time.monotonic() - begin
        return _put_together(settings, mpicc, folder, code, wall_s)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _options() -> list[str]:
    root = next(path.parent for path in sources("capture") if path.name == "capture.h")
    return ["-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", f"-I{root}", "-ldl"]


def _parts_folder(output: Path) -> Path:
    """Where ranks write: beside the trace, so that all hosts see it that would see the trace."""
    try:
        return Path(tempfile.mkdtemp(prefix=f"{output.name}.", dir=output.absolute().parent))
    except OSError as error:
        raise InputError(f"{output}: {error.strerror}: cannot write the trace there") from None


def _run(command: list[str], library: Path, folder: Path) -> int:
    preload = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD", "")]))
    variables = {"LD_PRELOAD": preload, "ORRERY_CAPTURE": str(folder)}
    line = passing(command, variables)
    try:
        process = subprocess.Popen(line, env={**os.environ, **variables})
    except OSError as error:
        raise InputError(f'cannot start "{command[0]}": {error.strerror}') from None
    with _handing_on_signals(process):
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _handing_on_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Requests to end go to the launcher, which ends its ranks; we then put together what there is.

    Ctrl-C reaches the launcher by itself, as it is in the foreground too.
    """
    handlers = {
        signal.SIGINT: lambda *_: None,
        signal.SIGTERM: lambda *_: process.terminate(),
        signal.SIGHUP: lambda *_: process.terminate(),
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _put_together(settings: CaptureSettings, mpicc: str, folder: Path, code: int, wall_s: float) -> Captured:
    parts = sorted(folder.glob("*.trace"), key=lambda path: int(path.stem))
    if not parts:
        raise OrreryError(
            f"no rank was captured (exit code {code} of {settings.command[0]}): the program uses another MPI than that "
            f"of {mpicc} (name its compiler: --mpicc), is linked statically, or did not come as far as MPI_Init"
        )
    for part in parts:
        rest = part.with_suffix(".rest")
        if rest.exists():
            _core.recover_trace(str(part), str(rest))
    merged = _core.merge_traces([str(part) for part in parts], str(settings.output), _properties(settings, mpicc, code))
    return Captured(
        trace=str(settings.output),
        exit_code=code,
        wall_s=wall_s,
        ranks=_core.TraceFile(str(settings.output)).ranks,
        operations=merged.operations,
        bytes=settings.output.stat().st_size,
        missing=list(merged.missing),
        cut_off=list(merged.cut_off),
        spawned=len(list(folder.glob("spawned.*"))),
        damage=list(merged.damage),
    )


def _properties(settings: CaptureSettings, mpicc: str, code: int) -> list[tuple[str, str]]:
    return [
        ("source", "orrery capture"),
        ("command", shlex.join(settings.command)),
        ("mpi", f"{mpicc}: {compiler_line(mpicc)}"),
        ("date", datetime.now(UTC).isoformat(timespec="seconds")),
        ("clock", "wall"),
        ("exit_code", str(code)),
    ]
