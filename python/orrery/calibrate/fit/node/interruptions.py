# SPDX-License-Identifier: BSD-3-Clause
"""What interrupts computation on the nodes: fixed short work, again and again (`[[node.noise]]`)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from orrery.calibrate.measure import CalibrationResults

_FEWEST = 5
"""Fewer interruptions of a length say nothing about how often they come: they count among those of the length below."""


@dataclass(frozen=True)
class Interruptions:
    """A kind of interruption: those whose lengths differ by less than a factor of four."""

    every_s: float
    """Seconds of a processor for each of them."""
    takes_s: float
    """Mean length, in seconds."""
    count: int
    """How many were seen."""

    @property
    def share(self) -> float:
        """Which part of a processor's time the interruptions take, in [0, 1)."""
        return self.takes_s / self.every_s


def interruptions_of(results: CalibrationResults) -> tuple[Interruptions, ...]:
    """Kinds of interruption by the experiments `noise`, the shortest first. The share of time that they take together is as measured.

    Empty if the experiments were not made, work takes no time there, or fewer than five interruptions were seen.
    """
    counts: dict[int, int] = defaultdict(int)
    seconds: dict[int, float] = defaultdict(float)
    window_s = 0.0
    for experiment in results.of("noise"):
        for sample in experiment.samples:
            match sample.what:
                case "window":
                    window_s += sample.value
                case "interruptions":
                    counts[sample.bytes] += round(sample.value)
                case "interrupted":
                    seconds[sample.bytes] += sample.value
    for length in sorted(counts, reverse=True):
        others = [other for other in counts if other != length]
        if counts[length] >= _FEWEST or not others:
            continue
        shorter = [other for other in others if other < length]
        neighbour = max(shorter) if shorter else min(others)
        counts[neighbour] += counts.pop(length)
        seconds[neighbour] += seconds.pop(length)
    return tuple(
        Interruptions(every_s=window_s / count, takes_s=seconds[length] / count, count=count)
        for length, count in sorted(counts.items())
        if count >= _FEWEST
    )
