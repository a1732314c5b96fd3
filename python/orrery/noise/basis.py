# SPDX-License-Identifier: BSD-3-Clause
"""Whether two samples of times differ by more than noise, by what is known of that noise.

The times of several runs, and draws of a platform's noise, are told apart by their ranks where they are enough for that (`orrery.noise.ranks`),
of which no distribution is assumed. Fewer times are told apart by their means, on logarithms (`orrery.noise.student`): of 20 runs of each of 6
programs on a quiet and on a busy host (`evidence/repeats.csv`), two and two at random are said to be apart in 2.3 %, three and three in 2.8 %;
where one side takes half as much time again, in 50 and 93 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

import numpy as np

from orrery.noise import pieces, ranks, student
from orrery.noise.intervals import Interval, MedianInterval
from orrery.noise.ranks import Floats
from orrery.noise.verdict import LEVEL, Verdict

CLOCK_S = 1e-9
"""Traces have whole nanoseconds: what differs by no more is equal, in records, too."""
ROUNDING = 1e-12
"""Share of the longer of two times: what differs by less is equal."""
_MOST_LOG = 50.0
"""The largest logarithm of a ratio: its exponential stays a number."""
_LEAST_CHANCE = 1e-4

Kind = Literal["exact", "pairs", "separate", "beside", "pieces", "nothing"]
SampleSource = Literal["any", "repeats", "replicas"]


@dataclass(frozen=True, kw_only=True)
class TimedSide:
    """The time of one side of a comparison, and what is known of its noise."""

    time_s: float
    simulated: bool
    """Otherwise it is of a real machine."""
    computation: str = ""
    """Identifies measured computation, equal on two sides that use the same; empty: this side alone has it."""
    noisy: bool | None = None
    """Whether the time depends on a seed; None: that is not known."""
    repeats_s: Sequence[float] = ()
    """Times of several runs, each with its own computation, if there are such; `time_s` is one of them."""
    replicas_s: Sequence[float] = ()
    """Times with several draws of the platform's noise and the same computation, if there are such."""
    seed: int = 0
    """Seed of the first draw."""
    vary: str = "noise"
    """What draws differ in: `noise`, or `calibration`: the platform's parameters as well."""
    replayed: bool = False
    """Computation is that of a recording."""
    incomplete: str = ""
    """Why these are not times of the whole program; empty: they are."""


@dataclass(frozen=True)
class NoiseBasis:
    """What a comparison of two samples rests on."""

    kind: Kind
    """`exact`: a time of each, without noise, and all else is common. `separate`: samples that were taken one without regard
    to the other. `pairs`: the n-th times of both have their noise in common. `beside`: draws of one side, and a time without noise.
    `pieces`: one run of each, cut into pieces of the same calls. `nothing`: nobody knows how large the noise is."""
    why: str
    """Why nothing is known, where that is so; otherwise the clause that stands before the verdict."""
    source: SampleSource = "any"
    """Which times of each side are compared; `any`: those that it has."""
    too_few: str = ""
    """What to do where samples look apart, but so few could by chance; empty: they are enough."""
    cure: str = ""
    """What would have less noise, for a difference within it."""
    draws: int = 0
    """How often a time without noise stands beside the draws of the other side; 0: both sides have draws, or none."""
    of_parameters: bool = False
    """Draws differ in the platform's parameters: what counts is whether one side is faster in nearly all of them, not on average."""

    def times(self, side: TimedSide) -> list[float]:
        """The sample of a side that is compared."""
        if self.kind == "exact":
            return [side.time_s]
        drawn = {"any": side.repeats_s or side.replicas_s, "repeats": side.repeats_s, "replicas": side.replicas_s}
        return list(drawn[self.source]) or [side.time_s] * max(1, self.draws)

    def verdict(self, first: Sequence[float], second: Sequence[float]) -> Verdict:
        """On two samples, each of one time at least; of pairs and pieces both have the same length."""
        if self.kind != "exact" and self._unknown(first, second):
            return "unknown"
        if self._alike(first, second, CLOCK_S):
            return "equal"
        if self.kind == "exact":
            return "apart"
        if self.too_few:
            return "unknown" if self._separated(first, second) else "within noise"
        if (chance := self.chance(first, second)) is not None:
            return "apart" if chance <= LEVEL else "within noise"
        low, high = self.shift(*self._comparable(first, second))
        return "within noise" if low <= 0 <= high else "apart"

    def verdict_of_part(self, first: Sequence[float], second: Sequence[float], slack_s: float) -> Verdict:
        """On a part of the times, such as a routine's. What differs by no more than `slack_s` is equal, whatever the noise of the whole."""
        return "equal" if self._alike(first, second, slack_s) else self.verdict(first, second)

    def chance(self, first: Sequence[float], second: Sequence[float]) -> float | None:
        """Probability with which chance sets equal sides so far apart; None: it is not by ranks that they are told apart."""
        if self._unknown(first, second) or not self._by_ranks(first, second):
            return None
        before, after = np.array(first), np.array(second)
        return (ranks.chance_of_pairs_of_times if self.kind == "pairs" else ranks.chance)(before, after)

    def shift(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
        """Interval of what is added to the first to give the second, of samples that are not `exact` and of which something is known."""
        before, after = np.array(first), np.array(second)
        if self.of_parameters:
            return _of_draws(before, after, paired=self._paired)
        if (
            self.kind == "beside"
        ):  # noise of one side alone may be skewed: neither ranks of differences nor their mean tell
            median = MedianInterval.of((after - before).tolist())
            return median.low_s, median.high_s
        if self.kind == "pieces":
            return pieces.shift(before, after)
        by_ranks = self._by_ranks(first, second)
        if self.kind == "pairs":
            found = after - before
            return ranks.shift_of_pairs(found) if by_ranks else student.shift_of_pairs(found)
        return ranks.shift(before, after) if by_ranks else student.shift(first, second)

    def difference(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float] | None:
        """Interval of what the second takes longer, of 95 %, or of 90 % of draws of parameters; None: that is not known."""
        if self.kind == "exact":
            return second[0] - first[0], second[0] - first[0]
        return None if self.too_few or self._unknown(first, second) else self.shift(first, second)

    def ratios(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float] | None:
        """Interval of the ratio of the second to the first, as `difference` has it; None: that is not known, or a side has no time."""
        if self.kind == "exact":
            return None if min(first[0], second[0]) <= 0 else (second[0] / first[0], second[0] / first[0])
        if self.too_few or self._unknown(first, second):
            return None
        if self.kind == "pieces":
            whole_s = sum(first)
            low, high = self.shift(first, second)
            return (1 + low / whole_s, 1 + high / whole_s) if whole_s > 0 else None
        if min(*first, *second) <= 0:
            return None
        low, high = self.shift(_logs(first), _logs(second))
        return exp(max(low, -_MOST_LOG)), exp(min(high, _MOST_LOG))

    def said(self, first: Sequence[float], second: Sequence[float]) -> str:
        """What the verdict rests on, in words, with the test and its probability where there was one."""
        if (verdict := self.verdict(first, second)) == "equal":
            exactly = "to the last bit" if list(first) == list(second) else "to rounding"
            return f"{exactly}, on common computation" if self.kind == "exact" else exactly
        if self.kind in ("nothing", "pieces"):
            return self.why
        if verdict == "unknown":
            return f"{self.why}, {self.too_few}"
        if self.kind == "exact":
            return f"{self.why} and there is no noise, so all of the difference comes from what was changed"
        tested = self._tested(first, second)
        if self._paired:
            both = list(zip(first, second, strict=True))
            faster, slower = sum(b < a for a, b in both), sum(b > a for a, b in both)
            return f"{self.why} it is faster {faster} times and slower {slower} times{tested}"
        return f"{self.why}{tested}{f'; {self.cure}' if self.cure and verdict == 'within noise' else ''}"

    def _tested(self, first: Sequence[float], second: Sequence[float]) -> str:
        if (chance := self.chance(first, second)) is not None:
            test = "Wilcoxon signed-rank test" if self.kind == "pairs" else "Mann-Whitney test"
            shown = f"p = {chance:.2g}" if chance >= _LEAST_CHANCE else f"p < {_LEAST_CHANCE:g}"
            return f"; {shown} ({test}; {LEVEL:g} or less is more than noise)"
        if self.of_parameters and not self._paired:
            common = "no time in common" if self.verdict(first, second) == "apart" else "a time in common"
            return f", and their intervals have {common}"
        if self.of_parameters or self.kind == "beside" or self.too_few:
            return ""
        return ", too few for a test of ranks: times are taken to be normally distributed (t test, 5 %)"

    @property
    def _paired(self) -> bool:
        return self.kind in ("pairs", "beside")

    @property
    def _one_by_one(self) -> bool:
        """Whether the n-th time of one side belongs to the n-th of the other."""
        return self._paired or self.kind == "pieces"

    def _alike(self, first: Sequence[float], second: Sequence[float], slack_s: float) -> bool:
        """Whether all times are the same, or those of each pair or piece, and of pieces their sums, too."""
        slack_s = max(slack_s, ROUNDING * max(*first, *second))
        if self._one_by_one:
            if len(first) != len(second):
                return False
            if self.kind == "pieces" and abs(sum(second) - sum(first)) > slack_s:
                return False
            return all(abs(b - a) <= slack_s for a, b in zip(first, second, strict=True))
        return max(*first, *second) - min(*first, *second) <= slack_s

    def _unknown(self, first: Sequence[float], second: Sequence[float]) -> bool:
        """Also of single times, such as those of routines in records of an earlier version, and of lists that do not match."""
        unequal = self._one_by_one and len(first) != len(second)
        return self.kind == "nothing" or unequal or min(len(first), len(second)) == 1

    def _by_ranks(self, first: Sequence[float], second: Sequence[float]) -> bool:
        if self.of_parameters or self.too_few or self.kind not in ("pairs", "separate"):
            return False
        return ranks.enough_pairs(len(first)) if self.kind == "pairs" else ranks.enough(len(first), len(second))

    def _comparable(self, first: Sequence[float], second: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
        """Logarithms, so that ratios count, but of sums, and where a time is 0."""
        if self.kind == "pieces" or min(*first, *second) <= 0:
            return first, second
        return _logs(first), _logs(second)

    def _separated(self, first: Sequence[float], second: Sequence[float]) -> bool:
        """Whether all of one side are below all of the other, or of each pair the same one is."""
        if not self._paired:
            return max(first) < min(second) or max(second) < min(first)
        both = list(zip(first, second, strict=True))
        return all(a < b for a, b in both) or all(a > b for a, b in both)


def _logs(times: Sequence[float]) -> list[float]:
    return [log(time) for time in times]


def _of_draws(first: Floats, second: Floats, *, paired: bool) -> tuple[float, float]:
    """Where nine tenths of the differences lie: of pairs, or of any draw of one side and any of the other."""
    if paired:
        found = Interval.of((second - first).tolist())
        return found.low_s, found.high_s
    before, after = Interval.of(first.tolist()), Interval.of(second.tolist())
    return after.low_s - before.high_s, after.high_s - before.low_s


def basis_of(first: TimedSide, second: TimedSide) -> NoiseBasis:
    """What the comparison of two sides rests on."""
    for name, side in (("the first", first), ("the second", second)):
        if side.incomplete:
            return NoiseBasis(
                "nothing", f"{name} did not come to its end, so its time is not that of the whole program"
            )
    if len(first.repeats_s) > 1 and len(second.repeats_s) > 1:
        return _repeated(len(first.repeats_s), len(second.repeats_s))
    if not (first.simulated and second.simulated):
        return NoiseBasis("nothing", "one run of each: give several of both, or traces of which the calls are alike")
    if not first.computation or first.computation != second.computation:
        return _measured_anew(first, second)
    draws = len(first.replicas_s), len(second.replicas_s)
    if min(draws) > 1:
        return _drawn(first, second)
    if max(draws) > 1 and (second if draws[0] > 1 else first).noisy is False:
        return _beside_exact(first if draws[0] > 1 else second)
    if first.noisy is False and second.noisy is False:
        return NoiseBasis("exact", "computation is common")
    if first.noisy is None or second.noisy is None:
        return NoiseBasis(
            "nothing",
            "computation is common, but a trace of an earlier version does not say whether its platform has noise",
        )
    alone = "one of them is" if max(draws) > 1 else "each is"
    return NoiseBasis(
        "nothing", f"computation is common, but {alone} one draw of the platform's noise; use --replicas 20 for both"
    )


def basis_of_runs(first: int, second: int, *, paired: bool) -> NoiseBasis:
    """What the comparison of several runs of each side rests on. `paired`: the n-th of one side has its noise in common with the n-th of the other."""
    if min(first, second) == 1:
        return NoiseBasis("nothing", "one side is a single run: give several of both")
    if paired:
        return NoiseBasis("pairs", f"in {first} pairs of runs")
    return NoiseBasis("separate", f"{first} and {second} runs")


def _repeated(of_first: int, of_second: int) -> NoiseBasis:
    return NoiseBasis(
        "separate",
        f"computation was measured separately, in {of_first} and {of_second} runs",
        "repeats",
        cure="replays of one recording on both sides (-o FILE.trace) have no noise of this host",
    )


def _measured_anew(first: TimedSide, second: TimedSide) -> NoiseBasis:
    if first.replayed and second.replayed:
        return NoiseBasis(
            "nothing", "they are replays of different recordings, whose computation differs; replay one for both"
        )
    said = "computation was measured separately for each, and host noise alone makes it differ"
    if max(len(first.replicas_s), len(second.replicas_s)) > 1:
        said += " (--replicas draws the platform's noise only)"
    if max(len(first.repeats_s), len(second.repeats_s)) > 1:
        return NoiseBasis("nothing", f"{said}; use --repeat 6 for both")
    return NoiseBasis("nothing", f"{said}; record once (-o FILE.trace) and replay both, or use --repeat 6 for both")


def _beside_exact(noisy: TimedSide) -> NoiseBasis:
    """One side has noise, and the other always takes the same time."""
    draws = len(noisy.replicas_s)
    return NoiseBasis(
        "beside",
        f"computation is common, one side has no noise, and in {draws} draws of the other's",
        "replicas",
        too_few="" if ranks.enough_pairs(draws) else "which are too few; use --replicas 20",
        draws=draws,
        of_parameters=noisy.vary == "calibration",
    )


def _drawn(first: TimedSide, second: TimedSide) -> NoiseBasis:
    of_first, of_second = len(first.replicas_s), len(second.replicas_s)
    of_parameters = "calibration" in (first.vary, second.vary)
    drawn = "noise and parameters" if of_parameters else "noise"
    paired = of_first == of_second and first.seed == second.seed and first.vary == second.vary
    enough = ranks.enough_pairs(of_first) if paired else ranks.enough(of_first, of_second)
    number = f"in {of_first} draws" if paired else f"with {of_first} and {of_second} draws"
    return NoiseBasis(
        "pairs" if paired else "separate",
        f"computation is common, {'and ' if paired else ''}{number} of the platform's {drawn}",
        "replicas",
        too_few="which are too few; use --replicas 20 for both" if of_parameters and not enough else "",
        of_parameters=of_parameters,
    )
