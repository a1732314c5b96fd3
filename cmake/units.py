# SPDX-License-Identifier: BSD-3-Clause
"""Groups source files that are compiled as one: `units.py LINES FILE...` prints the number of each file's group.

Reading the headers of the C++ library takes most files of a room longer than their own lines do, so files share them. What
a file means must not depend on those before it in its group, so none of them has something of its own (a type, a macro,
what is `static` or in an unnamed namespace) whose name occurs in it, includes a header that declares what it has of its
own, or looks for names in another namespace. A group has at most LINES lines, or is one file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[1] / "src"
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
_STATIC = re.compile(r"^static [^;={(]*?(\w+)\s*[;={(]", re.MULTILINE)
_SEARCHED = re.compile(r"^using namespace (?![\w:]*literals;)[\w:]+;", re.MULTILINE)
_UNNAMED = re.compile(r"^namespace \{", re.MULTILINE)
_WORD = re.compile(r"\w+")
_BRACE = re.compile(r"[{}]")
# The code is formatted: what begins a line inside of a namespace is a declaration of the namespace.
_TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|union|enum class|enum|concept) (\w+)", re.MULTILINE)
_ALIAS = re.compile(r"^using (\w+) =", re.MULTILINE)
_FUNCTION = re.compile(r"^[A-Za-z:\[][^\n;={(]*[ *&](\w+)\(", re.MULTILINE)
_VARIABLE = re.compile(r"^(?!using )[A-Za-z:\[][^\n;={(]*[ *&](\w+)(?:\[[^\]]*\])*\s*[;={]", re.MULTILINE)
_ENUMERATORS = re.compile(r"^enum (?:\w+ )?\{([^}]*)\}", re.MULTILINE)


def _unnamed(code: str) -> Iterator[str]:
    """What is inside of unnamed namespaces, which are not in one another."""
    for opened in _UNNAMED.finditer(code):
        depth = 1
        for brace in _BRACE.finditer(code, opened.end()):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                yield code[opened.end() : brace.start()]
                break


def own_names(code: str) -> set[str]:
    """Names that a file gives to what other files do not see; what is no code has been taken out."""
    found = {*_MACRO.findall(code), *_STATIC.findall(code), *_TYPE.findall(code), *_ALIAS.findall(code)}
    for inside in _unnamed(code):
        for pattern in (_FUNCTION, _VARIABLE):
            found.update(pattern.findall(inside))
        for listed in _ENUMERATORS.findall(inside):
            found.update(_WORD.findall(listed))
    return found


@cache
def _header(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Headers that a header of ours includes, and itself; names that it declares in its namespace."""
    path = _SOURCES / name
    if not path.is_file():  # generated
        return frozenset(), frozenset()
    text = path.read_text(encoding="utf-8")
    code = _NOT_CODE.sub('""', text)
    names = {found for pattern in (_TYPE, _ALIAS, _FUNCTION, _VARIABLE) for found in pattern.findall(code)}
    return _headers(text) | {name}, frozenset(names)


def _headers(text: str) -> frozenset[str]:
    return frozenset().union(*(_header(name)[0] for name in _INCLUDE.findall(text)))


def _declared(headers: Iterable[str]) -> set[str]:
    return {name for header in headers for name in _header(header)[1]}


@dataclass
class _Group:
    number: int
    searched: set[str]
    headers: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    lines: int = 0


def groups(files: dict[str, str], limit: int) -> list[int]:
    """Number of each file's group, by name and text."""
    found: list[_Group] = []
    chosen = []
    for text in files.values():
        code, lines = _NOT_CODE.sub('""', text), text.count("\n")
        words, searched = set(_WORD.findall(code)), set(_SEARCHED.findall(code))
        own, headers = own_names(code), _headers(text)
        fitting = (
            group
            for group in found
            if group.lines + lines <= limit
            and group.searched == searched
            and not group.own & words
            and not own & _declared(group.headers - headers)
        )
        group = next(fitting, None) or _Group(len(found), searched)
        if group.number == len(found):
            found.append(group)
        group.own |= own
        group.headers |= headers
        group.lines += lines
        chosen.append(group.number)
    return chosen


if __name__ == "__main__":
    limit, *paths = sys.argv[1:]
    print(*groups({path: Path(path).read_text(encoding="utf-8") for path in paths}, int(limit)), sep=";")
