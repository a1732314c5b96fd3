# SPDX-License-Identifier: BSD-3-Clause
"""Predictions as intervals: the same again with other draws of the platform's noise, and of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orrery import _core
from orrery.platform import core
from orrery.platform.core import Plain
from orrery.platform.draws import count_of, drawn
from orrery.platform.model import Model
from orrery.run.settings import Vary

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


@dataclass(frozen=True)
class Variant:
    """What one replica is simulated on."""

    platform: Plain
    hardware: _core.Platform
    parameters: core.Parameters


@dataclass(frozen=True)
class Variants:
    """All that replicas are simulated on. The first one has the parameters of the platform's file."""

    platform: Plain
    hardware: _core.Platform
    model: Model
    replicas: int = 1
    seed: int = 0
    vary: Vary = "noise"

    @property
    def seeds(self) -> range:
        """One for each replica, the first one `seed`; only that where all would be alike."""
        several = is_random(self.platform, self.model) or self._drawn
        return range(self.seed, self.seed + (self.replicas if several else 1))

    @property
    def _drawn(self) -> bool:
        return self.vary == "calibration" and count_of(self.platform) > 0

    def of(self, seed: int) -> Variant:
        """That of the replica with this seed."""
        number = seed - self.seed
        if number == 0 or not self._drawn:
            return Variant(self.platform, self.hardware, core.parameters(self.platform, self.model, seed))
        own = drawn(self.platform, number - 1)
        return Variant(own, core.build(own), core.parameters(own, self.model, seed))

    def cautions(self) -> list[str]:
        """What to keep in mind when so many replicas were asked for."""
        if self.replicas == 1:
            return []
        name = self.platform["name"]
        out = []
        if self.vary == "calibration" and not self._drawn:
            out.append(
                f"--vary calibration: platform {name} has no [calibration.draws], so its parameters stay as they are; "
                f"`orrery calibrate` writes them (with --ingest from samples that were kept)"
            )
        if len(self.seeds) == 1:
            out.append(
                f"--replicas: platform {name} has no noise and no [transport.timeouts], so all replicas are alike"
                if self.model == "hybrid"
                else f"--replicas: model {self.model} has no noise, so all replicas are alike"
            )
        return out


def seed_caution(platform: Plain, model: Model, *, said: bool) -> list[str]:
    """What to say of a --seed that was given where nothing is drawn."""
    if not said or is_random(platform, model):
        return []
    return [f"--seed: platform {platform['name']} with model {model} draws nothing, so every seed gives the same times"]


def is_random(platform: Plain, model: Model) -> bool:
    """Whether two seeds give two predictions: by noise, or by switches that drop packets."""
    network = platform["network"]
    if model != "hybrid" or not network:
        return False
    timeouts = platform["transport"]["timeouts"]
    noise = network["rate_noise"] + platform["node"]["handling_noise_s"]
    return noise > 0 or (timeouts is not None and timeouts["probability"] < 1)
