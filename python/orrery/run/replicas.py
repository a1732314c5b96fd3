# SPDX-License-Identifier: BSD-3-Clause
"""Predictions as intervals: the same again with other draws of the platform's noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orrery.platform.core import Plain
from orrery.platform.model import Model

MOST_SEED = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """What replicas of one prediction gave, in seconds."""

    median_s: float
    """Of all replicas."""
    low_s: float
    """5th percentile, between two replicas where it falls between them."""
    high_s: float
    """95th percentile."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> Interval:
        """That of at least two replicas."""
        from statistics import median, quantiles

        twentieths = quantiles(times_s, n=20, method="inclusive")
        return cls(median_s=median(times_s), low_s=twentieths[0], high_s=twentieths[-1])


@dataclass(frozen=True)
class Replica:
    """One simulation of several."""

    time_s: float
    """Simulated."""
    routines_s: Mapping[str, float]
    """Seconds in each routine, without what it calls, summed over all ranks; `.application` is computation."""


@dataclass(frozen=True)
class Found:
    """All replicas of a simulation."""

    times_s: list[float] = field(default_factory=list)
    """Simulated, by seed; none: there was one replica only."""
    routines_s: dict[str, list[float]] = field(default_factory=dict)
    """Seconds in each routine, summed over all ranks, in the order of `times_s`."""
    interval: Interval | None = None
    cautions: list[str] = field(default_factory=list)


def by_routine(replicas: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Of each routine the seconds of all replicas; 0 in those that did not call it."""
    names = dict.fromkeys(name for one in replicas for name in one)
    return {name: [one.get(name, 0.0) for one in replicas] for name in names}


def is_random(platform: Plain, model: Model) -> bool:
    """Whether two seeds give two predictions: by noise, or by switches that drop packets."""
    hybrid = platform["hybrid"]
    if model != "hybrid" or not hybrid:
        return False
    return any(hybrid["noise"].values()) or 0 < hybrid["timeouts"]["probability"] < 1


def seeds_of(platform: Plain, model: Model, seed: int, replicas: int) -> range:
    """One for each replica, the first one `seed`; only that where all would be alike."""
    return range(seed, seed + (replicas if is_random(platform, model) else 1))


def cautions(platform: Plain, model: Model, replicas: int) -> list[str]:
    """What to keep in mind when so many replicas were asked for."""
    if replicas == 1 or is_random(platform, model):
        return []
    if model != "hybrid":
        return [f"--replicas: model {model} has no noise, so all replicas are alike"]
    return [
        f"--replicas: platform {platform['name']} has no [hybrid.noise] and no [hybrid.timeouts], so all replicas are alike"
    ]
