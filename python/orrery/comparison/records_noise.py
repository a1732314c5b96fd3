# SPDX-License-Identifier: BSD-3-Clause
"""Whether two times, or two samples of times, differ by more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

from orrery.comparison.verdict import Verdict
from orrery.record.document import Record
from orrery.record.intervals import Interval, MedianInterval

_MOST_CHANCE = 0.05
"""Probability with which samples of one distribution may look apart."""
_CURE = "record once (-o FILE.trace) and replay both, or use --repeat 6 for both"


@dataclass(frozen=True)
class Basis:
    """What a comparison of two records rests on."""

    kind: Literal["exact", "pairs", "repeats", "replicas", "nothing"]
    """`exact`: one time of each, and all else is common. `pairs`: replicas with the same seeds, draw by draw. `repeats`,
    `replicas`: samples that were taken separately. `nothing`: nobody knows how large the noise is."""
    why: str
    """Of `nothing`, and what is to be said before the verdict of others."""
    too_few: str = ""
    """What to do where samples look apart, but so few could by chance; empty: they are enough."""
    draws: int = 0
    """How often a time without noise stands beside the draws of the other side; 0: both sides have draws, or none."""

    def verdict(self, first: Sequence[float], second: Sequence[float]) -> Verdict:
        """On two samples, each of one time at least; of pairs both have the same length."""
        if self.kind == "exact":
            return "equal" if first[0] == second[0] else "apart"
        if self.kind == "nothing" or min(len(first), len(second)) == 1:  # as samples of routines of an earlier version
            return "unknown"
        if self.kind == "pairs":
            if list(first) == list(second):
                return "equal"
            found = Interval.of([b - a for a, b in zip(first, second, strict=True)])
            overlap = found.low_s <= 0 <= found.high_s
        else:
            one, other = self.interval(first), self.interval(second)
            overlap = one.low_s <= other.high_s and other.low_s <= one.high_s
        return "within noise" if overlap else "unknown" if self.too_few else "apart"

    def interval(self, times: Sequence[float]) -> Interval | MedianInterval:
        """Of one of the samples, which has two times at least."""
        return MedianInterval.of(times) if self.kind == "repeats" else Interval.of(times)

    def ratios(self, first: Sequence[float], second: Sequence[float]) -> tuple[float, float] | None:
        """Where the ratio of the second to the first lies; None: that is not known, or the first has no time."""
        if self.kind == "nothing" or min(first) <= 0:
            return None
        if self.kind == "exact":
            return second[0] / first[0], second[0] / first[0]
        if self.kind == "pairs":
            found = Interval.of([b / a for a, b in zip(first, second, strict=True)])
            return found.low_s, found.high_s
        one, other = self.interval(first), self.interval(second)
        return other.low_s / one.high_s, other.high_s / one.low_s


def basis_of(first: Record, second: Record, *, common: bool) -> Basis:
    """What the comparison of two records rests on. `common`: both use the same measured computation."""
    for name, record in (("the first", first), ("the second", second)):
        if record.cause is not None and len(record.repeats_s) < 2:
            return Basis("nothing", f"{name} did not come to its end, so its time is not that of the whole program")
    if len(first.repeats_s) > 1 and len(second.repeats_s) > 1:
        return _repeated(len(first.repeats_s), len(second.repeats_s))
    if not common:
        return _measured_anew(first, second)
    draws = len(first.replicas_s), len(second.replicas_s)
    if min(draws) > 1:
        return _drawn(first, second)
    if max(draws) > 1 and not (second if draws[0] > 1 else first).noisy:
        return _beside_exact(max(draws))
    if not first.noisy and not second.noisy:
        return Basis("exact", "computation is common")
    alone = "one of them is" if max(draws) > 1 else "each is"
    return Basis(
        "nothing", f"computation is common, but {alone} one draw of the platform's noise; use --replicas 20 for both"
    )


def _repeated(one: int, other: int) -> Basis:
    chance = 2 / comb(one + other, one)  # that all of one sample are below all of the other, or above
    too_few = "which are too few; use --repeat 6 for both" if chance > _MOST_CHANCE else ""
    return Basis("repeats", f"computation was measured separately, in {one} and {other} runs", too_few)


def _measured_anew(first: Record, second: Record) -> Basis:
    if first.start == second.start == "replay":
        return Basis(
            "nothing", "they are replays of different recordings, whose computation differs; replay one for both"
        )
    said = "computation was measured separately for each, and host noise alone makes it differ"
    if max(len(first.replicas_s), len(second.replicas_s)) > 1:
        said += " (--replicas draws the platform's noise only)"
    if max(len(first.repeats_s), len(second.repeats_s)) > 1:
        return Basis("nothing", f"{said}; use --repeat 6 for both")
    return Basis("nothing", f"{said}; {_CURE}")


def _beside_exact(draws: int) -> Basis:
    """One side has noise, and the other always takes the same time."""
    too_few = "which are too few; use --replicas 20" if 2 / 2**draws > _MOST_CHANCE else ""
    why = f"computation is common, one side has no noise, and in {draws} draws of the other's"
    return Basis("pairs", why, too_few, draws)


def _drawn(first: Record, second: Record) -> Basis:
    one, other = len(first.replicas_s), len(second.replicas_s)
    drawn = "noise and parameters" if "calibration" in (first.vary, second.vary) else "noise"
    paired = one == other and first.seed == second.seed and first.vary == second.vary
    chance = 2 / 2**one if paired else 2 / comb(one + other, one)
    too_few = "which are too few; use --replicas 20 for both" if chance > _MOST_CHANCE else ""
    if paired:
        return Basis("pairs", f"computation is common, and in {one} draws of the platform's {drawn}", too_few)
    return Basis("replicas", f"computation is common, with {one} and {other} draws of the platform's {drawn}", too_few)
