# SPDX-License-Identifier: BSD-3-Clause
"""The file of `--keep`: each loop on a line as soon as it is timed, so that the same command goes on from there."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar, get_type_hints

from orrery.benchmark.cases import LoopCase
from orrery.collective.loops import TimedLoop
from orrery.errors import InputError

_TIMES = ("repetitions", "mean_s", "half_width_s")

Key = TypeVar("Key", bound=NamedTuple)


class LoopStore(Generic[Key]):
    """Loops that were timed of one subject, which a word stands for: a digest of what was timed, and how.

    What a loop is, a named tuple of texts and whole numbers says: `key`.
    """

    def __init__(self, file: Path, subject: str, key: type[Key], command: str = "orrery benchmark") -> None:
        self.file = file
        self._head = f"# {command} of {subject}"
        self._begin = f"# {command} of "
        self._command = command
        self._key = key
        self._kinds = list(get_type_hints(key).values())
        self._columns = ",".join([*key._fields, *_TIMES])

    def begin(self) -> None:
        """Write the head where there is no file. Raises InputError where that cannot be, and for a file of another subject."""
        if not self.file.exists():
            try:
                self.file.write_text(f"{self._head}\n{self._columns}\n", encoding="utf-8")
            except OSError as error:
                raise InputError(f"--keep {self.file}: {error.strerror}") from None
        head = self._lines()[:1]
        if not head or not head[0].startswith(self._begin):
            raise InputError(f"--keep {self.file}: is not a file that `{self._command}` has begun; name another one")
        if head[0] != self._head:
            raise InputError(
                f"--keep {self.file}: was begun of another platform, command or number of repetitions; name another file"
            )

    def read(self) -> dict[Key, TimedLoop]:
        """What is there. A line that was cut off is none. Raises InputError for a line that was changed."""
        found = {}
        for number, line in enumerate(csv.reader(self._lines()[2:]), start=3):
            try:
                words = line[: len(self._kinds)]
                turns, mean, half = line[len(self._kinds) :]
                key = self._key(*(kind(word) for kind, word in zip(self._kinds, words, strict=True)))
                found[key] = TimedLoop(int(turns), float(mean), float(half))
            except ValueError:
                raise InputError(f"--keep {self.file}, line {number}: expected {self._columns}") from None
        return found

    def add(self, key: Key, timed: TimedLoop) -> None:
        """Append one."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(
            [*key, timed.turns, repr(timed.mean_s), repr(timed.half_width_s)]
        )
        with self.file.open("a", encoding="utf-8") as opened:
            opened.write(line.getvalue())

    def _lines(self) -> list[str]:
        try:
            text = self.file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"--keep {self.file}: {error.strerror}") from None
        return text[: text.rfind("\n") + 1].splitlines()


def wanted_of(cases: list[LoopCase], there: Mapping[LoopCase, TimedLoop]) -> list[LoopCase]:
    """Cases that are not there."""
    return [case for case in cases if case not in there]
