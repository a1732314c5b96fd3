# SPDX-License-Identifier: BSD-3-Clause
"""Which binary interface of MPI a program needs, found out before it is started, and how it gets that one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orrery
from orrery.errors import InputError
from orrery.run.elf import Elf, read_elf
from orrery.run.python_program import find_extension, is_python

_PREFIX = Path(orrery.__file__).parent / "prefix"


@dataclass(frozen=True)
class Interface:
    """A binary interface: the names under which programs ask for its library."""

    name: str
    title: str
    libraries: tuple[str, ...]
    folder: Path | None
    """Where Orrery's library lies; None: there is none."""


STANDARD = Interface(
    "standard",
    "standard ABI of MPI-5.0",
    ("libmpi_abi_fortran.so.1", "libmpi_abi.so.0", "libmpi_abi.so.1"),
    _PREFIX / "lib",
)
MPICH = Interface(
    "mpich",
    "MPICH",
    ("libmpi.so.12", "libmpich.so.12", "libmpifort.so.12", "libmpichfort.so.12"),
    _PREFIX / "lib" / "mpich",
)
OPENMPI = Interface("openmpi", "Open MPI", ("libmpi.so.40",), _PREFIX / "lib" / "openmpi")
# Open MPI's library for Fortran reaches into its library for C: it works on no other.
OPENMPI_FORTRAN = Interface("openmpi", "Open MPI for Fortran", ("libmpi_mpifh.so.40",), None)
_ALL = (STANDARD, MPICH, OPENMPI, OPENMPI_FORTRAN)
_OF_LIBRARY = {library: interface for interface in _ALL for library in interface.libraries}

# Where the loader looks when nothing else is said. Libraries of these folders may need MPI as well (Debian's ScaLAPACK).
_SYSTEM = (
    *(f"{root}/{folder}" for folder in ("x86_64-linux-gnu", "aarch64-linux-gnu") for root in ("/lib", "/usr/lib")),
    "/lib64",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/lib",
)
_NEVER_NEED_MPI = (
    "ld-linux",
    "libc.so",
    "libm.so",
    "libpthread.so",
    "libdl.so",
    "libgcc_s.so",
    "libstdc++.so",
    "librt.so",
)


@dataclass(frozen=True)
class Needs:
    """What a program needs to be started with."""

    interface: Interface = STANDARD
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables to set."""
    is_script: bool = False
    """An interpreter runs it, or it needs no MPI itself: it may start the MPI program, so each rank is started afresh."""


def needs(command: list[str], environment: Mapping[str, str]) -> Needs:
    """What the program needs. Raises InputError when it needs an interface that Orrery does not have."""
    path = _program(command[0], environment)
    if path is None:
        return Needs()  # who starts it says that it is not there
    if is_python(path):
        return _needs_of_python(path, environment)
    elf = read_elf(path)
    found = None if elf is None else _mpi_library(elf, environment)
    if found is None:  # a script, a shell or the like, which may start anything: every interface is where it will look
        folders = [i.folder for i in _ALL if i.folder is not None]
        return Needs(environment=_first(environment, folders), is_script=True)
    library, by_rpath = found
    interface = _OF_LIBRARY[library]
    folder = _available(interface, command[0], library)
    variables = _first(environment, [folder])
    if by_rpath:  # the program's own folders come before those of the environment
        variables |= preload(environment, folder / library)
    return Needs(interface, variables)


def _needs_of_python(path: Path, environment: Mapping[str, str]) -> Needs:
    extension = find_extension(path, environment, {i.name for i in _ALL if i.folder is not None})
    if extension is None:
        folders = [i.folder for i in _ALL if i.folder is not None]
        return Needs(environment=_first(environment, folders) | _single_threaded(environment), is_script=True)
    elf = read_elf(extension.path)
    found = _mpi_library(elf, environment) if elf is not None else None
    library = found[0] if found is not None else STANDARD.libraries[-1]
    interface = _OF_LIBRARY[library]
    folder = _available(interface, str(extension.path), library)
    variables = _first(environment, [folder])
    # Loaded with the interpreter, the library also gives simulated time to Python's clocks.
    variables |= preload(environment, folder / library)
    if extension.variant is not None:
        variables["MPI4PY_MPIABI"] = extension.variant
    variables |= _single_threaded(environment)
    return Needs(interface, variables, is_script=True)


def _single_threaded(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that keep NumPy's linear algebra from starting threads, unless the user has said how many it gets.

    Each rank has a core of its own on the simulated cluster, and of several threads only the processor time of the one
    that calls MPI would be measured. mpi4py asks for MPI_THREAD_MULTIPLE: with a second thread in the process, though it
    never calls MPI, each blocking call would wait for the simulation (docs/design/threads.md).
    """
    known = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    if "OMP_NUM_THREADS" in environment or any(name in environment for name in known):
        return {}
    return dict.fromkeys(known, "1")


def _available(interface: Interface, who: str, library: str) -> Path:
    """Where Orrery's library of the interface lies."""
    if interface.folder is None:
        raise InputError(
            f"{who}: needs {library}, the binary interface of {interface.title}, which Orrery does not have; "
            f"use a build for MPICH, or compile it with {_PREFIX / 'bin' / 'mpif90'}"
        )
    return interface.folder


def _program(name: str, environment: Mapping[str, str]) -> Path | None:
    if "/" in name:
        return Path(name) if Path(name).is_file() else None
    found = shutil.which(name, path=environment.get("PATH"))
    return Path(found) if found is not None else None


def _mpi_library(program: Elf, environment: Mapping[str, str]) -> tuple[str, bool] | None:
    """The nearest of `_mpi_libraries`, unless there is one of an interface that Orrery does not have."""
    found = list(_mpi_libraries(program, environment))
    return next((one for one in found if _OF_LIBRARY[one[0]].folder is None), found[0] if found else None)


def _mpi_libraries(program: Elf, environment: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Names of MPI libraries that a program and its libraries need, nearest first; whether DT_RPATH leads to one."""
    inherited = program.rpath if not program.runpath else ()
    waiting, seen = [program], set[str]()
    for elf in waiting:
        rpath = (*(elf.rpath if not elf.runpath else ()), *inherited)
        for name in elf.needed:
            if name in _OF_LIBRARY:
                yield name, any((Path(folder) / name).is_file() for folder in rpath)
        for name in elf.needed:
            if name in seen or name in _OF_LIBRARY or name.startswith(_NEVER_NEED_MPI):
                continue
            seen.add(name)
            given = environment.get("LD_LIBRARY_PATH", "").split(":")
            folders: tuple[str, ...] = (*rpath, *given, *elf.runpath, *_SYSTEM)
            paths = (Path(folder) / name for folder in folders if folder)
            library = next((found for path in paths if path.is_file() and (found := read_elf(path))), None)
            if library is not None:
                waiting.append(library)


def _first(environment: Mapping[str, str], folders: list[Path]) -> dict[str, str]:
    """LD_LIBRARY_PATH with the folders before those of the environment."""
    return {"LD_LIBRARY_PATH": ":".join([*map(str, folders), *filter(None, [environment.get("LD_LIBRARY_PATH")])])}


def preload(environment: Mapping[str, str], library: Path) -> dict[str, str]:
    """LD_PRELOAD with the library before those of the environment."""
    return {"LD_PRELOAD": ":".join([str(library), *filter(None, [environment.get("LD_PRELOAD")])])}
