# SPDX-License-Identifier: BSD-3-Clause
"""The NAS Parallel Benchmarks: fetched from NASA, unpacked, and built with Orrery's compilers."""

from __future__ import annotations

import re
import shutil
import tarfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from urllib.error import URLError
from urllib.request import urlopen

from orrery.children import Children
from orrery.errors import InputError
from orrery.output import write_at_once
from orrery.run.prefix import prefix
from orrery.temporary import temporary_folder

NAME = "npb"
VERSION = "3.4.1"
URL = f"https://www.nas.nasa.gov/assets/npb/NPB{VERSION}.tar.gz"
# As Spack's package `npb` has it.
SHA256 = "f3a43467da6e84a829ea869156d3ea86c17932136bb413a4b6dab23018a28881"
DEFAULT_BUILDS = ("cg.B", "cg.C", "lu.B", "lu.C", "dt.A", "dt.B", "dt.C")
"""Programs of the SMPI paper, and their classes."""

_PROGRAMS = ("bt", "cg", "dt", "ep", "ft", "is", "lu", "mg", "sp")
_TIMEOUT_S = 30
_TAR: ModuleType = tarfile if hasattr(tarfile, "data_filter") else import_module("backports.tarfile")
"""Python has filters, which keep what is unpacked inside its folder, from 3.11.4 on."""
_MAKE_DEF = """# Written by `orrery papers get npb`.
MPIFC = {bin}/mpif90
FLINK = $(MPIFC)
FMPI_LIB =
FMPI_INC =
FFLAGS = -O3 -std=legacy
FLINKFLAGS = -O3
MPICC = {bin}/mpicc
CLINK = $(MPICC)
CMPI_LIB =
CMPI_INC =
# DT counts on integers that wrap around: without this its lengths, and its verification, are wrong.
CFLAGS = -O3 -fwrapv
CLINKFLAGS = -O3
CC = cc
BINDIR = ../bin
RAND = randi8_safe
"""

Said = Callable[[str], object]
"""Is called with a sentence for the user."""


def get(archive: Path | None, folder: Path, builds: Sequence[str], said: Said) -> list[Path]:
    """Programs of NPB, built below a folder.

    Args:
        archive: a tarball that the user has; None: it is fetched from NASA, and compared with its digest.
        folder: where it is unpacked; it must not be there, or be empty.
        builds: programs and classes, such as `cg.B`.
        said: told what is done.
    Returns:
        The programs, in the order of `builds`.
    Raises:
        InputError: there is no network, no compiler, the archive is another one, or a name is none of NPB's.
    """
    wanted = [_parsed(build) for build in builds]
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"-o {folder}: is there already; name a new folder")
    with temporary_folder() as aside:
        file = archive or _fetched(aside, said)
        root = _unpacked(file, aside, folder)
    write_at_once(root / "config" / "make.def", _MAKE_DEF.format(bin=prefix() / "bin"))
    (root / "bin").mkdir(exist_ok=True)
    return [_built(root, program, kind, said) for program, kind in wanted]


def _parsed(name: str) -> tuple[str, str]:
    found = re.fullmatch(r"([a-z]+)\.([SWABCDEF])", name)
    if found is None or found[1] not in _PROGRAMS:
        raise InputError(
            f'--build "{name}": expected a program and a class, as in cg.B; programs are {", ".join(_PROGRAMS)}'
        )
    return found[1], found[2]


def _fetched(folder: Path, said: Said) -> Path:
    said(f"fetching {URL}")
    try:
        with urlopen(URL, timeout=_TIMEOUT_S) as answer:
            content = answer.read()
    except (URLError, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise InputError(
            f"{URL}: {reason}; fetch it where there is a network, and name it: orrery papers get npb --from NPB{VERSION}.tar.gz"
        ) from None
    digest = sha256(content).hexdigest()
    if digest != SHA256:
        raise InputError(
            f"{URL}: has the SHA-256 {digest}, expected {SHA256}; if you trust it, fetch it yourself and name it with --from"
        )
    file = folder / Path(URL).name
    file.write_bytes(content)
    return file


def _unpacked(file: Path, aside: Path, folder: Path) -> Path:
    """The part for MPI, in `folder`."""
    place = aside / "unpacked"
    try:
        with _TAR.open(file) as archive:
            archive.extractall(place, filter="data")
    except (OSError, _TAR.TarError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{file}: {said}; expected a tarball of NPB, such as {URL}") from None
    found = sorted(template.parent.parent for template in place.glob("**/NPB*-MPI/config/make.def.template"))
    if not found:
        raise InputError(f"{file}: has no NPB*-MPI; expected a tarball of NPB, such as {URL}")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(found[0], folder, dirs_exist_ok=True)
    return folder


def _built(root: Path, program: str, kind: str, said: Said) -> Path:
    said(f"building {program}.{kind}")
    command = ["make", program, f"CLASS={kind}"]
    try:
        done = Children().finished(command, folder=root)
    except OSError as error:
        raise InputError(f"make: {error.strerror}; NPB needs make, a C and a Fortran compiler") from None
    binary = root / "bin" / f"{program}.{kind}.x"
    if done.returncode != 0 or not binary.exists():
        lines = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if re.search("error|not found", line, re.IGNORECASE)
        ]
        reason = lines[0].strip() if lines else f"ended with {done.returncode}"
        raise InputError(f"{root}: {' '.join(command)}: {reason}; NPB needs make, a C and a Fortran compiler")
    return binary
