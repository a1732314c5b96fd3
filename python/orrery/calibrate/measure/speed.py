# SPDX-License-Identifier: BSD-3-Clause
"""Rough estimate of message times, from which the durations of experiments are estimated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from orrery.calibrate.measure.results import Curve


@dataclass(frozen=True)
class Speed:
    """One-way times (seconds) at increasing sizes (bytes); a power law between two sizes, a constant rate beyond the last."""

    sizes: tuple[float, ...] = (1.0, 1e6)
    times: tuple[float, ...] = (5e-5, 9e-3)
    """The default is typical of Gigabit Ethernet."""

    def time(self, size: float) -> float:
        """One-way time in seconds of a message of `size` bytes."""
        size = max(size, 1.0)
        if size >= self.sizes[-1]:
            return self.times[-1] * size / self.sizes[-1]
        for (s0, t0), (s1, t1) in pairwise(zip(self.sizes, self.times, strict=True)):
            if size <= s1:
                share = (math.log(size) - math.log(s0)) / (math.log(s1) - math.log(s0))
                return math.exp(math.log(t0) + share * (math.log(t1) - math.log(t0)))
        return self.times[-1]

    def size_of(self, seconds: float) -> int:
        """Largest power of two, in bytes, whose one-way time is at most `seconds`; at least 1."""
        size = 1
        while size < 1 << 40 and self.time(2 * size) <= seconds:
            size *= 2
        return size


def speed_of(curve: Curve) -> Speed:
    """Estimate from the ping-pong of the survey; the default if it has fewer than two sizes."""
    sizes, times = curve.typical()
    if len(sizes) < 2:
        return Speed()
    return Speed(tuple(map(float, sizes)), tuple(map(float, times)))
