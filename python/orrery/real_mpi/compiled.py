# SPDX-License-Identifier: BSD-3-Clause
"""Programs and libraries of `src/measure`, built with the user's compiler of MPI programs when first needed, and kept."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orrery
from orrery.children import Children
from orrery.errors import InputError, OrreryError
from orrery.temporary import temporary_folder, written_beside

_FLAGS = ("-std=c99", "-O2")
_CXX_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-w")
_SUFFIXES = {".c", ".h", ".cpp", ".hpp"}
_WHAT = {
    "bench": "the program that measures",
    "capture": "the capture library",
    "collectives": "the program that times collectives",
    "deploy": "the library of collectives, which takes about a minute,",
    "relay": "the layer that connects sites",
    "seen": "the program that records messages",
    "suite": "the benchmark",
    "watch": "the watching library",
}
"""Programs in words."""


def sources(program: str) -> list[Path]:
    """Source files of a program of `src/measure`, as they are installed."""
    folder = _folder(program)
    found = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)
    if not found:
        raise OrreryError(f"{folder} is not there: this installation of Orrery is not complete; install it again")
    return found


def _folder(program: str) -> Path:
    return Path(orrery.__file__).parent / "prefix" / "measure" / program


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

    def make(fresh: Path) -> None:
        done = _call(build_command(program, mpicc, fresh, options), mpicc)
        if done.returncode != 0:
            raise InputError(f'--mpicc "{mpicc}" cannot build {program}: {_first_error(done.stderr)}')

    return _kept(program, mpicc, options, folder=folder, said=said, make=make)


def build_wrappers(program: str, mpicc: str, said: Said = _quiet) -> Path:
    """Path of a library in C that is preloaded, with the wrappers of `src/measure/capture`, kept as programs are.

    Args and errors are those of `build`.
    """
    root = next(path.parent for path in sources(program) if path.name == "capture.h")
    options = ["-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", f"-I{root}", "-ldl"]
    return build(program, mpicc, options=options, said=said)


def build_library(program: str, mpicxx: str, folder: Path | None = None, said: Said = _quiet) -> Path:
    """Path of a library in C++20 that is preloaded, kept as programs are. Its units are compiled side by side.

    Args:
        program: a folder of src/measure that has units.
        mpicxx: the user's compiler of MPI programs in C++, with options if need be.
        folder: where it is kept, as for `build`.
        said: told before it compiles, and when it has.
    Raises:
        InputError: the compiler is not there, or refuses.
    """
    children = Children()

    def run(arguments: list[str]) -> None:
        done = _call([*shlex.split(mpicxx), *_CXX_FLAGS, *arguments], mpicxx, "--mpicxx", children)
        if done.returncode != 0:
            raise InputError(f'--mpicxx "{mpicxx}" cannot build {program}: {_first_error(done.stderr)}')

    def make(fresh: Path) -> None:
        root = _folder(program)
        units = sorted((root / "units").glob("*.cpp"))
        with temporary_folder(".objects-", fresh.parent) as objects, ThreadPoolExecutor(os.cpu_count()) as pool:
            made = [str(objects / f"{unit.stem}.o") for unit in units]
            lines = [
                [f"-I{root}", "-c", str(unit), "-o", object_file] for unit, object_file in zip(units, made, strict=True)
            ]
            try:
                list(pool.map(run, lines))
            except BaseException:
                children.end()  # the pool waits for its threads
                raise
            run(["-shared", "-o", str(fresh), *made, "-ldl"])

    return _kept(program, mpicxx, _CXX_FLAGS, folder=folder, said=said, make=make)


def _kept(
    program: str,
    compiler: str,
    options: Sequence[str],
    *,
    folder: Path | None,
    said: Said,
    make: Callable[[Path], None],
) -> Path:
    """The binary, made where it is not there."""
    folder = folder or cache()
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / f"{program}-{_fingerprint(program, compiler, options)}"
    if binary.exists():
        return binary
    said(f"compiling {_WHAT.get(program, program)} for this MPI with {compiler}; it is kept in {folder}")
    begin = time.monotonic()
    with written_beside(binary) as fresh:
        make(fresh)
        fresh.rename(binary)
    said(f"compiled in {time.monotonic() - begin:.1f} s")
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


def _call(
    command: list[str], mpicc: str, option: str = "--mpicc", children: Children | None = None
) -> subprocess.CompletedProcess[str]:
    with temporary_folder() as folder:  # compilers leave what they have there when they are killed
        variables = {**os.environ, "TMPDIR": str(folder)}
        try:
            return (children or Children()).finished(command, variables=variables)
        except OSError as error:
            raise InputError(f'{option} "{mpicc}": {error.strerror}; name the compiler of your MPI') from None


def _first_error(text: str) -> str:
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["no message"]
    return lines[0]
