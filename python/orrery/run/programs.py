# SPDX-License-Identifier: BSD-3-Clause
"""The programs of a run: what each rank starts, and how a file that is no program by itself is started."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orrery.errors import InputError, did_you_mean
from orrery.run.program_file import beginning, check_program, in_path
from orrery.units import whole_number

BETWEEN = ":"
"""The word between two programs of one run, as mpiexec has it."""
_RANKS = ("-n", "-np", "--ranks")


class NoProgramError(InputError):
    """What shall be started is not there."""

    exit_code = 127


@dataclass(frozen=True, slots=True)
class MpiProgram:
    """A program, and how many ranks run it."""

    command: list[str]
    ranks: int
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that it has besides those of this process, or with other values."""
    directory: str = ""
    """Folder in which it starts; empty: the present one."""


def programs_of(ranks: int, words: Sequence[str]) -> list[MpiProgram]:
    """Programs in the order of their ranks, from "a x : -n 1 b". `ranks`: of the first one.

    Raises InputError where a later one does not say how many ranks run it, or there is no program.
    """
    sections = sections_of(words)
    if not sections[0]:
        raise InputError(f'"{BETWEEN}": a program is missing before it, as in: orrery run -n 2 ./a : -n 1 ./b')
    return [MpiProgram(sections[0], ranks), *(_section(section) for section in sections[1:])]


def sections_of(words: Sequence[str]) -> list[list[str]]:
    """What stands between the words ":"."""
    sections: list[list[str]] = [[]]
    for word in words:
        if word == BETWEEN:
            sections.append([])
        else:
            sections[-1].append(word)
    return sections


def words_of(programs: Sequence[MpiProgram]) -> list[str]:
    """The command line behind `orrery run -n N`."""
    words = list(programs[0].command)
    for program in programs[1:]:
        words += [BETWEEN, "-n", str(program.ranks), *program.command]
    return words


def _section(words: list[str]) -> MpiProgram:
    if not words or not words[0].startswith(_RANKS):
        raise InputError(
            f'"{BETWEEN} {" ".join(words[:2])}": expected ranks and a program behind it, as in: orrery run -n 2 ./a : -n 1 ./b'
        )
    count, command = _count(words)
    ranks = whole_number(count)
    if not ranks:
        raise InputError(f'"{BETWEEN} -n {count}": expected a whole number above 0')
    if not command or command[0].startswith("-"):
        found = f"; {command[0]} belongs before the first program, as it is for the whole run" if command else ""
        raise InputError(f'"{BETWEEN} -n {count}": a program is missing behind it{found}')
    return MpiProgram(command, ranks)


def _count(words: list[str]) -> tuple[str, list[str]]:
    """What `-n 4`, `-n4` or `--ranks=4` say, and the words behind it."""
    if words[0] in _RANKS:
        return (words[1] if len(words) > 1 else ""), words[2:]
    name = next(name for name in reversed(_RANKS) if words[0].startswith(name))
    return words[0].removeprefix(name).removeprefix("="), words[1:]


def startable(command: list[str], environment: Mapping[str, str], directory: str = "") -> list[str]:
    """The command line that the system can start in `directory`: scripts that are not executable go to their interpreter.

    A file of this folder that is not in PATH is meant itself, as with mpiexec. What is not there is given as it is: who
    starts it says so. Raises InputError for a file that is no program.
    """
    name, *arguments = command
    path = Path(directory) / name
    is_command = "/" not in name and in_path(name, environment) is not None
    if not is_command and not path.is_file():
        _check_near(name, path)
    if not path.is_file() or is_command:
        return command
    here = name if "/" in name else f"./{name}"
    head = beginning(path)
    if path.suffix == ".py" and not head.startswith(b"#!"):
        return [_python(environment), here, *arguments]
    check_program(path, environment)
    if not head.startswith(b"#!") or os.access(path, os.X_OK):
        return [here, *arguments]
    first = head.partition(b"\n")[0].decode(errors="replace")
    interpreter = first[2:].strip().split(maxsplit=1)  # the rest is one word, as the system has it
    return [*interpreter, here, *arguments]


def _check_near(name: str, path: Path) -> None:
    """Raises InputError for a folder, and for what is not there where something has almost this name."""
    if not name or path.is_dir():
        raise InputError(f'"{name}": is a folder; name the program that is in it' if name else '"": expected a program')
    if os.access(path.parent, os.R_OK | os.X_OK):
        programs = sorted(file.name for file in path.parent.iterdir() if file.is_file() and os.access(file, os.X_OK))
        if near := did_you_mean(path.name, programs):
            raise NoProgramError(f"{name}: no such program{near}")


def _python(environment: Mapping[str, str]) -> str:
    """The interpreter that the user would start."""
    return next((name for name in ("python", "python3") if in_path(name, environment)), "python3")
