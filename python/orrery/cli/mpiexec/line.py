# SPDX-License-Identifier: BSD-3-Clause
"""The words of a start command, as what is to be started and where."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orrery.cli.mpiexec.launching import LauncherSettings
from orrery.cli.mpiexec.places import Places
from orrery.cli.mpiexec.vocabulary import IGNORED, REFUSED
from orrery.documents import read_text
from orrery.errors import InputError, did_you_mean
from orrery.run.programs import BETWEEN, MpiProgram, sections_of
from orrery.units import whole_number


@dataclass
class StartCommand:
    """What a start command says."""

    takes: Mapping[str, int]
    """Options of `orrery run`, with their dashes, and how many words follow each."""
    environment: Mapping[str, str]
    """Environment of this process: what options pass on without a value comes from here."""
    programs: list[MpiProgram] = field(default_factory=list)
    places: Places = field(default_factory=Places)
    launching: LauncherSettings = field(default_factory=LauncherSettings)
    words: list[str] = field(default_factory=list)
    """Options of `orrery run`."""
    said: list[str] = field(default_factory=list)
    """Sentences on options that have no effect."""
    no_input: bool = False
    common: dict[str, str] = field(default_factory=dict)
    """Set for all programs."""

    def read(self, words: list[str]) -> None:
        """Read a whole line. Raises InputError naming the option that cannot be obeyed."""
        for section in sections_of(words):
            self._section(section)
        if not self.programs:
            raise InputError("a program is missing, as in: mpiexec -n 4 ./a")
        for i, program in enumerate(self.programs):
            self.programs[i] = MpiProgram(
                program.command, program.ranks, {**self.common, **program.environment}, program.directory
            )

    def _section(self, words: list[str]) -> None:
        section = _Section(self)
        rest = list(words)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            word = rest.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            if equals and word.startswith("--"):
                rest.insert(0, value)
            elif equals:
                name = word.lstrip("-")
            self._option(section, word, name, rest)
        if rest:
            self.programs.append(section.program(rest))

    def _option(self, section: _Section, word: str, name: str, rest: list[str]) -> None:
        if name in section.known:
            names, count, obey = section.known[name]
            if names in section.once and names[0] not in _LISTS:
                raise InputError(f"mpiexec {word}: is given twice for one program, and has one value: keep one")
            section.once.add(names)
            obey(word, *_taken(word, rest, count))
        elif word.partition("=")[0] in self.takes:
            self.words += [word.partition("=")[0], *_taken(word, rest, self.takes[word.partition("=")[0]])]
        elif name in REFUSED:
            raise InputError(f"mpiexec {word}: cannot be obeyed in a simulation; {REFUSED[name][1]}")
        elif name in IGNORED:
            count, why = IGNORED[name]
            taken = " ".join([word, *_taken(word, rest, count)])
            self.said.append(f"mpiexec: {taken} is ignored: {why}")
        else:
            near = did_you_mean(name, [*section.known, *(option.lstrip("-") for option in self.takes), *IGNORED])
            raise InputError(f"mpiexec {word}: there is no such option{near}; `mpiexec --help` says what there is")

    def read_file(self, word: str, file: str) -> None:
        """An app file of Open MPI, or a configuration file of Hydra: a section on each line."""
        for number, line in enumerate(read_text(Path(file), f"mpiexec {word} {file}").splitlines(), 1):
            try:
                words = shlex.split(line, comments=True)
            except ValueError as error:
                raise InputError(f"{file}:{number}: {error}") from None
            if words:
                self._section([word for word in words if word != BETWEEN])


_LISTS = ("env", "genv", "envlist", "genvlist", "x", "hosts", "configfile", "pernode", "byslot", "bind-to-core", "l")
"""Options that may be given several times, or have no value, by their first spelling."""


class _Section:
    """What stands before one program."""

    def __init__(self, line: StartCommand) -> None:
        places = line.places
        self._line = line
        self._ranks: int | None = None
        self._directory = ""
        self._environment: dict[str, str] = {}
        by_spelling: dict[tuple[str, ...], tuple[int, Callable[..., object]]] = {
            ("n", "np", "c", "ranks"): (1, self._number),
            ("env",): (2, lambda _, name, value: self._environment.update({name: value})),
            ("genv",): (2, lambda _, name, value: line.common.update({name: value})),
            ("envlist",): (1, lambda word, names: self._pass(word, names, self._environment)),
            ("genvlist",): (1, lambda word, names: self._pass(word, names, line.common)),
            ("x",): (1, self._export),
            ("wdir", "wd"): (1, self._enter),
            ("f",): (1, places.one_slot_each),
            ("hostfile", "machinefile", "default-hostfile"): (1, places.host_file),
            ("hosts", "host", "H"): (1, places.hosts),
            ("ppn", "perhost", "ranks-per-node", "npernode", "N"): (1, places.to_each_node),
            ("pernode", "rr", "bynode"): (0, places.node_by_node),
            ("byslot",): (0, places.slot_by_slot),
            ("map-by",): (1, places.map_by),
            ("bind-to", "binding", "bind"): (1, places.bind_to),
            ("bind-to-core", "bind-to-socket", "bind-to-none"): (0, lambda _: None),
            ("rankfile", "rf"): (1, places.rank_file),
            ("launcher", "bootstrap"): (1, line.launching.by),
            ("rmk",): (1, line.launching.managed_by),
            ("branch-count",): (1, line.launching.branching),
            ("l", "prepend-rank", "tag-output"): (0, lambda _: line.words.append("--label")),
            ("s", "stdin"): (1, self._input),
            ("configfile", "app"): (1, line.read_file),
        }
        self.known = {name: (names, *obeyed) for names, obeyed in by_spelling.items() for name in names}
        self.once: set[tuple[str, ...]] = set()
        """Spellings of each option that was given."""

    def program(self, command: list[str]) -> MpiProgram:
        """What stands behind the options. One rank, unless they say how many."""
        return MpiProgram(command, self._ranks or 1, self._environment, self._directory)

    def _number(self, word: str, number: str) -> None:
        self._ranks = whole(word, number)

    def _enter(self, word: str, folder: str) -> None:
        if not Path(folder).is_dir():
            raise InputError(f"mpiexec {word} {folder}: is no folder; ranks start there")
        self._directory = str(Path(folder).absolute())

    def _pass(self, word: str, names: str, into: dict[str, str]) -> None:
        for name in names.split(","):
            self._export(word, name, into)

    def _export(self, word: str, given: str, into: dict[str, str] | None = None) -> None:
        name, equals, value = given.partition("=")
        if not equals and name not in self._line.environment:
            raise InputError(
                f"mpiexec {word} {name}: the environment has no such variable; give it a value: {name}=..."
            )
        (self._environment if into is None else into)[name] = value if equals else self._line.environment[name]

    def _input(self, word: str, whose: str) -> None:
        if whose == "none":
            self._line.no_input = True
        elif whose != "0":
            raise InputError(f"mpiexec {word} {whose}: standard input goes to rank 0, or to no rank: {word} none")


def whole(word: str, number: str) -> int:
    """The whole number above 0 that an option takes. Raises InputError for anything else."""
    if not (value := whole_number(number)):
        raise InputError(f"mpiexec {word} {number}: expected a whole number above 0")
    return value


def _taken(word: str, rest: list[str], count: int) -> list[str]:
    if len(rest) < count:
        raise InputError(f"mpiexec {word}: {'a value is' if count == 1 else f'{count} values are'} missing behind it")
    taken = rest[:count]
    del rest[:count]
    return taken


def line_of(words: list[str], takes: Mapping[str, int]) -> StartCommand:
    """What a start command says. `takes`: as of `StartCommand`. Raises InputError for what cannot be obeyed."""
    line = StartCommand(takes=takes, environment=dict(os.environ))
    if "HYDRA_HOST_FILE" in os.environ:
        line.places.one_slot_each("HYDRA_HOST_FILE", os.environ["HYDRA_HOST_FILE"])
    line.read(words)
    return line
