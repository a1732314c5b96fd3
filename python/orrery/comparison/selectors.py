# SPDX-License-Identifier: BSD-3-Clause
"""Two selectors on the same calls: where they choose other algorithms, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import exp, log
from pathlib import Path

from orrery import _core
from orrery.collective.asked import cautions_of_choices
from orrery.collective.predict import predict
from orrery.collective.session import opened
from orrery.collective.settings import CollectiveRequest
from orrery.published import published

_MORE = 0.005
"""Relative difference of times from which on one is said to be faster: less than the model can tell."""


@dataclass(frozen=True, kw_only=True)
class ChoicePair:
    """One call, by both selectors."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective --size` has it."""
    first: str
    """Algorithm with its parameters, as `--coll` takes it."""
    second: str
    first_s: float
    second_s: float

    @property
    @published
    def ratio(self) -> float:
        """Ratio of the second time to the first; 1 where the first takes no time."""
        return self.second_s / self.first_s if self.first_s > 0 else 1.0


@dataclass(frozen=True, kw_only=True)
class SelectorsCompared:
    """Two selectors on the same calls."""

    platform: str
    mapping: str
    first: str
    second: str
    calls: list[ChoicePair]
    missing: int
    """Calls that Ctrl-C kept from being simulated."""
    cautions: list[str] = field(default_factory=list)
    """On rules that are not obeyed as they are written, or fit no call, a sentence each."""

    @property
    def different(self) -> list[ChoicePair]:
        """Those with other algorithms, the largest ratio, either way, first."""
        return sorted(
            (call for call in self.calls if call.first != call.second), key=lambda call: -abs(log(call.ratio or 1))
        )

    @property
    @published
    def ratio(self) -> float:
        """Geometric mean of the ratios of all calls."""
        if not self.calls:
            return 1.0
        return exp(sum(log(call.ratio) for call in self.calls if call.ratio > 0) / len(self.calls))

    @property
    @published
    def sentence(self) -> str:
        """In how many calls they choose otherwise, and what that comes to."""
        number, different = len(self.calls), len(self.different)
        if not different:
            return f"{self.first} and {self.second} choose the same algorithms in all of {number:,} calls."
        ratios = [call.ratio for call in self.calls]
        faster, slower = sum(ratio < 1 - _MORE for ratio in ratios), sum(ratio > 1 + _MORE for ratio in ratios)
        return (
            f"{self.first} and {self.second} choose other algorithms in {different:,} of {number:,} calls on {self.platform}: "
            f"{self.second} is faster in {faster:,} and slower in {slower:,}, and takes {self.ratio:.3g} times as long in the "
            "geometric mean of all."
        )


@dataclass(frozen=True)
class SelectorSide:
    """A selector by its name, or a file of rules on top of the one named."""

    name: str
    selector: str
    rules: Path | None = None


def compare_selectors(
    first: SelectorSide,
    second: SelectorSide,
    asked: CollectiveRequest,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> SelectorsCompared:
    """Simulate each call as both would choose. `asked`: the calls, the platform, and all that is common.

    Raises InputError for a platform or rules that cannot be used.
    """
    sides = []
    cautions: list[str] = []
    calls = asked.calls
    for done_before, side in ((0, first), (1, second)):
        told = _half(advanced, done_before)
        with opened(calls, replace(asked, selector=side.selector, rules=side.rules)) as (laboratory, question):
            chosen = [(call, laboratory.chosen(question.selector, call)) for call in calls] if side.rules else []
            cautions += cautions_of_choices(chosen, question.selector, side.rules)
            answers = predict(calls, question, laboratory, told)
        sides.append([answer.chosen or answer.fastest for answer in answers])
    compared = [
        ChoicePair(
            collective=call.kind,
            ranks=call.ranks,
            bytes=call.size,
            first=by_first.name,
            second=by_second.name,
            first_s=by_first.time_s,
            second_s=by_second.time_s,
        )
        for call, by_first, by_second in zip(calls, *sides, strict=False)
    ]
    return SelectorsCompared(
        platform=asked.platform,
        mapping=asked.mapping,
        first=first.name,
        second=second.name,
        calls=compared,
        missing=len(calls) - len(compared),
        cautions=cautions,
    )


def _half(advanced: Callable[[int, int], object], before: int) -> Callable[[int, int], object]:
    """Tells of one of two equal parts. `before`: parts that are done."""
    return lambda done, total: advanced(before * total + done, 2 * total)


def selector_names() -> list[str]:
    """Selectors that can be compared."""
    return list(_core.selectors())
