# SPDX-License-Identifier: BSD-3-Clause
"""How the ranks of a run are started: commands, environments, and how they become processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from orrery import _core
from orrery.errors import InputError
from orrery.run.interface import ProgramNeeds, needs, preload
from orrery.run.prefix import prefix
from orrery.run.programs import MpiProgram, startable
from orrery.run.settings import RunSettings


@dataclass(frozen=True)
class StartPlan:
    """What is started, and how."""

    commands: list[list[str]]
    """Command of each program, in the order of their ranks."""
    wanted: list[ProgramNeeds]
    """What each needs of MPI."""
    start: str
    """`auto`, `fork` or `exec`; `auto` is decided in MPI_Init."""

    @classmethod
    def of(cls, settings: RunSettings) -> StartPlan:
        """What the settings name. Raises InputError for programs that cannot be started so."""
        own = [{**os.environ, **program.environment} for program in settings.programs]
        commands = [
            startable(program.command, given, program.directory)
            for program, given in zip(settings.programs, own, strict=True)
        ]
        wanted = [
            needs(_from(program.directory, command), given)
            for program, command, given in zip(settings.programs, commands, own, strict=True)
        ]
        return cls(commands, wanted, _launch(settings, wanted))

    @property
    def interfaces(self) -> str:
        """Binary interfaces of MPI that the programs were compiled for, each once."""
        return ", ".join(dict.fromkeys(needed.interface.name for needed in self.wanted))

    def became(self, outcome: _core.Outcome) -> str:
        """`fork` or `exec`: how ranks were started in the end."""
        return "exec" if self.start == "exec" or outcome.afresh else "fork"

    def parts(self, settings: RunSettings, more: dict[str, str]) -> dict[str, Any]:
        """As the core takes them. `more`: environment variables that all programs get besides."""
        several = zip(self.commands, self.wanted, settings.programs, strict=True)
        return {
            "command": self.commands[0],
            "environment": _environment(settings.programs[0], self.wanted[0], settings, more),
            "directory": settings.programs[0].directory,
            "programs": [
                (command, _environment(program, need, settings, more), program.directory, program.ranks)
                for command, need, program in several
            ]
            if len(settings.programs) > 1
            else [],
            "ranks": settings.ranks,
            "start": _core.Start[self.start.upper()],
        }


def _launch(settings: RunSettings, wanted: list[ProgramNeeds]) -> str:
    """How ranks become processes. Raises InputError where that cannot be by forking."""
    several = len(settings.programs) > 1
    if settings.launch == "fork" and several:
        raise InputError("--launch fork: ranks of several programs cannot be forked from one; leave it out")
    if settings.launch != "auto":
        return settings.launch
    return "exec" if several or any(needed.is_script or needed.asks_its_place for needed in wanted) else "auto"


def _from(directory: str, command: list[str]) -> list[str]:
    """The command as this process can look at it: a program that starts in another folder is found from there."""
    name, *arguments = command
    return [os.path.join(directory, name), *arguments] if directory and "/" in name else command  # noqa: PTH118  "./a" stays a path


def _environment(program: MpiProgram, wanted: ProgramNeeds, settings: RunSettings, more: dict[str, str]) -> list[str]:
    own = {**os.environ, **program.environment, **wanted.environment, **more}
    if settings.fold_heap:  # the first of all: it is the program's allocator
        own |= preload(own, prefix() / "lib" / "liborrery_heap.so")
    return [f"{name}={value}" for name, value in own.items()]
