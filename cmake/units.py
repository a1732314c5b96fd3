# SPDX-License-Identifier: BSD-3-Clause
"""Groups source files that are compiled as one: `units.py LINES FILE...` prints the number of each file's group.

Reading the headers of the C++ library takes most files of a room longer than their own lines do, so files share them. What
a file means must not depend on those before it in its group, so none of them has something of its own (a type, a macro,
what is `static` or in an unnamed namespace) whose name occurs in it, or looks for names in another namespace. A group has
at most LINES lines, or is one file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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


@dataclass
class _Group:
    searched: set[str]
    own: set[str] = field(default_factory=set)
    lines: int = 0


def groups(files: dict[str, str], limit: int) -> list[int]:
    """Number of each file's group, by name and text."""
    found: list[_Group] = []
    chosen = []
    for text in files.values():
        code, lines = _NOT_CODE.sub('""', text), text.count("\n")
        words, searched = set(_WORD.findall(code)), set(_SEARCHED.findall(code))
        for number, group in enumerate(found):
            if group.lines + lines <= limit and group.searched == searched and not group.own & words:
                break
        else:
            number, group = len(found), _Group(searched)
            found.append(group)
        group.own |= own_names(code)
        group.lines += lines
        chosen.append(number)
    return chosen


if __name__ == "__main__":
    limit, *paths = sys.argv[1:]
    print(*groups({path: Path(path).read_text(encoding="utf-8") for path in paths}, int(limit)), sep=";")
