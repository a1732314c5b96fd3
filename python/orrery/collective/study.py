# SPDX-License-Identifier: BSD-3-Clause
"""A study of collective calls: predictions, what follows from them, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from orrery import _core
from orrery.collective.asked import cautions_of_choices, in_vain
from orrery.collective.call import ALL, Call
from orrery.collective.crossovers import Crossover, Loss, SelectorChange, crossovers, losses, selector_changes
from orrery.collective.laboratory import Laboratory
from orrery.collective.named import named_choices
from orrery.collective.parameters import cautions_of_parameters
from orrery.collective.predict import Answer, Prediction, Question, all_choices, predict, unsegmented
from orrery.platform.model import TABLES
from orrery.platform.trusted import cautions_of, verdict_of
from orrery.published import UNWRITTEN, published

_QUICK_MESSAGES = 300_000  # what a further simulation, to narrow a crossover down, may send


@dataclass(frozen=True, kw_only=True)
class PredictionRow:
    """The predicted cost of one call by one algorithm."""

    collective: str
    ranks: int
    root: int
    bytes: int
    """As `--size` has it."""
    algorithm: str
    segment_bytes: int
    """0: the algorithm sends no segments."""
    time_s: float
    """From the first rank's begin to the last one's end."""
    messages: int
    message_bytes: int
    """Sum over all messages."""
    fastest: bool | None
    """Whether none of the algorithms that were asked for is faster; None: no other was simulated."""
    chosen: bool | None
    """By the selector; None: it was not asked, since algorithms were named."""
    low_s: float | None
    """5th percentile of several replicas; None: there was one."""
    high_s: float | None
    """95th percentile."""
    expected_low_s: float | None
    """From here on real times are expected in 9 of 10 cases, by residuals of measured clusters; on a platform without a calibration by
    those of machines with platforms that were written by hand. None: there are none."""
    expected_high_s: float | None
    """Up to here."""


@dataclass(frozen=True)
class LeftOutCall:
    """What was not simulated, as it would have sent too many messages (`--most-messages`)."""

    collective: str
    ranks: int
    bytes: int
    algorithm: str
    messages: int


@dataclass(frozen=True)
class MissingCall:
    """A call that Ctrl-C kept from being simulated."""

    collective: str
    ranks: int
    bytes: int


class SizeRegime(NamedTuple):
    """A range of sizes that cost alike, but the first."""

    path: str
    """Key of the platform, such as `between_nodes`."""
    begin_bytes: int
    protocol: str


@dataclass(frozen=True)
class Study:
    """What collective calls cost."""

    platform: str
    source: str
    """Where the platform's parameters come from."""
    model: str
    mapping: str
    selector: str
    algorithms: Sequence[str] = field(metadata=UNWRITTEN)
    """Those that were asked for, as `--algorithm` has them; empty: the selector's choice alone."""
    root: int = field(metadata=UNWRITTEN)
    seeds: range = field(metadata=UNWRITTEN)
    """Seeds of the replicas."""
    answers: list[Answer] = field(metadata=UNWRITTEN)
    crossovers: list[Crossover]
    selector_changes: list[SelectorChange]
    """Where nothing was compared: sizes at which the selector changes."""
    losses: list[Loss]
    cautions: list[str]
    """Limits of the results, a sentence each."""
    missing: list[MissingCall]
    calibration: dict[str, Any] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""
    regimes: dict[int, list[SizeRegime]] = field(metadata=UNWRITTEN)
    """By number of ranks: what the network does with messages of most of these ranks, the first range left out."""

    @property
    @published
    def replicas(self) -> int:
        """How often each call was simulated."""
        return len(self.seeds)

    @property
    @published
    def seed(self) -> int:
        """Seed of the first replica."""
        return self.seeds[0]

    @property
    @published
    def predictions(self) -> list[PredictionRow]:
        """A row for each algorithm and call."""
        return [self._row(answer, prediction) for answer in self.answers for prediction in answer.predictions]

    @property
    @published
    def left_out(self) -> list[LeftOutCall]:
        """What would have sent too many messages."""
        return [
            LeftOutCall(answer.call.kind, answer.call.ranks, answer.call.size, name, messages)
            for answer in self.answers
            for name, messages in answer.left_out.items()
        ]

    @property
    def uncompared(self) -> str:
        """A sentence on calls for which nothing was compared, without a full stop; empty: there are none."""
        alone = [answer for answer in self.answers if answer.fastest is None]
        if not alone:
            return ""
        if not self.algorithms:
            return "only the selector's choice was simulated: --algorithm all compares it with the others"
        if ALL not in self.algorithms and len(alone) == len(self.answers):
            return "only one algorithm was simulated: --algorithm all compares all that serve"
        return f"only one algorithm was simulated for {len(alone):,} of {len(self.answers):,} calls"

    def _row(self, answer: Answer, prediction: Prediction) -> PredictionRow:
        call, interval, expected = answer.call, prediction.interval, prediction.expected
        return PredictionRow(
            collective=call.kind,
            ranks=call.ranks,
            root=self.root,
            bytes=call.size,
            algorithm=prediction.algorithm,
            segment_bytes=prediction.choice.segment_bytes,
            time_s=prediction.time_s,
            messages=prediction.messages,
            message_bytes=prediction.bytes_sent,
            fastest=None if answer.fastest is None else prediction is answer.fastest,
            chosen=None if answer.chosen is None else prediction is answer.chosen,
            low_s=interval.low_s if interval else None,
            high_s=interval.high_s if interval else None,
            expected_low_s=expected.low_s if expected else None,
            expected_high_s=expected.high_s if expected else None,
        )


def study(
    calls: Sequence[Call],
    question: Question,
    laboratory: Laboratory,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> Study:
    """Predict, find crossovers and losses. Raises InputError where no algorithm serves a call."""
    asked = _asked(calls, question, laboratory)
    answers = predict(calls, question, laboratory, advanced)
    missing = [MissingCall(call.kind, call.ranks, call.size) for call in calls[len(answers) :]]
    return Study(
        platform=laboratory.platform["name"],
        source=laboratory.platform["source"],
        model=laboratory.model,
        mapping=laboratory.mapping,
        selector=question.selector.name,
        algorithms=question.request.algorithm,
        root=laboratory.root,
        seeds=laboratory.variants.seeds,
        answers=answers,
        crossovers=[] if missing else crossovers(answers, _timer(question, laboratory)),
        selector_changes=selector_changes(answers),
        losses=losses(answers),
        missing=missing,
        cautions=[
            *cautions_of(laboratory.platform),
            *laboratory.cautions(call.ranks for call in calls),
            *asked,
            *_timeouts(answers),
            *_beyond(answers),
            *laboratory.variants.cautions(),
        ],
        calibration=verdict_of(laboratory.platform),
        regimes={ranks: _regimes(laboratory, ranks) for ranks in {answer.call.ranks for answer in answers}},
    )


def _regimes(laboratory: Laboratory, ranks: int) -> list[SizeRegime]:
    """Those inside a node where all ranks are on one, else those between nodes; none of models that have no such ranges."""
    path = "inside_node" if laboratory.placement(ranks).hosts_used == 1 else "between_nodes"
    if laboratory.model != "hybrid" or not (table := laboratory.platform[TABLES["hybrid"]]):
        return []
    return [
        SizeRegime(path, here["end_bytes"], behind["protocol"])
        for here, behind in pairwise(table[path])
        if here["end_bytes"] is not None
    ]


def _asked(calls: Sequence[Call], question: Question, laboratory: Laboratory) -> list[str]:
    """Cautions on algorithms and rules that were asked for and do not serve. Raises InputError for what serves no call."""
    found = cautions_of_parameters([(call, laboratory.whole(call)) for call in calls], question.request)
    for name in question.request.algorithm:
        if name != ALL:
            choices = [
                (call, choice)
                for call in calls
                for choice in named_choices(call, laboratory.whole(call), name, question.request)
            ]
            found += in_vain(choices, "--algorithm", refused=True)
    if question.request.asks_selector:
        chosen = [(call, laboratory.chosen(question.selector, call)) for call in calls]
        found += cautions_of_choices(chosen, question.selector, question.request.rules)
    return found


def _timer(question: Question, laboratory: Laboratory) -> Callable[[Answer, str, int], float | None]:
    def time_of(answer: Answer, algorithm: str, size: int) -> float | None:
        call = replace(answer.call, size=size)
        whole = laboratory.whole(call)
        tried = all_choices(call, whole, question.request) if ALL in question.request.algorithm else []
        choices = [choice for choice in tried if unsegmented(choice) == algorithm]
        choices += [
            prediction.choice for prediction in answer.predictions if prediction.algorithm == algorithm and not choices
        ]
        if not choices or sum(_core.estimated_messages(whole, choice) for choice in choices) > _QUICK_MESSAGES:
            return None
        return min(laboratory.time(call, choice) for choice in choices)

    return time_of


def _timeouts(answers: Iterable[Answer]) -> list[str]:
    stalled = [prediction.stalled for answer in answers for prediction in answer.predictions if prediction.stalled]
    if not stalled:
        return []
    return [f"time-outs of crowded switches acted in {len(stalled):,} predictions, on {sum(stalled):,} messages"]


def _beyond(answers: Iterable[Answer]) -> list[str]:
    """What the expected ranges do not rest on, each once."""
    said = (
        beyond
        for answer in answers
        for prediction in answer.predictions
        if prediction.expected
        for beyond in prediction.expected.beyond
    )
    return [f"expected times: {beyond}" for beyond in dict.fromkeys(said)]
