# SPDX-License-Identifier: BSD-3-Clause
"""Keeps what links carry while a simulation runs, if that is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orrery import _core
from orrery.experiment.link_load import LinkLoad
from orrery.simulate.experiment import Experiment


@contextmanager
def links_kept(experiment: Experiment, run: _core.Simulated) -> Iterator[None]:
    """The run is to take place inside; then its settings have what links carried, if they want that."""
    wanted = experiment.settings.links
    if wanted is None:
        yield
        return
    run.record_links()
    yield
    wanted.found = LinkLoad(
        platform=experiment.settings.platform,
        hardware=experiment.hardware,
        load=run.link_load(),
        end_s=run.simulated_s,
    )
