# SPDX-License-Identifier: BSD-3-Clause
"""Files that the system cannot start, told from their first bytes with what to do about it."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

import orrery
from orrery.errors import InputError
from orrery.words import command

_BEGINNING = 256
_ELF = b"\x7fELF"
_OBJECT, _LIBRARIES = 1, (2, 3)
"""ELF's types of files: relocatable; executable, and position-independent or shared."""
_WRAPPERS = {
    **dict.fromkeys((".c",), "mpicc"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".C"), "mpicxx"),
    **dict.fromkeys((".f", ".F", ".f90", ".F90", ".f03", ".f08"), "mpif90"),
}


def beginning(path: Path) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except OSError:
        return b""


def check_program(path: Path, environment: Mapping[str, str]) -> None:
    """Raises InputError for a file that the system would not start, with the cure. It must be there."""
    head = beginning(path)
    if path.suffix in _WRAPPERS and not head.startswith((_ELF, b"#!")):
        wrapper = Path(orrery.__file__).parent / "prefix" / "bin" / _WRAPPERS[path.suffix]
        raise InputError(
            f"{path}: is source code; compile it first: {command([wrapper, '-O2', path, '-o', path.stem])}"
        )
    if head.startswith(b"#!"):
        _check_script(path, head, environment)
    elif head.startswith(_ELF):
        _check_elf(path, head)
    else:
        raise InputError(
            f"{path}: is no program: neither compiled nor a script whose first line names its interpreter (#!/bin/sh); "
            f"write that line, or put the interpreter before it: sh {path}"
        )
    if not os.access(path, os.X_OK) and not head.startswith(b"#!"):
        raise InputError(f"{path}: is not executable; make it so: chmod +x {path}")


def in_path(name: str, environment: Mapping[str, str]) -> str | None:
    """Where the system finds a program of this name; None: nowhere."""
    import shutil  # it loads compressors

    return shutil.which(name, path=environment.get("PATH"))


def _check_script(path: Path, head: bytes, environment: Mapping[str, str]) -> None:
    first, _, _ = head.partition(b"\n")
    if first.endswith(b"\r"):
        raise InputError(f"{path}: its lines end as on Windows; mend them: sed -i 's/\\r$//' {path}")
    words = first[2:].decode(errors="replace").split()
    interpreter = words[0] if words else ""
    if not interpreter or in_path(interpreter, environment) is None:
        raise InputError(f'{path}: its first line names the interpreter "{interpreter}", which is not there')


def _check_elf(path: Path, head: bytes) -> None:
    if len(head) < _BEGINNING or head[4] not in (1, 2):
        raise InputError(f"{path}: is a damaged program; build it again")
    (kind, machine) = struct.unpack_from("<HH" if head[5] == 1 else ">HH", head, 16)
    if kind == _OBJECT:
        raise InputError(f"{path}: is an object file; link it first, such as: mpicc {path} -o {path.stem}")
    (own,) = struct.unpack_from("<H", beginning(Path("/proc/self/exe")), 18)
    if kind not in _LIBRARIES or machine != own:
        raise InputError(f"{path}: is a program for another kind of processor; build it for this one")
