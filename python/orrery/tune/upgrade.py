# SPDX-License-Identifier: BSD-3-Clause
"""What another release of an MPI library changes: which calls run another algorithm, what that gains or loses, and the cliffs of both."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, hypot
from pathlib import Path
from typing import Any, Literal

from orrery.collective.asked import cautions_of_choices
from orrery.comparison.selectors import SelectorSide, selector_names
from orrery.errors import InputError, did_you_mean
from orrery.evidence.expectation import caution_of_ratios, reach_of_ratio
from orrery.evidence.statement import statement_of
from orrery.experiment.mapping import describe_mapping
from orrery.platform.trusted import cautions_of, verdict_of
from orrery.published import UNWRITTEN, published
from orrery.tune.cliffs import Cliff, Jump, cliff_of, jumps_of_calls, jumps_of_program, merged
from orrery.tune.turns import CallTime, CallTimer, PendingCall, PlacedCall
from orrery.tune.uses import CallUse
from orrery.units import show_difference, show_time

LEAST_DIFFERENCE = 0.02
"""Share of a call's time: a smaller difference is not worth a word, however well it is known."""

_AHEAD = 32
"""Loops under way at once, about: as many as keep all cores busy."""

Verdict = Literal["gain", "loss", "no difference", "not sure"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """Calls that run another algorithm after the upgrade; in JSON null where there is no program, or no evidence."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective --size` has it."""
    first: str
    """Algorithm before, as `--coll` takes it."""
    second: str
    """Algorithm after. Where both are the same, the calls that it is made of differ."""
    first_s: float
    """Time of one call."""
    second_s: float
    least_s: float = field(metadata=UNWRITTEN)
    """A smaller difference is none."""
    low_s: float | None
    """In 9 of 10 cases the difference is above this, as the errors of earlier predictions say."""
    high_s: float | None
    """And below this."""
    calls: int | None
    """Calls of the rank of the program that makes most."""
    communicators: int
    """Communicators of the program that make such calls."""

    @classmethod
    def of(cls, use: CallUse, names: tuple[str, str], times: tuple[CallTime, CallTime], reach: float | None) -> Change:
        """From algorithms and times of both releases.

        `reach`: half-width of the interval of 90 % of ln(second over first time); None: the model has no evidence.
        """
        first, second = times
        call = use.placed.call
        return cls(
            collective=call.kind,
            ranks=call.ranks,
            bytes=call.size,
            first=names[0],
            second=names[1],
            first_s=first.time_s,
            second_s=second.time_s,
            least_s=max(LEAST_DIFFERENCE * first.time_s, hypot(first.half_width_s, second.half_width_s)),
            low_s=None if reach is None else second.time_s * exp(-reach) - first.time_s,
            high_s=None if reach is None else second.time_s * exp(reach) - first.time_s,
            calls=use.calls,
            communicators=use.communicators,
        )

    @property
    @published
    def difference_s(self) -> float:
        """`second_s` less `first_s`: above 0 a loss."""
        return self.second_s - self.first_s

    @property
    @published
    def verdict(self) -> Verdict:
        """`no difference`: less than 2 %, or within the noise of the loops; `not sure`: between `low_s` and `high_s` is 0."""
        if abs(self.difference_s) <= self.least_s:
            return "no difference"
        if self.low_s is not None and self.high_s is not None and self.low_s <= 0 <= self.high_s:
            return "not sure"
        return "loss" if self.difference_s > 0 else "gain"

    @property
    @published
    def run_s(self) -> float | None:
        """What a run takes more by these calls; 0 where there is no difference."""
        if self.calls is None:
            return None
        return 0.0 if self.verdict == "no difference" else self.calls * self.difference_s

    @property
    def run_range_s(self) -> tuple[float, float]:
        """Where that is in 9 of 10 cases; without evidence there is no width."""
        low_s, high_s = (self.difference_s if end_s is None else end_s for end_s in (self.low_s, self.high_s))
        calls = self.calls or 0
        return calls * low_s, calls * high_s


@dataclass(frozen=True, kw_only=True)
class Upgrade:
    """What `orrery tune upgrade` found; times in seconds."""

    platform: str
    source: str
    """Where the platform's parameters come from."""
    model: str
    mapping: str
    first: str
    second: str
    program: str | None
    """Trace; None: all calls of some sizes and numbers of ranks."""
    changes: list[Change]
    """Those with most seconds of a run first; without a program in the order of the calls. Ctrl-C leaves some out."""
    different: int
    """Calls among those compared that run another algorithm: those of `changes`, and those that Ctrl-C kept from being timed."""
    compared: int
    """Calls that were compared."""
    cliffs: list[Cliff]
    cautions: list[str]
    """Limits of the results, a sentence each."""
    missing: int
    """Calls and jumps that Ctrl-C kept from being timed."""
    calibration: dict[str, Any] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""

    @property
    @published
    def run_s(self) -> float | None:
        """What a run of the program takes more, or less; None: there is no program."""
        return sum(change.run_s or 0.0 for change in self.changes) if self.program else None

    @property
    @published
    def run_low_s(self) -> float | None:
        """`run_s`, if all differences were at the lower end of their range."""
        return sum(change.run_range_s[0] for change in self.changes) if self.program else None

    @property
    @published
    def run_high_s(self) -> float | None:
        """At the upper end."""
        return sum(change.run_range_s[1] for change in self.changes) if self.program else None

    @property
    @published
    def sentence(self) -> str:
        """How many calls change their algorithm, and what that comes to."""
        of = f"of {self.compared:,} {'kinds of calls' if self.program else 'calls'}"
        place = f"on {self.platform}, ranks {describe_mapping(self.mapping)}"
        if not self.different:
            said = f"{self.first} and {self.second} choose the same algorithms in all {of} {place}"
        else:
            run = " run" if self.different != 1 else " runs"
            timed = f", {len(self.changes):,} of them timed" if len(self.changes) < self.different else ""
            said = f"From {self.first} to {self.second} {place}: {self.different:,} {of}{run} another algorithm{timed}"
        if not self.changes:
            return f"{said}."
        return f"{said}; {self._run_words()}." if self.program else f"{said}: {_counted(self.changes)}."

    def _run_words(self) -> str:
        run_s, low_s, high_s = (value or 0.0 for value in (self.run_s, self.run_low_s, self.run_high_s))
        more = "more" if run_s > 0 else "less"
        span = f"{show_difference(low_s)} to {show_difference(high_s)}"
        return f"{self.program} takes {show_time(abs(run_s))} {more} ({span})"


def _counted(changes: Sequence[Change]) -> str:
    words: dict[Verdict, str] = {"gain": "quicker", "loss": "slower", "not sure": "not sure", "no difference": "alike"}
    counts = {word: sum(change.verdict == verdict for change in changes) for verdict, word in words.items()}
    return ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)


@dataclass(frozen=True, kw_only=True)
class UpgradeQuestion:
    """What is asked."""

    uses: Sequence[CallUse]
    program: str = ""
    """Trace that they come from; empty: none, and cliffs are looked for at all sizes and numbers of ranks."""
    cautions: Sequence[str] = field(default_factory=list)
    """What is to be said of them, a sentence each."""


def sides(text: str) -> tuple[SelectorSide, SelectorSide]:
    """The two sides of `orrery tune upgrade A:B`: selectors, or files of rules on top of the default one. Raises InputError for anything else."""
    first, colon, second = text.partition(":")
    if not (first and colon and second):
        raise InputError(f'"{text}": expected two releases with a colon between them, such as openmpi-4.1:openmpi-5.0')
    return _side(first), _side(second)


def _side(name: str) -> SelectorSide:
    if Path(name).is_file():
        return SelectorSide(name, "default", Path(name))
    names = selector_names()
    if name not in names:
        raise InputError(
            f'OLD:NEW: no selector or file of rules is named "{name}"; there are: {", ".join(names)}'
            f"{did_you_mean(name, names)}"
        )
    return SelectorSide(name, name)


def upgrade(
    question: UpgradeQuestion, turns: CallTimer, advanced: Callable[[int, int], object] = lambda _done, _all: None
) -> Upgrade:
    """Time all calls whose algorithm changes by both releases, and both sides of all jumps. Ctrl-C ends it, with what is there.

    Calls of few messages come first, so that much is there early. Raises InputError where no algorithm serves a call, or it cannot be
    simulated.
    """
    served = [use for use in question.uses if all(turns.serves(side, use.placed) for side in (0, 1))]
    different = [use for use in served if not turns.alike(use.placed)]
    plans: list[CallUse | Jump] = [*different, *_jumps(turns, question, served)]
    plans.sort(key=lambda plan: _messages(turns, plan))
    changes, cliffs, missing = _timed(turns, plans, advanced)
    laboratory = turns.laboratory
    return Upgrade(
        platform=laboratory.platform["name"],
        source=laboratory.platform["source"],
        model=laboratory.model,
        mapping=laboratory.mapping,
        first=turns.sides[0].name,
        second=turns.sides[1].name,
        program=question.program or None,
        changes=sorted(
            (changes[use] for use in different if use in changes), key=lambda change: -abs(change.run_s or 0.0)
        ),
        different=len(different),
        compared=len(served),
        cliffs=merged(cliffs),
        cautions=_cautions(turns, question, served),
        missing=missing,
        calibration=verdict_of(laboratory.platform),
    )


def _timed(
    turns: CallTimer, plans: Sequence[CallUse | Jump], advanced: Callable[[int, int], object]
) -> tuple[dict[CallUse, Change], list[Cliff], int]:
    """What comes of the plans, and how many of them Ctrl-C left."""
    changes: dict[CallUse, Change] = {}
    cliffs: list[Cliff] = []
    done = 0
    try:
        for plan, begun in _under_way(turns, plans):
            if isinstance(plan, CallUse):
                changes[plan] = _change(turns, plan, begun)
            elif begun and (cliff := cliff_of(turns, plan, begun)):
                cliffs.append(cliff)
            done += 1
            advanced(done, len(plans))
    except KeyboardInterrupt:
        turns.stop()
    return changes, cliffs, len(plans) - done


def _jumps(turns: CallTimer, question: UpgradeQuestion, served: Sequence[CallUse]) -> list[Jump]:
    if not served:
        return []
    if question.program:
        return jumps_of_program(turns, served)
    return jumps_of_calls(turns, [use.placed for use in served])


def _calls(plan: CallUse | Jump) -> list[tuple[int, PlacedCall]]:
    """What is timed: the release, and the call."""
    if isinstance(plan, CallUse):
        return [(0, plan.placed), (1, plan.placed)]
    return [(plan.side, plan.before), (plan.side, plan.after)]


def _messages(turns: CallTimer, plan: CallUse | Jump) -> int:
    return max(turns.messages(side, placed) for side, placed in _calls(plan))


def _under_way(turns: CallTimer, plans: Iterable[CallUse | Jump]) -> Iterator[tuple[CallUse | Jump, list[PendingCall]]]:
    """All of them in their order, some of which are begun ahead."""
    ahead: deque[tuple[CallUse | Jump, list[PendingCall]]] = deque()
    for plan in plans:
        ahead.append((plan, _begun(turns, plan)))
        if len(ahead) > _AHEAD:
            yield ahead.popleft()
    yield from ahead


def _begun(turns: CallTimer, plan: CallUse | Jump) -> list[PendingCall]:
    """Both calls, under way; none where a loop cannot make one of them."""
    calls = _calls(plan)
    if not all(turns.serves(side, placed) for side, placed in calls):
        return []
    return [turns.begin(side, placed) for side, placed in calls]


def _change(turns: CallTimer, use: CallUse, begun: Iterable[PendingCall]) -> Change:
    first, second = (loop.result() for loop in begun)
    call = use.placed.call
    laboratory = turns.laboratory
    reach = None
    if laboratory.model == "hybrid":
        reach = reach_of_ratio(call.kind, call.ranks, call.size, statement=statement_of(laboratory.platform))
    names = (turns.choice(0, use.placed).name, turns.choice(1, use.placed).name)
    return Change.of(use, names, (first, second), reach)


def _cautions(turns: CallTimer, question: UpgradeQuestion, served: Sequence[CallUse]) -> list[str]:
    laboratory = turns.laboratory
    found = [*cautions_of(laboratory.platform), *laboratory.cautions(use.placed.call.ranks for use in served)]
    found += question.cautions
    for side, release in enumerate(turns.sides):
        chosen = [(use.placed.call, turns.choice(side, use.placed)) for use in served]
        found += cautions_of_choices(chosen, turns.selector(side), release.rules)
    if laboratory.model == "hybrid":
        found += caution_of_ratios(statement_of(laboratory.platform))
    found += [
        f"not compared: {use.placed.call.kind} of {use.placed.call.size} bytes, whose operation or datatype no loop "
        "can have"
        for use in question.uses
        if use not in served
    ]
    if question.program and any(use.placed != turns.placed(use.placed.call, use.placed.root) for use in served):
        found.append("cliffs along ranks are those of communicators of the first ranks")
    if any(use.communicators > 1 for use in served):
        found.append("several communicators that call at once are simulated one at a time: they may hinder each other")
    return found
