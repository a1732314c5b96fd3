# SPDX-License-Identifier: BSD-3-Clause
"""How error messages name a key of a TOML file, and its line, which `tomllib` does not keep."""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_FENCES = ('"""', "'''")


def line_of(text: str, path: Path) -> int | None:
    """Line (from 1) of the key at `path`, or of the nearest table around it; None if none is found.

    Looks at headers and keys only: what stands in an inline table or array has the line of its key.
    """
    return line_in(lines_of(text), path)


def line_in(lines: dict[Path, int], path: Path) -> int | None:
    """As `line_of`, where `lines_of` the text are known: several keys of one file cost one look through it."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def dotted(path: Path) -> str:
    """A key as messages name it: `cluster[0].cabinet[2].nodes`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def lines_of(text: str) -> dict[Path, int]:
    """Lines (from 1) of all keys and tables."""
    lines: dict[Path, int] = {}
    table: Path = ()
    lengths: dict[Path, int] = {}
    for number, line in _outside_of_strings(text):
        if header := _HEADER.fullmatch(line):
            table = _resolve(_parts(header[2]), lengths)
            if header[1] == "[[":
                index = lengths.get(table, 0)
                lengths[table] = index + 1
                lines.setdefault(table, number)
                table = (*table, index)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            parts = _parts(key[1])
            for length in range(1, len(parts) + 1):
                lines.setdefault((*table, *parts[:length]), number)
    return lines


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def _resolve(parts: list[str], lengths: dict[Path, int]) -> Path:
    """A header names an array of tables without its index: the last one is meant."""
    path: Path = ()
    for position, part in enumerate(parts):
        path = (*path, part)
        if path in lengths and position < len(parts) - 1:
            path = (*path, lengths[path] - 1)
    return path


def _outside_of_strings(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines, without those inside of a string of several lines."""
    fence: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is None:
            yield number, line
            fence = next((f for f in _FENCES if line.count(f) % 2 == 1), None)
        elif fence in line:
            fence = None
