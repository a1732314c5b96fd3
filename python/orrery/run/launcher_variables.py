# SPDX-License-Identifier: BSD-3-Clause
"""Environment variables by which launchers of MPI tell a rank its place (docs/how-to/run-existing-programs.md)."""

from __future__ import annotations

from pathlib import Path

from orrery import _core


def are_named_in(program: Path) -> bool:
    """Whether the program's file names one of them, so that it may read it before MPI_Init.

    A process that forks its ranks in MPI_Init is none of them before. False for a file that cannot be read.
    """
    try:
        contents = program.read_bytes()
    except OSError:
        return False
    names = _core.launcher_variables()
    families = {family for family, _ in names if family.encode() in contents}
    return any((family + name).encode() in contents for family, name in names if family in families)
