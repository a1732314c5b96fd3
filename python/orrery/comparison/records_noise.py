# SPDX-License-Identifier: BSD-3-Clause
"""Whether two times, or two samples of times, differ by more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

import numpy as np

from orrery.comparison import ranks
from orrery.comparison.ranks import LEVEL
from orrery.comparison.verdict import Verdict
from orrery.record.document import Record
from orrery.record.intervals import Interval, MedianInterval

_CURE = "record once (-o FILE.trace) and replay both, or use --repeat 6 for both"


@dataclass(frozen=True)
class RecordsBasis:
    """What a comparison of two records rests on."""

    kind: Literal["exact", "pairs", "repeats", "replicas", "beside", "nothing"]
    """`exact`: one time of each, and all else is common. `pairs`: replicas with the same seeds, draw by draw. `repeats`,
    `replicas`: samples that were taken separately. `beside`: replicas of one side, and a time without noise. `nothing`:
    nobody knows how large the noise is."""
    why: str
    """Why nothing is known, where that is so; otherwise the clause that stands before the verdict."""
    too_few: str = ""
    """What to do where samples look apart, but so few could by chance; empty: they are enough."""
    draws: int = 0
    """How often a time without noise stands beside the draws of the other side; 0: both sides have draws, or none."""
    of_parameters: bool = False
    """Draws differ in the platform's parameters: what counts is whether one side is faster in nearly all of them, not on average."""

    def verdict(self, first: Sequence[float], second: Sequence[float]) -> Verdict:
        """On two samples, each of one time at least; of pairs both have the same length."""
        if self.kind == "exact":
            return "equal" if first[0] == second[0] else "apart"
        if self.kind == "nothing" or min(len(first), len(second)) == 1:  # as samples of routines of an earlier version
            return "unknown"
        if self._paired and list(first) == list(second):
            return "equal"
        if self.too_few:
            return "unknown" if self._separated(first, second) else "within noise"
        chance = self.chance(first, second)
        if chance is None:
            low, high = self.shift(first, second)
            return "within noise" if low <= 0 <= high else "apart"
        return "apart" if chance <= LEVEL else "within noise"

    def chance(self, first: Sequence[float], second: Sequence[float]) -> float | None:
        """Probability with which chance sets equal sides so far apart; None: it is not by ranks that they are told apart."""
        if self.kind in ("exact", "nothing", "beside") or self.of_parameters or self.too_few:
            return None
        before, after = np.array(first), np.array(second)
        return (ranks.chance_of_pairs_of_times if self.kind == "pairs" else ranks.chance)(before, after)

    def shift(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
        """Interval of what is added to the first to give the second."""
        before, after = np.array(first), np.array(second)
        if self.of_parameters:
            return _of_draws(before, after, paired=self._paired)
        if self.kind == "beside":
            found = MedianInterval.of((after - before).tolist())
            return found.low_s, found.high_s
        return ranks.shift_of_pairs(after - before) if self.kind == "pairs" else ranks.shift(before, after)

    def ratios(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float] | None:
        """Where the ratio of the second to the first lies; None: that is not known, or a side has no time."""
        if self.kind == "nothing" or min(*first, *second) <= 0:
            return None
        if self.kind == "exact":
            return second[0] / first[0], second[0] / first[0]
        low, high = self.shift([log(time) for time in first], [log(time) for time in second])
        return exp(low), exp(high)

    @property
    def _paired(self) -> bool:
        return self.kind in ("pairs", "beside")

    def _separated(self, first: Sequence[float], second: Sequence[float]) -> bool:
        """Whether all of one side are below all of the other, or of each pair the same one is."""
        if not self._paired:
            return max(first) < min(second) or max(second) < min(first)
        pairs = list(zip(first, second, strict=True))
        return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _of_draws(first: ranks.Floats, second: ranks.Floats, *, paired: bool) -> tuple[float, float]:
    """Where nine tenths of the differences lie: of pairs, or of any draw of one side and any of the other."""
    if paired:
        found = Interval.of((second - first).tolist())
        return found.low_s, found.high_s
    before, after = Interval.of(first.tolist()), Interval.of(second.tolist())
    return after.low_s - before.high_s, after.high_s - before.low_s


def basis_of(first: Record, second: Record, *, common: bool) -> RecordsBasis:
    """What the comparison of two records rests on. `common`: both use the same measured computation."""
    for name, record in (("the first", first), ("the second", second)):
        if record.cause is not None and len(record.repeats_s) < 2:
            return RecordsBasis(
                "nothing", f"{name} did not come to its end, so its time is not that of the whole program"
            )
    if len(first.repeats_s) > 1 and len(second.repeats_s) > 1:
        return _repeated(len(first.repeats_s), len(second.repeats_s))
    if not common:
        return _measured_anew(first, second)
    draws = len(first.replicas_s), len(second.replicas_s)
    if min(draws) > 1:
        return _drawn(first, second)
    if max(draws) > 1 and not (second if draws[0] > 1 else first).noisy:
        return _beside_exact(first if draws[0] > 1 else second)
    if not first.noisy and not second.noisy:
        return RecordsBasis("exact", "computation is common")
    alone = "one of them is" if max(draws) > 1 else "each is"
    return RecordsBasis(
        "nothing", f"computation is common, but {alone} one draw of the platform's noise; use --replicas 20 for both"
    )


def _repeated(of_first: int, of_second: int) -> RecordsBasis:
    too_few = "" if ranks.enough(of_first, of_second) else "which are too few; use --repeat 6 for both"
    return RecordsBasis("repeats", f"computation was measured separately, in {of_first} and {of_second} runs", too_few)


def _measured_anew(first: Record, second: Record) -> RecordsBasis:
    if first.start == second.start == "replay":
        return RecordsBasis(
            "nothing", "they are replays of different recordings, whose computation differs; replay one for both"
        )
    said = "computation was measured separately for each, and host noise alone makes it differ"
    if max(len(first.replicas_s), len(second.replicas_s)) > 1:
        said += " (--replicas draws the platform's noise only)"
    if max(len(first.repeats_s), len(second.repeats_s)) > 1:
        return RecordsBasis("nothing", f"{said}; use --repeat 6 for both")
    return RecordsBasis("nothing", f"{said}; {_CURE}")


def _beside_exact(noisy: Record) -> RecordsBasis:
    """One side has noise, and the other always takes the same time."""
    draws = len(noisy.replicas_s)
    too_few = "" if ranks.enough_pairs(draws) else "which are too few; use --replicas 20"
    why = f"computation is common, one side has no noise, and in {draws} draws of the other's"
    return RecordsBasis("beside", why, too_few, draws, noisy.vary == "calibration")


def _drawn(first: Record, second: Record) -> RecordsBasis:
    of_first, of_second = len(first.replicas_s), len(second.replicas_s)
    of_parameters = "calibration" in (first.vary, second.vary)
    drawn = "noise and parameters" if of_parameters else "noise"
    paired = of_first == of_second and first.seed == second.seed and first.vary == second.vary
    enough = ranks.enough_pairs(of_first) if paired else ranks.enough(of_first, of_second)
    too_few = "" if enough else "which are too few; use --replicas 20 for both"
    if paired:
        why = f"computation is common, and in {of_first} draws of the platform's {drawn}"
        return RecordsBasis("pairs", why, too_few, of_parameters=of_parameters)
    why = f"computation is common, with {of_first} and {of_second} draws of the platform's {drawn}"
    return RecordsBasis("replicas", why, too_few, of_parameters=of_parameters)
