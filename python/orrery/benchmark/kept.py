# SPDX-License-Identifier: BSD-3-Clause
"""The file of `--keep`: each case on a line as soon as it is timed, so that the same command goes on from there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orrery.benchmark.cases import Case
from orrery.collective.loops import Timed
from orrery.errors import InputError

_BEGIN = "# orrery benchmark of "
_HEADER = "test,ranks,bytes,repetitions,mean_s,half_width_s"


class Kept:
    """Cases that were timed of one subject, which a word stands for: a digest of what was timed, and how."""

    def __init__(self, file: Path, subject: str) -> None:
        self.file = file
        self._subject = subject

    def begin(self) -> None:
        """Write the head where there is no file. Raises InputError where that cannot be, and for a file of another subject."""
        if not self.file.exists():
            try:
                self.file.write_text(f"{_BEGIN}{self._subject}\n{_HEADER}\n", encoding="utf-8")
            except OSError as error:
                raise InputError(f"--keep {self.file}: {error.strerror}") from None
        head = self._lines()[:1]
        if not head or not head[0].startswith(_BEGIN):
            raise InputError(f"--keep {self.file}: is not a file that `orrery benchmark` has begun; name another one")
        if head[0] != f"{_BEGIN}{self._subject}":
            raise InputError(
                f"--keep {self.file}: was begun of another platform, command or number of repetitions; name another file"
            )

    def read(self) -> dict[Case, Timed]:
        """What is there. A line that was cut off is none. Raises InputError for a line that was changed."""
        found = {}
        for number, line in enumerate(self._lines()[2:], start=3):
            try:
                test, ranks, size, turns, mean, half = line.split(",")
                found[Case(test, int(ranks), int(size))] = Timed(int(turns), float(mean), float(half))
            except ValueError:
                raise InputError(f"--keep {self.file}, line {number}: expected {_HEADER}") from None
        return found

    def add(self, case: Case, timed: Timed) -> None:
        """Append one."""
        with self.file.open("a", encoding="utf-8") as opened:
            opened.write(
                f"{case.test},{case.ranks},{case.bytes},{timed.turns},{timed.mean_s!r},{timed.half_width_s!r}\n"
            )

    def _lines(self) -> list[str]:
        try:
            text = self.file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"--keep {self.file}: {error.strerror}") from None
        return text[: text.rfind("\n") + 1].splitlines()


def wanted_of(cases: list[Case], there: Mapping[Case, Timed]) -> list[Case]:
    """Cases that are not there."""
    return [case for case in cases if case not in there]
