# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of collective calls by algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from orrery import _core
from orrery.collective.call import ALL, Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.named import known, named_choices
from orrery.collective.settings import CollectiveRequest
from orrery.evidence.expectation import expected_of_call
from orrery.evidence.statement import statement_of
from orrery.noise.intervals import Interval
from orrery.record.expected import ExpectedInterval

SEGMENTS = tuple(1 << 10 + 2 * step for step in range(6))
"""Bytes of the segments that algorithms with segments are tried with, besides none: 1 KiB, 4 KiB, ... 1 MiB."""
_MOST_SEGMENTS = 64


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which algorithms are asked for."""

    selector: _core.Selector
    request: CollectiveRequest


@dataclass(frozen=True)
class Prediction:
    """One algorithm for one call."""

    choice: _core.Choice
    time_s: float
    """Simulated time; the median of several replicas."""
    messages: int
    bytes_sent: int
    interval: Interval | None = None
    """Interval over several replicas; None: there is a single one."""
    expected: ExpectedInterval | None = None
    """Where the real time is expected; None for models without evidence."""
    stalled: int = 0
    """Messages that waited for a time-out of a crowded switch, of all replicas."""

    @property
    def name(self) -> str:
        """With its parameters, as `--coll` takes it."""
        return self.choice.name

    @property
    def algorithm(self) -> str:
        """The algorithm without the segment size."""
        return unsegmented(self.choice)


@dataclass(frozen=True)
class Answer:
    """What is known about one call."""

    call: Call
    predictions: list[Prediction]
    """By algorithm, that of the selector included."""
    chosen: Prediction | None
    """By the selector; None where the user named an algorithm."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Algorithms that would send too many messages, and how many about."""

    @property
    def shortest(self) -> Prediction:
        """The first of the predictions that take the least time."""
        return min(self.predictions, key=lambda prediction: prediction.time_s)

    @property
    def fastest(self) -> Prediction | None:
        """The shortest; None where it is the only prediction, so that nothing was compared."""
        return self.shortest if len(self.predictions) > 1 else None

    def best_of(self, algorithm: str) -> Prediction | None:
        """The shortest among the segment sizes of one algorithm; None if it does not serve the call."""
        own = [prediction for prediction in self.predictions if prediction.algorithm == algorithm]
        return min(own, key=lambda prediction: prediction.time_s, default=None)


def unsegmented(choice: _core.Choice) -> str:
    """The algorithm with its parameters but the segment size: what is compared as one."""
    return choice.with_segment(0).name


def predict(
    calls: Iterable[Call],
    question: Question,
    laboratory: Laboratory,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> list[Answer]:
    """An answer for each call; fewer, in the same order, where Ctrl-C came. `advanced(done, all)` is told of experiments
    that ended.

    Raises InputError where no algorithm serves a call.
    """
    plans = [_plan(call, question, laboratory) for call in calls]
    under_way = [laboratory.begin([(plan.call, choice) for choice in plan.choices]) for plan in plans]
    total = sum(len(plan.choices) for plan in plans)
    done = 0
    answers: list[Answer] = []
    try:
        for plan, futures in zip(plans, under_way, strict=True):
            found = []
            for choice, future in zip(plan.choices, futures, strict=True):
                cost = future.result()
                expected = _expected(plan.call, cost.time_s, cost.interval, laboratory)
                found.append(
                    Prediction(choice, cost.time_s, cost.messages, cost.bytes, cost.interval, expected, cost.stalled)
                )
                done += 1
                advanced(done, total)
            chosen = next((prediction for prediction in found if prediction.name == plan.chosen), None)
            answers.append(Answer(plan.call, found, chosen, plan.left_out))
    except KeyboardInterrupt:
        laboratory.stop()
    return answers


def _expected(call: Call, time_s: float, interval: Interval | None, laboratory: Laboratory) -> ExpectedInterval | None:
    if laboratory.model != "hybrid":
        return None
    statement = statement_of(laboratory.platform)
    return expected_of_call(call.kind, call.ranks, call.size, time_s, interval=interval, statement=statement)


@dataclass(frozen=True)
class _Plan:
    call: Call
    choices: list[_core.Choice]
    chosen: str | None
    left_out: dict[str, int]


def _plan(call: Call, question: Question, laboratory: Laboratory) -> _Plan:
    whole = laboratory.whole(call)
    request = question.request
    named = [
        choice for name in request.algorithm if name != ALL for choice in named_choices(call, whole, name, request)
    ]
    if not request.asks_selector:
        return _Plan(call, _distinct(named), None, {})
    chosen = laboratory.chosen(question.selector, call)
    wanted = [chosen, *named]
    candidates = list(wanted)
    if ALL in request.algorithm:
        candidates += all_choices(call, whole, request)
    kept: list[_core.Choice] = []
    left_out: dict[str, int] = {}
    for choice in _distinct(candidates):
        messages = _core.estimated_messages(whole, choice)
        if messages > request.most_messages and choice not in wanted:
            left_out[choice.algorithm] = max(messages, left_out.get(choice.algorithm, 0))
        else:
            kept.append(choice)
    return _Plan(call, kept, chosen.name, left_out)


def all_choices(call: Call, whole: _core.CollectiveCall, request: CollectiveRequest) -> list[_core.Choice]:
    """What `all` compares: all algorithms that accept the call, with the sizes of segments and the fan-out to try."""
    segments = usual_segments(call.size) if request.segments is None else request.segments
    found = variants(call, whole, segments)
    if not request.fanout:
        return found
    return [
        _core.named_choice(whole, f"{choice.name}:fanout={request.fanout}")
        if known(call.kind, choice.algorithm).fans_out
        else choice
        for choice in found
    ]


def variants(call: Call, whole: _core.CollectiveCall, segments: Iterable[int]) -> list[_core.Choice]:
    """All algorithms that accept the call, those with segments with each of `segments` that is shorter than it."""
    found = []
    for choice in _core.accepting_choices(whole):
        found.append(choice)
        if choice.segments:
            found += [choice.with_segment(segment) for segment in segments if 0 < segment < call.size]
    return _distinct([_core.served_choice(whole, choice) for choice in found])


def usual_segments(size: int) -> list[int]:
    """Those of `SEGMENTS` that cut so many bytes into 2 to 64 segments."""
    return [segment for segment in SEGMENTS if segment < size <= _MOST_SEGMENTS * segment]


def _distinct(choices: Iterable[_core.Choice]) -> list[_core.Choice]:
    return list({choice.name: choice for choice in reversed(list(choices))}.values())[::-1]
