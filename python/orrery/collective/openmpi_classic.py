# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's classic rules files, versions 1 and 2: whole numbers, comments behind `#`.

How many collectives; for each its number and how many communicator sizes; for each of these the size and how many
message sizes; for each of these a line: bytes, algorithm, fan-in/out, segment size and, from version 2 on, perhaps how
many requests at a time. A communicator has the rules of the largest size that is not above its own (or else of the
first), a message those of the largest size that is not above its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from orrery.collective.openmpi_counts import wrong_count
from orrery.collective.openmpi_rules import (
    COLLECTIVES,
    INTEGER,
    MOST,
    UNLIMITED,
    OpenMpiRule,
    OpenMpiRuleSet,
    algorithm_numbered,
    whole_number,
)
from orrery.errors import InputError

_VERSION = re.compile(r"\s*rule-file-version-(\d{1,9})(?!\d)")
_MOST_DIGITS = 64


@dataclass(frozen=True)
class _Token:
    line: int
    text: str


class _NumberReader:
    """Numbers one after the other, with the line that each stands on."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        version = _VERSION.match(text)
        self.version = int(version[1]) if version else 1
        if version:
            text = "\n" * version[0].count("\n") + text[version.end() :]
        self._tokens = [
            _Token(number, word)
            for number, line in enumerate(text.split("\n"), start=1)
            for word in line.partition("#")[0].split()
        ]
        self._next = 0

    def fail(self, line: int, problem: str) -> InputError:
        return InputError(f"{self._path}:{line}: {problem}")

    def number(self, what: str, most: int = UNLIMITED) -> tuple[int, int]:
        """The next number and its line. Raises InputError where there is none, and for one above `most`."""
        if self._next == len(self._tokens):
            last = self._tokens[-1].line if self._tokens else 1
            raise self.fail(last, f"the file ends where {what} should follow; are the numbers of rules right?")
        token = self._tokens[self._next]
        self._next += 1
        if INTEGER.fullmatch(token.text) is None:
            raise self.fail(token.line, f'"{token.text}", expected {what}, a whole number; comments begin with #')
        value = whole_number(token.text) if len(token.text) <= _MOST_DIGITS else None
        if value is None or value > most:
            raise self.fail(token.line, f"{token.text[:_MOST_DIGITS]}, expected {what}, which is at most {most}")
        if value < 0:
            raise self.fail(token.line, f"{value}, expected {what}, which is not below 0")
        return value, token.line

    def optional(self, line: int) -> int | None:
        """The next number if it stands on this line."""
        if self._next < len(self._tokens) and self._tokens[self._next].line == line:
            return self.number("how many requests at a time", MOST)[0]
        return None

    def lines(self) -> list[tuple[int, tuple[str, ...]]]:
        """Those that have words, by number."""
        found: dict[int, list[str]] = {}
        for token in self._tokens:
            found.setdefault(token.line, []).append(token.text)
        return [(line, tuple(words)) for line, words in found.items()]

    def finish(self) -> None:
        """Raises InputError for what nobody asked for."""
        if self._next < len(self._tokens):
            token = self._tokens[self._next]
            raise self.fail(token.line, f'"{token.text}" follows after the last rule; are the numbers of rules right?')


def read_classic(path: Path, text: str) -> tuple[OpenMpiRuleSet, ...]:
    """The rules of a file. Raises InputError naming file and line; where a count is off, that of the count."""
    reader = _NumberReader(path, text)
    try:
        return _read(reader)
    except InputError as error:
        wrong = wrong_count(reader.lines())
        if wrong is None:
            raise
        seen = str(error).removeprefix(f"{path}:")
        raise InputError(f"{path}:{wrong.line}: {wrong}; what was read with it does not fit in line {seen}") from None


def _read(reader: _NumberReader) -> tuple[OpenMpiRuleSet, ...]:
    sets: list[OpenMpiRuleSet] = []
    count, _ = reader.number("the number of collectives")
    for _ in range(count):
        sets += _read_collective(reader)
    reader.finish()
    return tuple(sets)


def _read_collective(reader: _NumberReader) -> list[OpenMpiRuleSet]:
    number, line = reader.number("the number of a collective")
    if number >= len(COLLECTIVES):
        listed = ", ".join(f"{i} {name}" for i, name in enumerate(COLLECTIVES))
        raise reader.fail(line, f"there is no collective {number}; there are: {listed}")
    collective = COLLECTIVES[number]
    count, _ = reader.number("the number of communicator sizes")
    found: list[tuple[int, tuple[OpenMpiRule, ...]]] = []
    for _ in range(count):
        size, line = reader.number("a communicator size", MOST)
        if found and size <= found[-1][0]:
            raise reader.fail(line, f"communicator size {size} after {found[-1][0]}: sizes must increase")
        found.append((size, _read_rules(reader, collective)))
    if not found:
        return []
    ends = [size - 1 for size, _ in found[1:]] + [MOST]
    starts = [0] + [size for size, _ in found[1:]]  # smaller communicators have the rules of the first size
    return [
        OpenMpiRuleSet(collective=collective, size_from=start, size_to=end, rules=rules)
        for start, end, (_, rules) in zip(starts, ends, found, strict=True)
    ]


def _read_rules(reader: _NumberReader, collective: str) -> tuple[OpenMpiRule, ...]:
    count, _ = reader.number("the number of message sizes")
    read: list[tuple[int, OpenMpiRule]] = []
    for _ in range(count):
        size, line = reader.number("a message size")
        if not read and size != 0:
            raise reader.fail(line, f"the first message size is {size}; Open MPI wants a rule for size 0 first")
        if read and size <= read[-1][0]:
            raise reader.fail(line, f"message size {size} after {read[-1][0]}: sizes must increase")
        algorithm, line = reader.number("the number of an algorithm")
        faninout, _ = reader.number("fan-in/out", MOST)
        segment, end = reader.number("a segment size")
        requests = reader.optional(end) if reader.version > 1 else None
        try:
            name = algorithm_numbered(collective, algorithm)
        except LookupError as error:
            raise reader.fail(line, str(error.args[0])) from None
        rule = OpenMpiRule(bytes_from=size, algorithm=name, faninout=faninout, segment=segment, requests=requests or 0)
        read.append((size, rule))
    # Who comes later serves larger messages: the first that fits, from the last on.
    return tuple(rule for _, rule in reversed(read))
