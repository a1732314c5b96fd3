# SPDX-License-Identifier: BSD-3-Clause
"""Which binary interface of MPI a program needs, found out before it is started, and how it gets that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orrery
from orrery.run.elf import Elf, read_elf
from orrery.run.launcher_variables import are_named_in
from orrery.run.program_file import in_path
from orrery.run.python_program import find_extension, is_python

_PREFIX = Path(orrery.__file__).parent / "prefix"
_RANK = _PREFIX / "lib" / "liborrery_rank.so"
"""What every rank has, whatever its interface: the simulated clocks and waits, and MPI without entry points."""


@dataclass(frozen=True)
class Interface:
    """A binary interface: the names under which programs ask for its library."""

    name: str
    libraries: tuple[str, ...]
    folder: Path
    """Where Orrery's library lies."""


STANDARD = Interface(
    "standard",
    ("libmpi_abi_fortran.so.1", "libmpi_abi.so.0", "libmpi_abi.so.1"),
    _PREFIX / "lib",
)
MPICH = Interface(
    "mpich",
    ("libmpi.so.12", "libmpich.so.12", "libmpifort.so.12", "libmpichfort.so.12"),
    _PREFIX / "lib" / "mpich",
)
OPENMPI = Interface(
    "openmpi",
    ("libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40", "libmpi_usempif08.so.40"),
    _PREFIX / "lib" / "openmpi",
)
_ALL = (STANDARD, MPICH, OPENMPI)
_OF_LIBRARY = {library: interface for interface in _ALL for library in interface.libraries}

# Where the loader looks when nothing else is said. Libraries of these folders may need MPI as well (Debian's ScaLAPACK).
_SYSTEM = (
    *(f"{root}/{folder}" for folder in ("x86_64-linux-gnu", "aarch64-linux-gnu") for root in ("/lib", "/usr/lib")),
    "/lib64",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/lib",
)
# Libraries of linear algebra, which start threads when they are loaded.
_LINEAR_ALGEBRA = ("libblas.so", "libopenblas", "libmkl_")
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
class ProgramNeeds:
    """What a program needs to be started with."""

    interface: Interface = STANDARD
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables to set."""
    is_script: bool = False
    """An interpreter runs it, or it needs no MPI itself: it may start the MPI program, so each rank is started afresh."""
    asks_its_place: bool = False
    """It may read a launcher's variables before MPI_Init, which differ from rank to rank: each is started afresh."""


def needs(command: list[str], environment: Mapping[str, str]) -> ProgramNeeds:
    """What the program needs."""
    path = _program(command[0], environment)
    if path is None:
        return ProgramNeeds()  # who starts it says that it is not there
    if is_python(path):
        return _needs_of_python(path, environment)
    elf = read_elf(path)
    libraries = [] if elf is None else list(_libraries(elf, environment))
    interface, overridden = _interface_of(libraries)
    if interface is None:  # a script, a shell or the like, which may start or load anything
        return ProgramNeeds(environment=_loading(environment, STANDARD) | _asan(environment), is_script=True)
    variables = _loading(environment, interface, *overridden)
    if any(library.startswith(_LINEAR_ALGEBRA) for library, _ in libraries):
        variables |= _single_threaded(environment)
    if any(library.startswith("libasan.so") for library, _ in libraries):
        variables |= _asan(environment)
    return ProgramNeeds(interface, variables, asks_its_place=are_named_in(path))


def _needs_of_python(path: Path, environment: Mapping[str, str]) -> ProgramNeeds:
    extension = find_extension(path, environment, {i.name for i in _ALL})
    elf = None if extension is None else read_elf(extension.path)
    found, overridden = _interface_of([] if elf is None else list(_libraries(elf, environment)))
    interface = found or STANDARD
    variables = _loading(environment, interface, *overridden) | _single_threaded(environment) | _asan(environment)
    if extension is not None and extension.variant is not None:
        variables["MPI4PY_MPIABI"] = extension.variant
    return ProgramNeeds(interface, variables, is_script=True)


def _interface_of(libraries: list[tuple[str, bool]]) -> tuple[Interface | None, list[Path]]:
    """The interface of the nearest library of MPI, None without one; and Orrery's libraries for those that DT_RPATH leads to."""
    found = [(name, by_rpath) for name, by_rpath in libraries if name in _OF_LIBRARY]
    if not found:
        return None, []
    interface = _OF_LIBRARY[found[0][0]]
    # The program's own folders come before those of the environment.
    overridden = [name for name, by_rpath in found if by_rpath and name in interface.libraries]
    return interface, [interface.folder / name for name in dict.fromkeys(overridden)]


def _loading(environment: Mapping[str, str], interface: Interface, *overriding: Path) -> dict[str, str]:
    """Variables by which the process and all that it loads find Orrery's libraries.

    What replaces functions of the C library is preloaded, so that it comes before the C library in whatever order the
    program and its libraries were linked. Entry points of MPI are not: each part of the process gets those of the
    interface that it was linked with. `overriding`: libraries of the interface that would not be found by their folder.
    """
    folders = dict.fromkeys([interface.folder, *(other.folder for other in _ALL)])
    return _first(environment, list(folders)) | preload(environment, _RANK, *overriding)


def _asan(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables by which programs under AddressSanitizer allow a preloaded library; it does not replace the allocator."""
    given = environment.get("ASAN_OPTIONS")
    return {"ASAN_OPTIONS": ":".join(["verify_asan_link_order=0", *filter(None, [given])])}


def _single_threaded(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that keep libraries of linear algebra from starting threads, unless the user has said how many they get.

    Each rank has a core of its own on the simulated cluster, and of several threads only the processor time of the one
    that calls MPI would be measured. Threads that are started before MPI_Init are lost when ranks are forked. mpi4py asks for MPI_THREAD_MULTIPLE: with a second thread in the process, though it
    never calls MPI, each blocking call would wait for the simulation (docs/design/threads.md).
    """
    known = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    if "OMP_NUM_THREADS" in environment or any(name in environment for name in known):
        return {}
    return dict.fromkeys(known, "1")


def _program(name: str, environment: Mapping[str, str]) -> Path | None:
    if "/" in name:
        return Path(name) if Path(name).is_file() else None
    found = in_path(name, environment)
    return Path(found) if found is not None else None


def _libraries(program: Elf, environment: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Names of libraries that a program and its libraries need, nearest first; whether DT_RPATH leads to one of MPI."""
    inherited = program.rpath if not program.runpath else ()
    waiting, seen = [program], set[str]()
    for elf in waiting:
        rpath = (*(elf.rpath if not elf.runpath else ()), *inherited)
        for name in elf.needed:
            yield name, name in _OF_LIBRARY and any((Path(folder) / name).is_file() for folder in rpath)
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


def preload(environment: Mapping[str, str], *libraries: Path) -> dict[str, str]:
    """LD_PRELOAD with the libraries before those of the environment; one of the same name there serves instead."""
    given = environment.get("LD_PRELOAD", "").replace(" ", ":").split(":")
    names = {Path(library).name for library in given}
    wanted = [_preloadable(library) for library in libraries if library.name not in names]
    return {"LD_PRELOAD": ":".join([*wanted, *filter(None, given)])}


def _preloadable(library: Path) -> str:
    """The name under which the loader takes a library: it divides lists at spaces, too, and then looks for a bare name."""
    path = str(library)
    return library.name if " " in path or ":" in path else path
