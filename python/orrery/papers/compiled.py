# SPDX-License-Identifier: BSD-3-Clause
"""C programs that an experiment brings, built with Orrery's compiler wrapper."""

from __future__ import annotations

import os
from pathlib import Path

from orrery.children import Children
from orrery.errors import InputError
from orrery.run.prefix import prefix


def headers(folder: Path) -> list[Path]:
    """What programs of this folder may include."""
    return sorted(folder.glob("*.h"))


def compiled(source: Path, place: Path) -> Path:
    """The program, built with Orrery's compiler wrapper. Raises InputError where that cannot be."""
    program = place / source.stem
    command = [str(prefix() / "bin" / "mpicc"), "-O2", str(source), "-o", str(program), "-lm"]
    try:
        variables = {**os.environ, "TMPDIR": str(place)}  # a compiler that is killed leaves what it has there
        done = Children().finished(command, variables=variables)
    except OSError as error:
        raise InputError(f"{source.name}: cannot be compiled: {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise InputError(f"{source.name}: cannot be compiled; a C compiler is needed: {first}")
    return program
