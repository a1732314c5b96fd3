# SPDX-License-Identifier: BSD-3-Clause
"""Counts what is left in the source of words that say little, and fails where a number has risen (tools/words.toml).

    python tools/words.py           a line for each kind: how many there are, and how many there may be
    python tools/words.py --list    each place as well
    python tools/words.py --keep    write the numbers down, where they have fallen

The kinds, and what to write instead, are in CONTRIBUTING.md. Needs Python's own library and git alone.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIMITS = ROOT / "tools" / "words.toml"
NOUNS = frozenset(
    {
        "Bound", "Building", "Children", "Feed", "Framing", "Grouping", "Incast", "Listing", "Mapping", "Need", "Needs",
        "Numbering", "Pricing", "Ring", "Run", "Seed", "Setting", "Slowdown", "Speed", "String", "Timing", "Token", "Tuning",
        "Upgrade",
    }
)  # fmt: skip
"""Names of classes that end like participles and are none."""
_PARTICIPLE = re.compile(
    r"_?[A-Z][a-z]*(ed|ing|ought|aught|ound|own|orn|olen|idden|itten|aken|iven|osen|oken)"
    r"|_?(Known|Kept|Said|Left|Held|Meant|Sent|Lost|Met|Cut|Built|Begun|Done|Gone|Laid|Split|Spent|Put|Seen|Twofold|Open)"
)
_EMPTY_BEGINNING = re.compile(r"(Of|The same)\b")
_COMMENT = re.compile(r"^\s*/// (Of|The same)\b")
_CONSTANT = re.compile(r"\bconstexpr\b[^;=({]*\b(k[A-Z]\w*)")
_NO_CODE = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ONE = re.compile(r"\bone\b")


class Place(NamedTuple):
    """A place in the source, and what stands there."""

    file: str
    line: int
    text: str


class Source:
    """A file of the repository, and what Python reads in it."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.is_python = file.endswith((".py", ".pyi"))
        self.nodes = list(ast.walk(ast.parse(text))) if self.is_python else []


def sources() -> Iterator[Source]:
    """All files of Python and C++."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.pyi", "*.hpp", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():
            yield Source(name, (ROOT / name).read_text(encoding="utf-8"))


def variables(source: Source) -> Iterator[Place]:
    """Uses of variables that are named `one`."""
    for node in source.nodes:
        if (isinstance(node, ast.Name) and node.id == "one") or (isinstance(node, ast.arg) and node.arg == "one"):
            yield Place(source.file, node.lineno, "one")
    if not source.is_python:
        code = _BLOCK_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source.text)
        for number, line in enumerate(code.splitlines(), 1):
            for _ in _ONE.finditer(_NO_CODE.sub("", line)):
                yield Place(source.file, number, line.strip())


def docstrings(source: Source) -> Iterator[Place]:
    """Docstrings, and comments of declarations, that begin with "Of" or "The same"."""
    for node in source.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str) and _EMPTY_BEGINNING.match(text.lstrip()):
                yield Place(source.file, node.lineno, text.splitlines()[0])
    if not source.is_python:
        before = ""
        for number, line in enumerate(source.text.splitlines(), 1):
            if _COMMENT.match(line) and not before.lstrip().startswith("///"):
                yield Place(source.file, number, line.strip())
            before = line


def classes(source: Source) -> Iterator[Place]:
    """Classes of the package and of the generator of bindings."""
    if source.file.startswith(("python/orrery/", "src/abi/generator/")) and source.file.endswith(".py"):
        for node in source.nodes:
            if isinstance(node, ast.ClassDef):
                yield Place(source.file, node.lineno, node.name)


def constants(source: Source) -> Iterator[Place]:
    """Constants of C++ that are named `kFoo`."""
    if not source.is_python:
        for number, line in enumerate(source.text.splitlines(), 1):
            if found := _CONSTANT.search(line):
                yield Place(source.file, number, found[1])


KINDS = {
    "one": "uses of variables that are named `one`",
    "docstrings": 'docstrings, and comments of declarations, that begin with "Of" or "The same"',
    "participles": "classes whose name is a participle and nothing else",
    "doubled": "classes whose name another class has as well",
    "constants": "constants of C++ that are named `kFoo`",
}


def places(all_sources: Iterable[Source]) -> dict[str, list[Place]]:
    """What is found of each kind."""
    found: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    all_classes: list[Place] = []
    for source in all_sources:
        found["one"] += variables(source)
        found["docstrings"] += docstrings(source)
        found["constants"] += constants(source)
        all_classes += classes(source)
    names = Counter(place.text for place in all_classes)
    found["doubled"] = [place for place in all_classes if names[place.text] > 1]
    found["participles"] = [
        place for place in all_classes if _PARTICIPLE.fullmatch(place.text) and place.text.lstrip("_") not in NOUNS
    ]
    return found


def main(arguments: list[str]) -> int:
    """Give the exit code: 1 where a number has risen."""
    limits: dict[str, int] = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    found = places(sources())
    for kind, there in found.items():
        print(f"{len(there):5} of {limits[kind]:5}  {kind}: {KINDS[kind]}")
        if "--list" in arguments or len(there) > limits[kind]:
            print("".join(f"  {place.file}:{place.line}: {place.text}\n" for place in there), end="")
    if "--keep" in arguments:
        kept = {kind: min(len(there), limits[kind]) for kind, there in found.items()}
        head = LIMITS.read_text(encoding="utf-8").partition("\n\n")[0]
        LIMITS.write_text(head + "\n\n" + "".join(f"{kind} = {number}\n" for kind, number in kept.items()))
    risen = [kind for kind, there in found.items() if len(there) > limits[kind]]
    if risen:
        print(f"more than before: {', '.join(risen)}; CONTRIBUTING.md says what to write instead", file=sys.stderr)
    return 1 if risen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
