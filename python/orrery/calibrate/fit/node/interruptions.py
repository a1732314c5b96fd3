# SPDX-License-Identifier: BSD-3-Clause
"""What interrupts computation on the nodes: fixed short work, again and again (`[[node.noise]]`)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from orrery.calibrate.measure import Results

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
        """Of a processor's time."""
        return self.takes_s / self.every_s


def interruptions_of(results: Results) -> tuple[Interruptions, ...]:
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
    lengths = sorted(counts)
    for longer in range(len(lengths) - 1, -1, -1):
        if counts[lengths[longer]] >= _FEWEST:
            continue
        # The shortest kind joins the one above it.
        into = lengths[longer - 1] if longer > 0 else next((one for one in lengths[1:] if one in counts), None)
        if into is not None:
            counts[into] += counts.pop(lengths[longer])
            seconds[into] += seconds.pop(lengths[longer])
    return tuple(
        Interruptions(every_s=window_s / counts[one], takes_s=seconds[one] / counts[one], count=counts[one])
        for one in sorted(counts)
        if counts[one] >= _FEWEST
    )
