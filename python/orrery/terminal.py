# SPDX-License-Identifier: BSD-3-Clause
"""Reports on a terminal: what counts is bold, what it rests on is dim, what to mind is in colour.

Reports are written as plain text, and all of their styling is here. Files, pipes and dumb terminals get the plain text, and
so does who sets NO_COLOR (https://no-color.org).

All that commands print goes through this module, so that names out of files, which may be a stranger's, reach no terminal with
characters that it acts on. Only what the user's own programs print passes by it (`run.output`).
"""

from __future__ import annotations

import io
import os
import re
import sys
from functools import cache
from typing import TextIO, cast

_TABLES = r"collective +(?:ranks|cases) |routine +measured |group +collectives |left out +files |mean per rank +first "
"""Beginnings of the headings of tables."""
_COMPARED = r"takes as long as|(?:is|looks) .*(?:faster than|slower than|as fast as|as slow as)"
"""In the sentence with which a comparison begins."""
_BOLD, _DIM, _RED, _YELLOW, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_RULES = (
    (rf"^(?:{_TABLES}).*$", _BOLD),
    (r"^(?:simulated time|repeated|replicas|expected) .*$|^trace  .*$|^total  .*$|^== .*$", _BOLD),
    (rf"\A.* (?:{_COMPARED}) .*$", _BOLD),
    (r"^(?:wall time|platform|parameters|model|computation|interface|peak memory|selector|times) .*$", _DIM),
    (r"^caution:? |^left out  |\boutside$|^  not reproduced  ", _YELLOW),
    (r"^ *%Time.*$|^ *msec .*$|^ *#Call  .*$|^rank \d+:$|^[a-z_]+, [\d,]+ ranks$", _BOLD),
    (r"^-{8,}$", _DIM),
    (r"^orrery: (?:error|the (?:run|replay) failed|interrupted):|^the run failed:|^orrery validate:|^damage  ", _RED),
)


@cache
def _lines() -> re.Pattern[str]:
    """The pattern of all rules; compiled where there are colours."""
    return re.compile("|".join(f"({rule})" for rule, _ in _RULES), re.MULTILINE)


def visible(text: str) -> str:
    """A text from a file as a terminal may get it: control characters, ends of lines and marks of direction as escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def visible_lines(text: str) -> str:
    """A text of several lines, each of which is `visible` but for its tabs."""
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def has_colours(stream: TextIO) -> bool:
    """Whether words that go there may be styled."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, stream: TextIO) -> str:
    """A report as it is written to `stream`."""
    text = visible_lines(text)
    return _lines().sub(_style, text) if has_colours(stream) else text


def _style(found: re.Match[str]) -> str:
    style = _RULES[(found.lastindex or 1) - 1][1]
    return f"{style}{found[0]}{_PLAIN}"


def write(text: str, stream: TextIO) -> None:
    """Write a report."""
    stream.write(styled(text, stream))


def hand_on(text: str) -> None:
    """Write what another program reads, such as a script, to standard output: as it is, unless that is a terminal."""
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)


def line(text: str, *, error: bool = False) -> None:
    """Write one line, or several, to standard output, or with `error` to standard error."""
    write(f"{text}\n", sys.stderr if error else sys.stdout)


def styling(stream: TextIO) -> TextIO:
    """Where a report is written line by line, on its way to `stream`."""
    return cast("TextIO", _StyledStream(stream))


class _StyledStream(io.TextIOBase):
    """Styles whole lines as soon as they are there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        whole, newline, rest = (self._begun + text).rpartition("\n")
        self._begun = rest
        write(whole + newline, self._stream)
        return len(text)

    def flush(self) -> None:
        write(self._begun, self._stream)
        self._begun = ""
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()
