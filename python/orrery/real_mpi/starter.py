# SPDX-License-Identifier: BSD-3-Clause
"""Facts about an MPI from the command line that starts programs with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_STARTERS = ("mpirun", "mpiexec", "orterun", "prterun")
_OPEN_MPI = ("Open MPI", "OpenRTE", "PRRTE")
_VERSION_TIMEOUT_S = 10.0


def starter_of(command: Sequence[str]) -> int | None:
    """Position of mpirun, or whatever it is called there; None: there is none (srun, a script)."""
    for position, word in enumerate(command):
        if Path(word).name.split(".")[0] in _STARTERS:
            return position
    return None


def mpicc_of(command: Sequence[str]) -> str:
    """The C compiler that belongs to a launcher."""
    return compiler_of(command, "mpicc")


def compiler_of(command: Sequence[str], compiler: str) -> str:
    """The compiler that belongs to a launcher: it lies beside it, with the same ending (mpirun.openmpi, mpicc.openmpi).

    `compiler`: its name, which is also what it is where there is no launcher: mpicc, mpicxx.
    """
    position = starter_of(command)
    if position is None:
        return compiler
    found = shutil.which(command[position])
    if found is None:
        return compiler
    _, dot, ending = Path(found).name.partition(".")
    for name in (f"{compiler}{dot}{ending}", compiler):
        if (beside := Path(found).with_name(name)).exists():
            return str(beside)
    return compiler


def passing(command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """The command, with options to pass environment variables to other hosts, if its launcher needs them."""
    position = starter_of(command)
    if position is None or not _is_open_mpi(command[position]):
        return list(command)
    exports = [word for name in variables for word in ("-x", name)]
    return [*command[: position + 1], *exports, *command[position + 1 :]]


def _is_open_mpi(starter: str) -> bool:
    try:
        done = subprocess.run(
            [starter, "--version"],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(name in done.stdout for name in _OPEN_MPI)
