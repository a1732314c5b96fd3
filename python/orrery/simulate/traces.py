# SPDX-License-Identifier: BSD-3-Clause
"""Replay of traces on an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.platform import core
from orrery.simulate.experiment import Experiment
from orrery.trace.sources import OpenTrace, SourceOptions, open_source


@dataclass(frozen=True, kw_only=True)
class Traces:
    """Traces to replay, each as a job; the jobs share the platform."""

    paths: Sequence[Path]
    reading: SourceOptions
    start_s: Sequence[float] = ()
    """Simulated time at which each job starts, in seconds; jobs without an entry start at 0."""
    compute_factor: float = 1.0
    """Simulated seconds per second of recorded computation, on a core of speed 1."""
    steady: bool = False
    """Whether computation that repeats is charged without what disturbed its measurement."""
    ideal: bool = False
    """Whether to replay on a network without costs instead of that of the platform."""

    def opened(self) -> list[OpenTrace]:
        """Open the traces; each result serves one simulation. Raises InputError for a trace that cannot be used."""
        return [open_source(path, self.reading) for path in self.paths]

    def simulation(
        self, experiment: Experiment, seed: int, opened: Sequence[OpenTrace] | None = None, **recorded: Any
    ) -> _core.Replay:
        """A replay that is ready to run.

        Args:
            experiment: an experiment with places for all ranks of the traces.
            seed: one of the seeds of the experiment's variants.
            opened: the traces, if they are open already.
            recorded: keyword arguments of the core for what is to be recorded: a trace, or who sends how much to whom.
        Raises:
            InputError: a trace cannot be used.
        """
        variant = experiment.variants.of(seed)
        sources = self.opened() if opened is None else opened
        return _core.Replay(
            variant.hardware,
            _ideal() if self.ideal else variant.parameters,
            experiment.selector,
            sources=[trace.source for trace in sources],
            start_s=list(self.start_s),
            steady=self.steady,
            **experiment.on(variant, self.compute_factor, sum(trace.source.capacity for trace in sources)),
            **recorded,
        )


def _ideal() -> _core.LogGPS:
    nothing = {"latency_s": 0, "overhead_s": 0, "gap_s_per_byte": 0, "sync_threshold_bytes": core.UNLIMITED}
    return _core.LogGPS({"between_nodes": nothing, "inside_node": nothing})
