# SPDX-License-Identifier: BSD-3-Clause
"""What ranks send each other in a replay, with the messages that their collectives are made of."""

from __future__ import annotations

from orrery import _core
from orrery.errors import InputError
from orrery.replay.recorded import recorded_selector
from orrery.replay.session import opened_as_it_was, traces_of
from orrery.replay.settings import RECORDED, ReplaySettings
from orrery.simulate.experiment import Experiment
from orrery.simulate.stopping import stopping

Edge = tuple[int, int, int, int]
"""Sender, receiver, messages, bytes."""


def edges_of(settings: ReplaySettings) -> tuple[int, list[Edge]]:
    """Number of ranks, and what they send each other when the traces are replayed so.

    Raises:
        InputError: traces or settings cannot be used, or no rank can go on before the end.
        KeyboardInterrupt: Ctrl-C.
    """
    settings, opened = opened_as_it_was(settings)
    ranks = sum(trace.source.capacity for trace in opened)
    stop = _core.Stop()
    recorded = settings.selector == RECORDED
    selector = recorded_selector(settings, [trace.properties for trace in opened])[0] if recorded else None
    experiment = Experiment.of(settings, ranks, stop=stop, selector=selector)
    run = traces_of(settings).simulation(experiment, settings.seed, opened, count_edges=True)
    with stopping(run.stop, stop.set):
        end = run.run()
    if end == _core.ReplayEnd.INTERRUPTED:
        raise KeyboardInterrupt
    if end == _core.ReplayEnd.DEADLOCKED:
        raise InputError(f"{', '.join(map(str, settings.traces))}: no rank can go on before the end: {run.deadlock}")
    return ranks, run.edges
