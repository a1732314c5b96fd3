# SPDX-License-Identifier: BSD-3-Clause
"""Two selectors on the same calls: where they choose other algorithms, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import exp, log
from pathlib import Path

from orrery import _core
from orrery.collective.asked import cautions_of_choices
from orrery.collective.call import Call
from orrery.collective.predict import Prediction, predict
from orrery.collective.session import opened
from orrery.collective.settings import CollectiveRequest

_MORE = 0.005
"""Relative difference of times from which on one is said to be faster: less than the model can tell."""


@dataclass(frozen=True, kw_only=True)
class ChoicePair:
    """One call, by both."""

    call: Call
    first: Prediction
    second: Prediction

    @property
    def differs(self) -> bool:
        """Whether the algorithms, with their parameters, are not the same."""
        return self.first.name != self.second.name

    @property
    def ratio(self) -> float:
        """Ratio of the second time to the first; 1 where the first takes no time."""
        return self.second.time_s / self.first.time_s if self.first.time_s > 0 else 1.0


@dataclass(frozen=True, kw_only=True)
class SelectorsCompared:
    """Two selectors on the same calls."""

    platform: str
    mapping: str
    names: tuple[str, str]
    choices: list[ChoicePair]
    """In the order of the calls; fewer where Ctrl-C came."""
    asked: int
    """Calls that were to be compared."""
    cautions: list[str] = field(default_factory=list)
    """Sentences on rules that are not obeyed as they are written, or fit no call."""

    @property
    def different(self) -> list[ChoicePair]:
        """Those with other algorithms, the largest ratio, either way, first."""
        return sorted(
            (choice for choice in self.choices if choice.differs), key=lambda choice: -abs(log(choice.ratio or 1))
        )

    @property
    def ratio(self) -> float:
        """Geometric mean of the ratios of all calls."""
        if not self.choices:
            return 1.0
        return exp(sum(log(choice.ratio) for choice in self.choices if choice.ratio > 0) / len(self.choices))

    @property
    def faster(self) -> tuple[int, int]:
        """Calls in which the first, and in which the second, is faster by more than the model can tell."""
        ratios = [choice.ratio for choice in self.choices]
        return sum(ratio > 1 + _MORE for ratio in ratios), sum(ratio < 1 - _MORE for ratio in ratios)


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
    number = min(map(len, sides))
    return SelectorsCompared(
        platform=asked.platform,
        mapping=asked.mapping,
        names=(first.name, second.name),
        choices=[
            ChoicePair(call=call, first=by_first, second=by_second)
            for call, by_first, by_second in zip(calls[:number], sides[0], sides[1], strict=False)
        ],
        asked=len(calls),
        cautions=cautions,
    )


def _half(advanced: Callable[[int, int], object], before: int) -> Callable[[int, int], object]:
    """Tells of one of two equal parts. `before`: parts that are done."""
    return lambda done, total: advanced(before * total + done, 2 * total)


def selector_names() -> list[str]:
    """Selectors that can be compared."""
    return list(_core.selectors())
