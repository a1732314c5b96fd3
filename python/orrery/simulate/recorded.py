# SPDX-License-Identifier: BSD-3-Clause
"""A simulation whose trace is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from orrery.experiment.settings import SimulationSettings
    from orrery.output import Output
    from orrery.record.document import Record

Settings = TypeVar("Settings", bound="SimulationSettings")


def recorded_in(trace: Output | None, settings: Settings, simulate: Callable[[Settings], Record]) -> Record:
    """Simulate, with the trace in its place afterwards: whatever came of a run that started is kept. None: no trace."""
    if trace is None:
        return simulate(settings)
    with trace.partial() as partial:
        record = simulate(replace(settings, trace=partial))
        if record.end == "not_started":
            partial.unlink(missing_ok=True)
    return record
