# SPDX-License-Identifier: BSD-3-Clause
"""Replicas of a simulation: replays of its trace with other seeds or parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orrery import _core
from orrery.noise.intervals import Interval
from orrery.progress import progress
from orrery.record.profile import seconds_of
from orrery.simulate.experiment import Experiment
from orrery.simulate.stopping import stopping

if TYPE_CHECKING:
    from concurrent.futures import Future

    from orrery.simulate.traces import Traces


@dataclass(frozen=True)
class Replica:
    """Result of one replica."""

    time_s: float
    """Simulated time."""
    routines_s: Mapping[str, float]
    """Exclusive seconds in each routine, summed over all ranks; `.application` is computation."""


@dataclass(frozen=True)
class ReplicaTimes:
    """Results of all replicas of a simulation."""

    times_s: list[float] = field(default_factory=list)
    """Simulated time of each replica, by seed; empty if only one replica was requested."""
    routines_s: dict[str, list[float]] = field(default_factory=dict)
    """For each routine, its seconds summed over all ranks, in the order of `times_s`."""
    interval: Interval | None = None
    cautions: list[str] = field(default_factory=list)
    interrupted: bool = False
    """Ctrl-C came before all had ended."""


def by_routine(replicas: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """For each routine, its seconds in each replica; 0 in replicas that did not call it."""
    names = dict.fromkeys(name for replica in replicas for name in replica)
    return {name: [replica.get(name, 0.0) for replica in replicas] for name in names}


def replica_of(run: _core.Simulated) -> Replica:
    """A simulation that has ended, as a replica."""
    return Replica(run.simulated_s, seconds_of(run.profile(), _core.routine_names()))


def replicas_of(experiment: Experiment, traces: Traces, first: _core.Simulated) -> ReplicaTimes:
    """Simulate the replicas that the settings request. Ctrl-C stops them; those that have ended are kept.

    Args:
        experiment: the experiment.
        traces: the trace that the first simulation recorded, or the traces that it replayed.
        first: the first replica, which has ended.
    """
    variants = experiment.variants
    if variants.replicas == 1:
        return ReplicaTimes()
    cautions = variants.cautions()
    seeds = variants.seeds[1:]
    if traces.ideal:
        cautions = ["--replicas: a network that costs nothing has no noise, so all replicas are alike"]
        seeds = seeds[:0]
    others = Replicas(experiment, traces, seeds)
    with stopping(others.stop), progress() as advanced:
        every = [replica_of(first), *others.run(advanced)]
    times_s = [replica.time_s for replica in every]
    interval = Interval.of(times_s) if len(times_s) > 1 else None
    said = cautions + others.cautions + (_choices(traces) if interval else [])
    routines_s = by_routine([replica.routines_s for replica in every]) if interval else {}
    return ReplicaTimes(times_s, routines_s, interval, said, others.interrupted)


def _choices(traces: Traces) -> list[str]:
    """A caution if the trace has operations whose outcome depends on times.

    Replicas are replays: they take the recorded path even where the program could have taken another one.
    """
    from orrery.trace.sources import choices_in

    choices = sum(map(choices_in, traces.paths))
    if choices == 0:
        return []
    caution = (
        f"replicas: {choices:,} tests, probes and receives of any source ask what has come first; replicas answer anew, but "
        f"then do what the first one did"
    )
    return [caution]


class Replicas:
    """Simulates traces on an experiment once for each seed, in parallel on all cores of this machine."""

    def __init__(self, experiment: Experiment, traces: Traces, seeds: Sequence[int]) -> None:
        self._experiment = experiment
        self._traces = traces
        self._seeds = seeds
        self._running: set[_core.Replay] = set()
        self._stopped = False
        self.cautions: list[str] = []
        """Sentences about replicas that did not complete."""

    @property
    def interrupted(self) -> bool:
        """Whether they were stopped."""
        return self._stopped

    def stop(self) -> None:
        """Stop all replicas; results of those that have ended are kept."""
        self._stopped = True
        for run in list(self._running):
            run.stop()

    def run(self, advanced: Callable[[int, int], object] = lambda _done, _all: None) -> list[Replica]:
        """Results of the replicas that completed, by seed. Calls `advanced(done, all)` after each."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
            futures = [workers.submit(self._replica, seed) for seed in self._seeds]
            return self._gather(futures, advanced)

    def _gather(self, futures: list[Future[Replica | None]], advanced: Callable[[int, int], object]) -> list[Replica]:
        found = []
        try:
            for done, future in enumerate(futures, start=1):
                replica = future.result()
                if replica is not None:
                    found.append(replica)
                advanced(done, len(futures))
        except BaseException:
            self.stop()
            raise
        if self._stopped:
            self.cautions.append(f"replicas: interrupted, {len(found)} of {len(futures)} more came to their ends")
        return found

    def _replica(self, seed: int) -> Replica | None:
        if self._stopped:
            return None
        run = self._traces.simulation(self._experiment, seed)
        self._running.add(run)
        try:
            end = run.run()
        finally:
            self._running.discard(run)
        if end == _core.ReplayEnd.COMPLETED:
            return replica_of(run)
        if end == _core.ReplayEnd.DEADLOCKED:
            self.cautions.append(f"replicas: with seed {seed} no rank could go on; it is left out")
        return None
