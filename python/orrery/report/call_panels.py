# SPDX-License-Identifier: BSD-3-Clause
"""Panels of pictures and pages about collective calls: which calls share one, and what its horizontal axis is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Literal, Protocol, TypeVar

from orrery.collective.call import Call
from orrery.collective.predict import Answer
from orrery.units import show_bytes


class CallFact(Protocol):
    """What is known of one call."""

    @property
    def call(self) -> Call:
        """The call."""


Known = TypeVar("Known", bound=CallFact)


@dataclass(frozen=True)
class Panel(Generic[Known]):
    """Calls of one kind along an axis, ascending."""

    kind: str
    over: Literal["size", "ranks"]
    calls: Sequence[Known]

    @property
    def title(self) -> str:
        """The kind, and what all calls share."""
        shared = self.calls[0].call
        if self.over == "size":
            return f"{self.kind}, {shared.ranks:,} ranks"
        return self.kind if self.kind == "barrier" else f"{self.kind}, {show_bytes(shared.size)}"

    @property
    def places(self) -> list[int]:
        """Where the calls are on the axis: bytes, or numbers of ranks."""
        return [place_of(self, timed) for timed in self.calls]

    def show(self, place: int) -> str:
        """A place as a text with its unit."""
        return show_bytes(place) if self.over == "size" else f"{place:,} ranks"


def place_of(panel: Panel[Known], known: Known) -> int:
    """Where a call is on the axis of its panel."""
    return known.call.size if panel.over == "size" else known.call.ranks


def panels_of(calls: Iterable[Known]) -> list[Panel[Known]]:
    """A panel over sizes for each kind and number of ranks; of a kind with several of these and one size, one over ranks."""
    kinds: dict[str, list[Known]] = {}
    for timed in calls:
        kinds.setdefault(timed.call.kind, []).append(timed)
    return [panel for kind, own in kinds.items() for panel in _of_kind(kind, own)]


def _of_kind(kind: str, calls: Sequence[Known]) -> list[Panel[Known]]:
    numbers = list(dict.fromkeys(timed.call.ranks for timed in calls))
    if len(numbers) > 1 and len({timed.call.size for timed in calls}) == 1:
        return [Panel(kind, "ranks", sorted(calls, key=lambda timed: timed.call.ranks))]
    return [
        Panel(
            kind,
            "size",
            sorted((timed for timed in calls if timed.call.ranks == ranks), key=lambda timed: timed.call.size),
        )
        for ranks in numbers
    ]


def choice_has_gaps(answers: Sequence[Answer]) -> bool:
    """Whether no algorithm's curve joins two neighbours among the selector's choices: then they need a line of their own."""
    chosen = [(answer, answer.chosen) for answer in answers if answer.chosen is not None]
    return any(
        after.best_of(here.algorithm) is None and before.best_of(there.algorithm) is None
        for (before, here), (after, there) in pairwise(chosen)
    )
