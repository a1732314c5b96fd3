# SPDX-License-Identifier: BSD-3-Clause
"""What a conversion from one format into another could not take over: what, how often, and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, TypedDict


class Omission(NamedTuple):
    """Things of one kind that were left out, or that something else was taken for."""

    what: str
    times: int
    why: str
    """Which may name what was taken instead."""

    def __str__(self) -> str:
        times = "once" if self.times == 1 else f"{self.times:,} times"
        return f"left out: {self.what}, {times}" + (f": {self.why}" if self.why else "")


class Omissions:
    """Everything that one conversion left out. Each importer and exporter keeps one, and each command shows it."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._why: dict[str, str] = {}

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
    def times(self) -> dict[str, int]:
        """How often each thing was left out, the most frequent first."""
        return dict(self._times.most_common())

    @property
    def why(self) -> dict[str, str]:
        """Why each thing was left out, in the order of `times`."""
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


class OmissionsJson(TypedDict):
    """What a conversion left out, as documents have it."""

    left_out: dict[str, int]
    """What of the source has no word in the target, and how often it was there; the most frequent first."""
    left_out_why: dict[str, str]
    """Why, and what was taken instead, by the same names."""


def left_out_json(found: Omissions) -> OmissionsJson:
    """The members that each document of a conversion has."""
    return {"left_out": found.times, "left_out_why": found.why}
