# SPDX-License-Identifier: BSD-3-Clause
"""Facts about an MPI from the command line that starts programs with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_STARTERS = ("mpirun", "mpiexec", "orterun", "prterun")
_HYDRA = ("HYDRA", "Intel(R) MPI")
_OPEN_MPI = ("Open MPI", "OpenRTE", "PRRTE")
_FAMILIES = {"openmpi": _OPEN_MPI, "intel": ("Intel(R) MPI",), "mpich": ("HYDRA",)}
_VERSION_TIMEOUT_S = 10.0
_COUNT = re.compile(r"(?:-n|-np|--n|--np|-c)(?:=(\d+))?")
_COUNT_OF_OTHERS = re.compile(r"(?:-n|-np|--n|--np|--ntasks)(?:=?(\d+))?")
"""Options for the number of ranks, of srun and of launchers that are not known: what srun's -c counts are cores."""


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
    if position is None or family_of(command) != "openmpi":
        return list(command)
    exports = [word for name in variables for word in ("-x", name)]
    return [*command[: position + 1], *exports, *command[position + 1 :]]


def family_of(command: Sequence[str]) -> str:
    """Who starts ranks there, of those whose options are known: `openmpi`, `hydra` (MPICH, MVAPICH, Intel MPI) or `slurm`; else
    empty.
    """
    position = starter_of(command)
    if position is None:
        return "slurm" if command and Path(command[0]).name == "srun" else ""
    said = _version(command[position])
    if any(name in said for name in _OPEN_MPI):
        return "openmpi"
    return "hydra" if any(name in said for name in _HYDRA) else ""


def release_of(command: Sequence[str]) -> tuple[str, str]:
    """The library that a launcher belongs to, `openmpi`, `mpich` or `intel`, and its release, such as 4.1.4; both empty where the
    launcher does not say.
    """
    position = starter_of(command)
    said = "" if position is None else _version(command[position])
    number = re.search(r"(?:\((?:Open MPI|OpenRTE)\)|Version:|, Version)\s+(\d+\.\d+(?:\.\d+)?)", said)
    family = next((name for name, words in _FAMILIES.items() if any(word in said for word in words)), "")
    return (family, number[1]) if family and number else ("", "")


def _version(starter: str) -> str:
    """What it says of itself; empty where it does not."""
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
        return ""
    return done.stdout


def ranks_of(command: Sequence[str]) -> int | None:
    """How many ranks a launcher's command line asks for, of all its programs together; None: it does not say so.

    What stands behind the program is the program's: the first word that is no option and can be executed.
    """
    position = starter_of(command)
    count = _COUNT if position is not None else _COUNT_OF_OTHERS
    words = list(command[(position or 0) + 1 :])
    total = 0
    while words:
        end = words.index(":") if ":" in words else len(words)
        found = _ranks_of_program(words[:end], count)
        if found is None:
            return None
        total += found
        words = words[end + 1 :]
    return total or None


def _ranks_of_program(words: Sequence[str], count: re.Pattern[str]) -> int | None:
    for number, word in enumerate(words):
        if not word.startswith("-") and shutil.which(word) is not None:
            return None
        said = count.fullmatch(word)
        if said is None:
            continue
        value = said[1] or (words[number + 1] if number + 1 < len(words) else "")
        return int(value) if value.isascii() and value.isdigit() else None
    return None
