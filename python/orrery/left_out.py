# SPDX-License-Identifier: BSD-3-Clause
"""What a conversion from one format into another could not take over: what, how often, and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from orrery.published import UNWRITTEN, published


class Omission(NamedTuple):
    """Things of one kind that were left out, or that something else was taken for."""

    what: str
    times: int
    why: str
    """Which may name what was taken instead."""

    def __str__(self) -> str:
        times = "once" if self.times == 1 else f"{self.times:,} times"
        return f"left out: {self.what}, {times}" + (f": {self.why}" if self.why else "")


@dataclass(eq=False)
class Omissions:
    """Everything that one conversion left out. Each importer and exporter keeps one, and each command shows it."""

    _times: Counter[str] = field(default_factory=Counter, metadata=UNWRITTEN)
    _why: dict[str, str] = field(default_factory=dict, metadata=UNWRITTEN)

    def add(self, what: str, why: str, times: int = 1) -> None:
        """Count what was left out `times` times; nothing happens where that is 0."""
        if times > 0:
            self._times[what] += times
            self._why.setdefault(what, why)

    def add_all(self, others: Omissions) -> None:
        """Count what another conversion left out, too."""
        for omission in others:
            self.add(omission.what, omission.why, omission.times)

    def __iter__(self) -> Iterator[Omission]:
        return (Omission(what, times, self._why[what]) for what, times in self._times.most_common())

    def __bool__(self) -> bool:
        return bool(self._times)

    @property
    def lines(self) -> list[str]:
        """A line each for people, the most frequent first."""
        return [str(omission) for omission in self]

    @property
    @published
    def left_out(self) -> dict[str, int]:
        """What of the source could not be taken over, and how often it was there; the most frequent first."""
        return dict(self._times.most_common())

    @property
    @published
    def left_out_why(self) -> dict[str, str]:
        """Why, and what was taken instead, by the same names."""
        return {omission.what: omission.why for omission in self}

    def to_text(self) -> str:
        """The text that `from_text` reads; empty where nothing was left out."""
        return json.dumps([list(omission) for omission in self]) if self else ""

    @classmethod
    def from_text(cls, text: str) -> Omissions:
        """What `to_text` wrote; nothing where the text is something else."""
        found = cls()
        try:
            for what, times, why in json.loads(text or "[]"):
                found.add(str(what), str(why), int(times))
        except (ValueError, TypeError):
            return cls()
        return found
