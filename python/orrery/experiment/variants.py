# SPDX-License-Identifier: BSD-3-Clause
"""Variants of a platform for replicas: another seed of the noise, and optionally other parameters of the calibration."""

from __future__ import annotations

from dataclasses import dataclass

from orrery import _core
from orrery.experiment.settings import Vary
from orrery.platform import core
from orrery.platform.core import Plain
from orrery.platform.draws import count_of, drawn
from orrery.platform.model import Model


@dataclass(frozen=True)
class ReplicaVariant:
    """The platform and the seed of one replica."""

    platform: Plain
    hardware: _core.Platform
    parameters: core.Parameters


@dataclass(frozen=True)
class Variants:
    """The variants of all replicas. The first one has the parameters of the platform file."""

    platform: Plain
    hardware: _core.Platform
    model: Model
    replicas: int = 1
    seed: int = 0
    vary: Vary = "noise"
    sharing_error: float = core.SHARING_ERROR
    """With which links are shared, relative to a message."""

    @property
    def seeds(self) -> range:
        """Seed of each replica, beginning with `seed`; only `seed` if all replicas would be equal."""
        several = is_random(self.platform, self.model) or self._drawn
        return range(self.seed, self.seed + (self.replicas if several else 1))

    @property
    def _drawn(self) -> bool:
        return self.vary == "calibration" and count_of(self.platform) > 0

    def of(self, seed: int) -> ReplicaVariant:
        """The variant of the replica with this seed."""
        number = seed - self.seed
        if number == 0 or not self._drawn:
            return ReplicaVariant(self.platform, self.hardware, self._parameters(self.platform, seed))
        own = drawn(self.platform, number - 1)
        return ReplicaVariant(own, core.build(own), self._parameters(own, seed))

    def _parameters(self, platform: Plain, seed: int) -> core.Parameters:
        return core.parameters(platform, self.model, seed, sharing_error=self.sharing_error)

    def cautions(self) -> list[str]:
        """Sentences for the user if replicas are equal, or do not vary as requested."""
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
    """A sentence for the user who gave --seed (`said`) if nothing is random; else nothing."""
    if not said or is_random(platform, model):
        return []
    return [f"--seed: platform {platform['name']} with model {model} draws nothing, so every seed gives the same times"]


def is_random(platform: Plain, model: Model) -> bool:
    """Whether the prediction depends on the seed: by noise, or by random retransmission time-outs."""
    network = platform["network"]
    if model != "hybrid" or not network:
        return False
    timeouts = platform["transport"]["timeouts"]
    node = platform["node"]
    hypervisor = node["hypervisor"] or {"steal_share": 0, "wake_delay_s": 0}
    return (
        network["rate_noise"] > 0
        or node["handling_noise_s"] > 0
        or bool(node["noise"])
        or hypervisor["steal_share"] > 0
        or hypervisor["wake_delay_s"] > 0
        or (timeouts is not None and timeouts["probability"] < 1)
    )
