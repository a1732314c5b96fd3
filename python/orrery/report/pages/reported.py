# SPDX-License-Identifier: BSD-3-Clause
"""A simulation with its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from orrery.experiment.link_load import WantedLinkLoad
from orrery.output import Output
from orrery.simulate.recorded import recorded_in
from orrery.temporary import temporary_folder

if TYPE_CHECKING:
    from orrery.experiment.settings import SimulationSettings
    from orrery.record.document import Record

Settings = TypeVar("Settings", bound="SimulationSettings")


def reported_in(
    page: Output | None, trace: Output | None, settings: Settings, simulate: Callable[[Settings], Record]
) -> Record:
    """Simulate, with the trace and the page in their places afterwards: whatever came of a run that started is kept.

    Args:
        page: where the page goes; None: there is none.
        trace: where the trace goes; None: it is not kept.
        settings: what is simulated.
        simulate: does it.
    Raises:
        InputError: as `simulate` does; or the page cannot be written.
    """
    if page is None:
        return recorded_in(trace, settings, simulate)
    from orrery.page.document import write_page
    from orrery.report.pages.simulation import page_of_record

    links = WantedLinkLoad()
    with _traced(trace) as place:
        record = recorded_in(place, replace(settings, links=links), simulate)
        if record.end != "not_started":
            path = place.path if place.path.exists() else None
            write_page(page_of_record(record, path, links.found, kept=trace is not None), page)
    return record


@contextmanager
def _traced(trace: Output | None) -> Iterator[Output]:
    """The trace that the page is made of: the one that is kept, or one that is removed."""
    if trace is not None:
        yield trace
        return
    with temporary_folder() as folder:
        yield Output(folder / "report.trace")
