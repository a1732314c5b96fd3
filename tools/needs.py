# SPDX-License-Identifier: BSD-3-Clause
"""What tests need besides `.venv`, as tests/needs.toml declares it: whether it is here, and what brings it.

    python tools/needs.py debian [--all]    names of needs that are missing and their packages of Debian, one need a line
    python tools/needs.py pypi [--all]      the same of PyPI's; of heavy needs only with --all

Read by tools/prepare before anything but Python's own library is there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "needs.toml"
TOOLS = ROOT / "build" / "tools"
_NOT_TO_BE_HAD = TOOLS / "not-to-be-had"
"""Names of needs that tools/prepare tried to install in vain."""
_SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True, kw_only=True)
class Need:
    """Programs or modules that tests cannot do without. Members are keys of tests/needs.toml."""

    name: str
    what: str
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    pypi: tuple[str, ...] = ()
    heavy: bool = False

    @property
    def environment(self) -> Path:
        """The virtual environment of what PyPI brings."""
        return TOOLS / self.name

    def program(self) -> str | None:
        """Path of the first program."""
        return self._path_of(self.programs[0])

    @property
    def marker(self) -> Path:
        """File that says that all packages of PyPI are installed."""
        return self.environment / "installed"

    def is_here(self) -> bool:
        """Whether all programs and modules are here."""
        if self.pypi and not self.marker.is_file():
            return False
        if not all(map(self._path_of, self.programs)):
            return False
        return not self.modules or _imports(self.modules)

    def is_to_be_had(self) -> bool:
        """Whether its packages could be installed, as far as that was tried."""
        return not _NOT_TO_BE_HAD.is_file() or self.name not in _NOT_TO_BE_HAD.read_text(encoding="utf-8").split()

    @property
    def reason(self) -> str:
        """Why a test is skipped where this is missing, and the cure."""
        return f"needs {self.what}: {self.cure}"

    @property
    def cure(self) -> str:
        """What brings it."""
        if self.pypi:
            return "make test ALL=yes"
        install = f"as root, apt-get install {' '.join(self.debian)}"
        return f"{install}, or make test ALL=yes" if self.heavy else install

    def _path_of(self, program: str) -> str | None:
        folder = str(self.environment / "bin") if self.pypi else None
        return next(filter(None, (shutil.which(name, path=folder) for name in program.split("|"))), None)


def _imports(modules: tuple[str, ...]) -> bool:
    if not Path(_SYSTEM_PYTHON).exists():
        return False
    command = [_SYSTEM_PYTHON, "-c", f"import {', '.join(modules)}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@dataclass(frozen=True)
class AllowedSkip:
    """A skip that no package cures."""

    reason: str
    """How the reason of the skip begins."""
    why: str
    """Why it may be skipped."""


def _read() -> tuple[dict[str, Need], tuple[AllowedSkip, ...]]:
    tables: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    allowed = tuple(AllowedSkip(**table) for table in tables.pop("allowed", ()))
    return {name: _need(name, table) for name, table in tables.items()}, allowed


def _need(name: str, table: dict[str, Any]) -> Need:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Need(name=name, **values)


NEEDS, ALLOWED = _read()


def missing(kind: str, *, heavy: bool) -> list[Need]:
    """Needs that are not here and that packages of this kind (debian, pypi) would bring."""
    return [need for need in NEEDS.values() if getattr(need, kind) and (heavy or not need.heavy) and not need.is_here()]


def _main(kind: str, *options: str) -> None:
    for need in missing(kind, heavy="--all" in options):
        print(need.name, *getattr(need, kind))  # noqa: T201  a program that prints


if __name__ == "__main__":
    _main(*sys.argv[1:])
