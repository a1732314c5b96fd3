# SPDX-License-Identifier: BSD-3-Clause
"""An experiment, built from its settings: everything but the program or the traces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orrery import _core
from orrery.collective import best
from orrery.collective.selector import selector_named
from orrery.experiment.launcher import launched_by
from orrery.experiment.mapping import Hosts, RankPlacement, place, places_after
from orrery.experiment.room import check_room
from orrery.experiment.settings import BEST, SimulationSettings
from orrery.experiment.variants import ReplicaVariant, Variants
from orrery.platform import core
from orrery.platform.model import Model
from orrery.platform.trusted import trusted


@dataclass(frozen=True)
class Experiment:
    """A platform, a model, a selector, and places for ranks. A program or traces run on it, with any seed."""

    settings: SimulationSettings
    platform: core.Plain
    hardware: _core.Platform
    model: Model
    selector: _core.Selector
    placement: RankPlacement
    """Places of the ranks that exist from the start."""
    later: RankPlacement
    """Places of ranks that a program may start later."""

    @classmethod
    def of(
        cls,
        settings: SimulationSettings,
        ranks: int,
        *,
        stop: _core.Stop,
        selector: _core.Selector | None = None,
        later: int = 0,
        said: bool = True,
        platform: core.Plain | None = None,
    ) -> Experiment:
        """Load what the settings name, and place the ranks.

        Args:
            settings: those of a run or a replay.
            ranks: number of ranks that exist from the start.
            stop: ends the search for the fastest algorithms (selector `best`).
            selector: selector to use instead of the one that the settings name.
            later: number of ranks that a program may start later.
            said: whether to report the verdict on the platform's calibration on standard error.
            platform: its values, instead of those that the settings name.
        Raises:
            InputError: a platform, a mapping or a selector cannot be used, or there is no room for the ranks.
        """
        if platform is None:
            platform = trusted(settings.platform, force=settings.force, said=said)
        if settings.launcher:
            platform = launched_by(platform, settings.launcher)
        model = settings.model or platform["model"]
        hardware = core.build(platform)
        room = Hosts.of(hardware, settings.mapping)
        placement = place(ranks, room, settings.mapping)
        check_room(platform, hardware, placement, force=settings.force)
        after = places_after(ranks, later, room, settings.mapping) if later else RankPlacement([], [])
        if selector is not None:
            chosen = selector
        elif settings.selector == BEST:
            otherwise = selector_named("default", settings.coll, None)
            chosen = best.best(
                platform,
                hardware,
                model,
                placement.where,
                otherwise,
                sharing_error=settings.error_of_sharing,
                stop=stop,
            )
        else:
            chosen = selector_named(settings.selector, settings.coll, settings.rules)
        return cls(settings, platform, hardware, model, chosen, placement, after)

    @property
    def variants(self) -> Variants:
        """The variants of the platform for its replicas."""
        settings = self.settings
        return Variants(
            self.platform,
            self.hardware,
            self.model,
            settings.replicas,
            settings.seed,
            settings.vary,
            settings.error_of_sharing,
        )

    @property
    def speeds(self) -> list[float]:
        """Speeds of the hosts that have ranks from the start, each once, by increasing speed."""
        hosts = self.hardware.hosts
        return sorted({hosts[number].speed for number in set(self.placement.host_of_rank)})

    def on(self, variant: ReplicaVariant, factor: float, ranks: int | None = None) -> dict[str, Any]:
        """Places of ranks, and factors on their computation, as keyword arguments of the core.

        Args:
            variant: one of `variants`.
            factor: simulated seconds per second of computation, on an unshared core of speed 1.
            ranks: only the first so many ranks; by default all, including those that may be started later.
        """
        placed = self.placement.followed_by(self.later).first(ranks)
        speeds = [host.speed for host in variant.hardware.hosts]
        return {
            "host_of_rank": placed.where,
            "compute_factor": [
                factor * load / speeds[host] for host, load in zip(placed.host_of_rank, placed.load, strict=True)
            ],
            "storage": core.storage(variant.platform),
            "launch": core.launch(variant.platform),
            **variant.platform["compute"],
        }
