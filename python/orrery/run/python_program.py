# SPDX-License-Identifier: BSD-3-Clause
"""Python programs: which of mpi4py's extension modules they will import."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_INTERPRETER = re.compile(r"python(\d+(\.\d+)?t?)?$")
_ASK = """
import importlib.util
spec = importlib.util.find_spec("mpi4py")
for folder in (spec.submodule_search_locations if spec is not None else ()):
    print(folder)
"""
# Wheels bring a module for each interface, MPI.mpich.*.so; this is the order in which Orrery prefers them.
_VARIANTS = {"mpiabi": "standard", "mpich": "mpich", "openmpi": "openmpi"}


@dataclass(frozen=True)
class Extension:
    """An extension module; `variant`: what MPI4PY_MPIABI has to say for it to be imported."""

    path: Path
    variant: str | None


def is_python(program: Path) -> bool:
    """Whether it is an interpreter, or a script that says `#!...python`."""
    if _INTERPRETER.search(program.name) is not None:
        return True
    return _interpreter_of(program) is not None


def _interpreter_of(script: Path) -> str | None:
    """The interpreter that the first line of a script names."""
    try:
        with script.open("rb") as file:
            first = file.readline(256).decode(errors="replace")
    except OSError:
        return None
    words = first[2:].split() if first.startswith("#!") else []
    if words[:1] and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and _INTERPRETER.search(Path(words[0]).name) is not None else None


def find_extension(program: Path, environment: Mapping[str, str], available: set[str]) -> Extension | None:
    """The module that `import mpi4py.MPI` will load; None without mpi4py.

    Args:
        program: interpreter, or script.
        environment: of the program.
        available: names of interfaces that Orrery has.
    """
    import subprocess

    interpreter = str(program) if _INTERPRETER.search(program.name) else _interpreter_of(program)
    try:
        asked = subprocess.run(
            [interpreter or "python3", "-c", _ASK],
            env=dict(environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    for folder in map(Path, asked.stdout.splitlines()):
        modules = sorted(folder.glob("MPI.*.so"))
        variants = {module.name.split(".")[1]: module for module in modules}
        given = environment.get("MPI4PY_MPIABI", "")
        if given in variants:
            return Extension(variants[given], given)
        for usable in (True, False):
            for variant, interface in _VARIANTS.items():
                if variant in variants and (interface in available) == usable:
                    return Extension(variants[variant], variant)
        if modules:
            return Extension(modules[0], None)
    return None
