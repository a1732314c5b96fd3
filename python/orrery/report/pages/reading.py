# SPDX-License-Identifier: BSD-3-Clause
"""What pages read of a trace: how it used MPI, and its timeline."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from orrery.errors import InputError
from orrery.trace.timeline import Timeline, read_timeline
from orrery.trace.usage import UsageReport, read_usage

_MOST_EVENTS = 1_500_000
"""Calls and messages of a page: some 2 to 8 MB of it."""


@dataclass(frozen=True, kw_only=True)
class TraceFacts:
    """What a trace says without a simulation."""

    usage: UsageReport
    timeline: Timeline | None
    """None: the trace does not say when anything happened."""
    cautions: list[str]


def read_trace(trace: Path, usage: UsageReport | None = None) -> TraceFacts:
    """Read a trace of any tool's, both at the same time.

    Args:
        trace: the file.
        usage: what `read_usage` says of it, if that is known already.
    Raises:
        InputError: it cannot be read.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        reading = pool.submit(lambda known: known or read_usage(trace), usage)
        timeline, why = _timeline(trace)
        usage = reading.result()
    return TraceFacts(usage=usage, timeline=timeline, cautions=[*usage.damage, *why])


def _timeline(trace: Path) -> tuple[Timeline | None, list[str]]:
    try:
        found = read_timeline(trace, events=_MOST_EVENTS)
    except InputError as error:
        return None, [f"there is no timeline: {str(error).removeprefix(f'{trace}: ')}"]
    return (found, []) if found.ranks else (None, [])
