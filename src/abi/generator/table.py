# SPDX-License-Identifier: BSD-3-Clause
"""The table of the MPI API, read from api/*.api.

A file is a chapter of the standard. Its lines:

    chapter NUMBER TITLE
    section TITLE                 ends what `missing` below said for a section
    missing REASON                the routines from here on are missing; REASON is a name of missing.toml
    Name(PARAMETERS) -> KIND  since VERSION, ATTRIBUTES

A routine may go over several lines, those after the first indented; `-> KIND` is left out for those that return an
error code. A parameter is `name: direction kind[length]`, where the direction `in` is left out, and so is the kind when
it is the name. `[length]` is the length of an array, or the room behind an address; what it consists of (parameters,
constants, words like comm_size) is separated by commas and means their product. `[room: used]` tells how many elements
the routine fills in. `large` before a parameter: it is there in the large-count form only. `...` is C's.

Attributes: `large`: there is a large-count form (Name_c). `deprecated VERSION`. `missing REASON`. `as NAME`: the internal
function where it is not the name in lower case. `by hand`: its function in src/abi/by_hand.hpp takes the C parameters.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.errors import TableError
from generator.kinds import Direction, ParameterKind

VERSIONS = ("1.0", "1.2", "2.0", "2.2", "3.0", "3.1", "4.0", "4.1", "5.0")
FIRST_LARGE = "4.0"

# Lengths that are neither parameters nor constants: properties of the communicator or of other arguments.
LENGTH_WORDS = {
    "comm_size": "ranks of the communicator; of the remote group for an inter-communicator",
    "in_neighbors": "neighbours that this rank receives from",
    "out_neighbors": "neighbours that this rank sends to",
    "cart_dims": "dimensions of the communicator's Cartesian topology",
    "graph_edges": "edges, as the preceding array says",
    "spawned": "sum of the processes to be started",
    "own_recvcount": "this rank's element of recvcounts",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a routine."""

    name: str
    kind: ParameterKind
    direction: Direction = Direction.IN
    length: tuple[str, ...] = ()
    used: str | None = None
    large_only: bool = False

    @property
    def is_array(self) -> bool:
        """Whether it is an array of elements of its kind."""
        return bool(self.length) and not self.kind.sized

    @property
    def use(self) -> str:
        """Direction and shape, as kinds.toml names them."""
        return self.direction.value + ("_array" if self.is_array else "")


@dataclass(frozen=True)
class Routine:
    """One routine of the standard. `missing`: the reason, or None when it is implemented."""

    name: str
    parameters: tuple[Parameter, ...]
    since: str
    returns: ParameterKind | None = None
    variadic: bool = False
    large: bool = False
    deprecated: str | None = None
    missing: str | None = None
    internal: str = ""
    by_hand: bool = False

    @property
    def is_tool(self) -> bool:
        """Whether it is of the tool interface, whose errors are returned and never handled."""
        return self.name.startswith("T_")

    def forms(self) -> list["Form"]:
        """The routine, and its large-count form if there is one."""
        return [Form(self, large=False), *([Form(self, large=True)] if self.large else [])]


@dataclass(frozen=True)
class Form:
    """What a program calls: a routine, or its large-count form."""

    routine: Routine
    large: bool

    @property
    def name(self) -> str:
        """With its prefix, as MPI_Send_c."""
        return "MPI_" + self.routine.name + ("_c" if self.large else "")

    @property
    def since(self) -> str:
        """The standard that brought it."""
        return max(self.routine.since, FIRST_LARGE) if self.large else self.routine.since

    @property
    def parameters(self) -> list[Parameter]:
        """Those of this form."""
        return [p for p in self.routine.parameters if self.large or not p.large_only]


@dataclass
class ChapterSection:
    """Routines that belong together; the title is empty in a chapter without sections."""

    title: str
    routines: list[Routine] = field(default_factory=list)


@dataclass
class Chapter:
    """A chapter of the standard."""

    number: int
    title: str
    sections: list[ChapterSection] = field(default_factory=list)

    def routines(self) -> Iterator[Routine]:
        """In the order of the table."""
        for section in self.sections:
            yield from section.routines


@dataclass(frozen=True)
class RoutineTable:
    """The whole API."""

    chapters: tuple[Chapter, ...]
    kinds: Mapping[str, ParameterKind]
    reasons: Mapping[str, str]

    def routines(self) -> Iterator[Routine]:
        """All routines, chapter by chapter."""
        for chapter in self.chapters:
            yield from chapter.routines()

    def forms(self) -> list[Form]:
        """All that programs can call; the place in this list, from 1, is the number in profiles."""
        return [form for routine in self.routines() for form in routine.forms()]


_ROUTINE = re.compile(r"(?P<name>\w+)\((?P<parameters>.*)\)(?: -> (?P<returns>\w+))?  since (?P<attributes>.*)")
_PARAMETER = re.compile(
    r"(?P<large>large )?(?P<name>\w+)"
    r"(?:: ?(?:(?P<direction>out|inout)\b ?)?(?P<kind>\w+)?(?:\[(?P<length>[^\]:]*)(?:: (?P<used>\w+))?\])?)?"
)


class _ChapterReader:
    """Reads one file; what was said above holds for what comes below."""

    def __init__(self, path: Path, kinds: Mapping[str, ParameterKind], reasons: Mapping[str, str]) -> None:
        self.path = path
        self.kinds = kinds
        self.reasons = reasons
        self.line = 0
        self.sections: list[ChapterSection] = []
        self.missing_in_chapter: str | None = None
        self.missing_in_section: str | None = None

    def fail(self, problem: str) -> TableError:
        return TableError(self.path, self.line, problem)

    def statements(self) -> Iterator[str]:
        """Lines without comments and blank ones, with their continuations joined."""
        statement = ""
        for number, text in enumerate(self.path.read_text().splitlines(), start=1):
            if not text.strip() or text.startswith("#"):
                continue
            if text.startswith(" "):
                statement += " " + text.strip()
                continue
            if statement:
                yield statement
            self.line, statement = number, text.strip()
        if statement:
            yield statement

    def read(self) -> Chapter:
        statements = self.statements()
        number, title = self.head(next(statements, ""))
        for statement in statements:
            word, _, rest = statement.partition(" ")
            if word == "section":
                self.sections.append(ChapterSection(rest))
                self.missing_in_section = None
            elif word == "missing":
                self.say_missing(self.reason(rest))
            else:
                self.section().routines.append(self.routine(statement))
        return Chapter(number, title, self.sections)

    def head(self, statement: str) -> tuple[int, str]:
        match = re.fullmatch(r"chapter (\d+) (.+)", statement)
        if match is None:
            raise self.fail("a file begins with its chapter")
        return int(match[1]), match[2]

    def section(self) -> ChapterSection:
        if not self.sections:
            self.sections.append(ChapterSection(""))
        return self.sections[-1]

    def say_missing(self, reason: str) -> None:
        if self.sections:
            self.missing_in_section = reason
        else:
            self.missing_in_chapter = reason

    def reason(self, name: str) -> str:
        if name not in self.reasons:
            raise self.fail(f"{name} is no reason of missing.toml")
        return name

    def kind(self, name: str) -> ParameterKind:
        if name not in self.kinds:
            raise self.fail(f"{name} is no kind of kinds.toml")
        return self.kinds[name]

    def routine(self, statement: str) -> Routine:
        match = _ROUTINE.fullmatch(statement)
        if match is None:
            raise self.fail(f"not a routine: {statement}")
        texts = re.split(r", (?![^\[]*\])", match["parameters"]) if match["parameters"] else []
        variadic = texts[-1:] == ["..."]
        parameters = tuple(self.parameter(text) for text in texts if text != "...")
        self.check_lengths(parameters)
        since, *attributes = match["attributes"].split(", ")
        said = self.attributes(attributes)
        return Routine(
            name=match["name"],
            parameters=parameters,
            since=self.version(since),
            returns=self.kind(match["returns"]) if match["returns"] else None,
            variadic=variadic,
            large="large" in said,
            deprecated=self.version(said["deprecated"]) if "deprecated" in said else None,
            missing=self.reason(said["missing"])
            if "missing" in said
            else self.missing_in_section or self.missing_in_chapter,
            internal=said.get("as", match["name"].lower()),
            by_hand="by" in said,
        )

    def attributes(self, texts: list[str]) -> dict[str, str]:
        said = {}
        for text in texts:
            word, _, value = text.partition(" ")
            if word not in ("large", "deprecated", "missing", "as", "by"):
                raise self.fail(f"unknown attribute: {text}")
            said[word] = value
        return said

    def version(self, text: str) -> str:
        if text not in VERSIONS:
            raise self.fail(f"{text} is no version of the standard that brought routines")
        return text

    def parameter(self, text: str) -> Parameter:
        match = _PARAMETER.fullmatch(text)
        if match is None:
            raise self.fail(f"not a parameter: {text}")
        return Parameter(
            name=match["name"],
            kind=self.kind(match["kind"] or match["name"]),
            direction=Direction(match["direction"] or "in"),
            length=tuple(match["length"].split(", ")) if match["length"] else (),
            used=match["used"],
            large_only=match["large"] is not None,
        )

    def check_lengths(self, parameters: tuple[Parameter, ...]) -> None:
        known = {p.name for p in parameters} | set(LENGTH_WORDS)
        for parameter in parameters:
            for word in (*parameter.length, *([parameter.used] if parameter.used else [])):
                if word not in known and not word.startswith("MPI_MAX_"):
                    raise self.fail(f"length of {parameter.name}: there is no {word}")


def read_table(folder: Path, kinds: Mapping[str, ParameterKind]) -> RoutineTable:
    """The API as the files below `folder` say.

    Args:
        folder: holds api/*.api and missing.toml.
        kinds: what parameters may be.

    Raises:
        TableError: a line is not of the form above, a name is unknown, or a routine is there twice.
    """
    with (folder / "missing.toml").open("rb") as file:
        reasons = {name: str(text) for name, text in tomllib.load(file).items()}
    paths = sorted((folder / "api").glob("*.api"))
    chapters = sorted((_ChapterReader(path, kinds, reasons).read() for path in paths), key=lambda c: c.number)
    table = RoutineTable(tuple(chapters), kinds, reasons)
    seen: set[str] = set()
    for form in table.forms():
        if form.name in seen:
            raise TableError(folder / "api", None, f"{form.name} is there twice")
        seen.add(form.name)
    return table
