# SPDX-License-Identifier: BSD-3-Clause
"""Where in a file a key of a profile stands, for messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orrery.errors import InputError

Key = tuple[str | int, ...]


def _no_line(_key: Key) -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Source:
    """The file of a profile."""

    file: str
    """As the user named it."""
    line: Callable[[Key], int | None] = _no_line
    """The line of a key, where that is known."""

    def where(self, key: Key) -> str:
        """`job.toml:7: group[1].processes`."""
        line = self.line(key)
        dotted = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")
        return f"{self.file}{f':{line}' if line else ''}{': ' if dotted else ''}{dotted}"

    def error(self, key: Key, problem: str) -> InputError:
        """The error to raise for a key."""
        return InputError(f"{self.where(key)}: {problem}")
