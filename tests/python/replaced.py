# SPDX-License-Identifier: BSD-3-Clause
"""The table of what is replaced of the C library, and programs that show it."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

from harness import PROGRAMS, Sandbox, prefix

ROOT = Path(__file__).parents[2]
TABLE: list[dict[str, Any]] = tomllib.loads((ROOT / "src/mpi/replaced.toml").read_text(encoding="utf-8"))["replaced"]


def shown(letter: str) -> list[str]:
    """What the table says that a program shows."""
    return [line[2:] for row in TABLE for line in row["shown"] if line.startswith(f"{letter}/")]


def built(sandbox: Sandbox, source: str) -> str:
    """A program of C++."""
    binary = sandbox.built / Path(source).stem
    command: list[str | Path] = [
        prefix() / "bin" / "mpicxx",
        "-std=c++20",
        "-O2",
        PROGRAMS / source,
        "-o",
        binary,
        "-pthread",
        "-lrt",
    ]
    subprocess.run(command, check=True)
    return str(binary)
