# SPDX-License-Identifier: BSD-3-Clause
"""C programs and libraries of `src/measure`, built with the user's `mpicc` when they are first needed, and kept."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orrery
from orrery.errors import InputError, OrreryError

_FLAGS = ("-std=c99", "-O2")
_WHAT = {
    "bench": "the program that measures",
    "capture": "the capture library",
    "collectives": "the program that times collectives",
    "relay": "the layer that connects sites",
    "suite": "the benchmark",
}
"""Programs in words."""


def sources(program: str) -> list[Path]:
    """C files of a program of `src/measure`, as they are installed."""
    folder = Path(orrery.__file__).parent / "prefix" / "measure" / program
    found = sorted([*folder.glob("*.[ch]"), *folder.glob("*/*.[ch]")])
    if not found:
        raise OrreryError(f"{folder} is not there: this installation of Orrery is not complete; install it again")
    return found


def build_command(program: str, mpicc: str, binary: Path, options: Sequence[str] = ()) -> list[str]:
    """The compiler's command line."""
    files = [str(file) for file in sources(program) if file.suffix == ".c"]
    return [*shlex.split(mpicc), *_FLAGS, *options, *files, "-o", str(binary), "-lm"]


Said = Callable[[str], object]
"""Is called with a sentence for the user."""


def _quiet(_text: str) -> None:
    """Ignore the sentence."""


def build(
    program: str, mpicc: str, folder: Path | None = None, options: Sequence[str] = (), said: Said = _quiet
) -> Path:
    """Path of the program, built by `mpicc` unless it is there already from equal sources and an equal compiler.

    Args:
        program: a folder of src/measure.
        mpicc: the user's compiler of MPI programs, with options if need be.
        folder: where it is kept; by default the user's cache, which should be visible on all nodes.
        options: of the compiler, besides the usual ones.
        said: told before it compiles, which takes seconds, and when it has.
    Raises:
        InputError: the compiler is not there, or refuses.
    """
    folder = folder or cache()
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / f"{program}-{_fingerprint(program, mpicc, options)}"
    if binary.exists():
        return binary
    said(f"compiling {_WHAT.get(program, program)} for this MPI with {mpicc}; it is kept in {folder}")
    fresh, begin = binary.with_suffix(f".{os.getpid()}"), time.monotonic()
    done = _call(build_command(program, mpicc, fresh, options), mpicc)
    if done.returncode != 0:
        raise InputError(f'--mpicc "{mpicc}" cannot build {program}: {_first_error(done.stderr)}')
    fresh.rename(binary)
    said(f"compiled in {time.monotonic() - begin:.1f} s; the next time it is there")
    return binary


def cache() -> Path:
    """Where built programs are kept between calibrations. Raises InputError where there is no home."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise InputError("there is no home to keep compiled programs in: set HOME or XDG_CACHE_HOME") from None
    return Path(base) / "orrery" / "measure"


def compiler_line(mpicc: str) -> str:
    """The command that a compiler wrapper calls; its version if it does not show that."""
    for option in ("-show", "--version"):
        done = _call([*shlex.split(mpicc), option], mpicc)
        if done.returncode == 0 and done.stdout.strip():
            return str(done.stdout.strip().splitlines()[0])
    return mpicc


def _fingerprint(program: str, mpicc: str, options: Sequence[str]) -> str:
    digest = hashlib.sha256(compiler_line(mpicc).encode())
    digest.update(shlex.join([mpicc, *options]).encode())
    for file in sources(program):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _call(command: list[str], mpicc: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise InputError(f'--mpicc "{mpicc}": {error.strerror}; name the compiler of your MPI') from None


def _first_error(text: str) -> str:
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["no message"]
    return lines[0]
