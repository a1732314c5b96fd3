# SPDX-License-Identifier: BSD-3-Clause
"""Traces on a platform, to be simulated with any seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orrery import _core
from orrery.experiment.mapping import Placement
from orrery.experiment.variants import Variants
from orrery.platform import core
from orrery.platform.model import Model
from orrery.replay.settings import ReplaySettings
from orrery.run.settings import RunSettings
from orrery.trace.sources import Opened, open_source


@dataclass(frozen=True)
class Experiment:
    """All that a simulation of traces needs but the seed of its noise."""

    settings: ReplaySettings
    platform: core.Plain
    hardware: _core.Platform
    model: Model
    selector: _core.Selector
    placement: Placement
    """Of all ranks, and maybe of more, which a program could have started later."""

    @property
    def variants(self) -> Variants:
        """What its replicas are simulated on."""
        settings = self.settings
        return Variants(
            self.platform,
            self.hardware,
            self.model,
            1 if settings.ideal else settings.replicas,
            settings.seed,
            settings.vary,
        )

    def simulation(self, seed: int, opened: list[Opened] | None = None, **recorded: Any) -> _core.Replay:
        """Ready to run. `opened`: the traces, where they are open already; a source runs once. `recorded`: the trace to
        write, and what it says of itself, as the core takes them.

        Raises InputError for a trace that cannot be used.
        """
        settings, variant = self.settings, self.variants.of(seed)
        sources = opened if opened is not None else [open_source(path, settings.reading) for path in settings.traces]
        hosts = variant.hardware.hosts
        ranks = sum(one.source.capacity for one in sources)
        placement = self.placement.first(ranks)
        return _core.Replay(
            variant.hardware,
            _ideal() if settings.ideal else variant.parameters,
            self.selector,
            sources=[one.source for one in sources],
            start_s=settings.start_s,
            host_of_rank=placement.where,
            compute_factor=[
                settings.compute_scale * ranks_per_core / hosts[host].speed
                for host, ranks_per_core in zip(placement.host_of_rank, placement.load, strict=True)
            ],
            storage=core.storage(variant.platform),
            **variant.platform["compute"],
            **recorded,
        )


def of_run(settings: RunSettings) -> ReplaySettings:
    """How the trace of a run is simulated as the run was."""
    return ReplaySettings(
        traces=[settings.trace] if settings.trace is not None else [],
        compute_scale=settings.compute if isinstance(settings.compute, float) else 1.0,
        replicas=settings.replicas,
        seed=settings.seed,
        vary=settings.vary,
    )


def _ideal() -> _core.LogGPS:
    nothing = {"latency_s": 0, "overhead_s": 0, "gap_s_per_byte": 0, "sync_threshold_bytes": core.UNLIMITED}
    return _core.LogGPS({"between_nodes": nothing, "inside_node": nothing})
