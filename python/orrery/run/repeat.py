# SPDX-License-Identifier: BSD-3-Clause
"""One run several times: how far this host's noise moves its time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from orrery.experiment.link_load import WantedLinkLoad
from orrery.noise.intervals import MedianInterval
from orrery.record.profile import seconds_of_rows
from orrery.run.settings import no_output
from orrery.simulate.replicas import by_routine

if TYPE_CHECKING:
    from orrery.record.document import Record
    from orrery.run.settings import RunSettings


_BY_SIGNAL = [128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)]
"""Exit codes."""


def repeated(settings: RunSettings, simulate: Callable[[RunSettings], Record]) -> Record:
    """The run whose time is the median, with the times of all. One that fails ends it, and is given; after Ctrl-C, what
    those give that have ended.

    Its trace is that of the run that is given. Output of the program passes through in the first run only.
    """
    records: list[Record] = []
    traces: list[Path | None] = []
    links: list[WantedLinkLoad | None] = []
    first_only = ExitStack()
    try:
        for number in range(settings.repeat):
            if number == 1:
                first_only.enter_context(_no_input())
            trace = settings.trace and settings.trace.with_name(f"{settings.trace.name}.{number}")
            traces.append(trace)
            links.append(settings.links and WantedLinkLoad())
            writer = no_output if number > 0 else settings.writer
            records.append(simulate(replace(settings, trace=trace, links=links[-1], writer=writer)))
            if records[-1].end != "completed":
                break
        ended = [record for record in records if record.end == "completed"]
        last = records[-1]
        if len(ended) < len(records) and not (ended and last.exit_code in _BY_SIGNAL):
            return _kept(last, settings, traces[-1], links[-1])
        times_s = [record.simulated_s for record in ended]
        middle = sorted(range(len(ended)), key=lambda i: times_s[i])[(len(ended) - 1) // 2]
        record = replace(
            ended[middle],
            repeats_s=times_s,
            repeats=MedianInterval.of(times_s) if len(ended) > 1 else None,
            repeats_routines_s=by_routine([seconds_of_rows(record.profile) for record in ended])
            if len(ended) > 1
            else {},
        )
        if len(ended) < len(records):
            record = replace(record, end=last.end, exit_code=last.exit_code, cause=_cut(len(ended), settings.repeat))
        return _kept(record, settings, traces[middle], links[middle])
    finally:
        first_only.close()
        for trace in filter(None, traces):
            with suppress(OSError):
                trace.unlink()


def _cut(ended: int, wanted: int) -> str:
    return f"interrupted in run {ended + 1} of {wanted}; the figures are of the {ended} that ended"


@contextmanager
def _no_input() -> Iterator[None]:
    """Nothing to read, until the block ends."""
    try:
        before = os.dup(0)
    except OSError:  # it is closed
        yield
        return
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def _kept(record: Record, settings: RunSettings, trace: Path | None, links: WantedLinkLoad | None) -> Record:
    if trace is not None and settings.trace is not None and trace.exists():
        trace.replace(settings.trace)
    if links is not None and settings.links is not None:
        settings.links.found = links.found
    return record
