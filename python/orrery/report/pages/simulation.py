# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run or a replay."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from orrery.page.document import Page
from orrery.page.parts import Part
from orrery.record.document import Record
from orrery.report.pages.choices import choices_parts, choices_sentence
from orrery.report.pages.timeline import timeline_parts, where_time_goes
from orrery.report.pages.usage import profile_parts, usage_parts
from orrery.report.summary import summary_lines
from orrery.simulate.alternatives import Alternatives, alternatives
from orrery.trace.timeline import Timeline, read_timeline
from orrery.trace.usage import read_usage
from orrery.units import show_time


def page_of_record(record: Record, trace: Path | None = None, *, kept: bool = False) -> Page:
    """Everything that is known of a run: with its trace, the timeline, who sent what to whom, and what other algorithms of
    collective calls would have cost.

    Args:
        record: of a run or a replay.
        trace: that it recorded.
        kept: the user has it, too.
    Raises:
        InputError: the trace cannot be read.
    """
    timeline = None if trace is None else read_timeline(trace)
    found = Alternatives(why_none="there is no trace") if trace is None else alternatives(record, trace)
    said = choices_sentence(record, found, trace if kept else None)
    return Page(
        title=shlex.join(record.command),
        verdict=" ".join(filter(None, [_verdict(record, timeline), said])),
        tone="bad" if record.cause else "plain",
        facts=[(name, text) for name, text in summary_lines(record) if name not in ("caution", "simulated time")],
        cautions=[text for name, text in summary_lines(record) if name == "caution"],
        parts=list(_parts(record, timeline, found, trace)),
    )


def _parts(record: Record, timeline: Timeline | None, found: Alternatives, trace: Path | None) -> Iterator[Part]:
    if timeline is not None and timeline.ranks > 0:
        yield from timeline_parts(timeline)
    yield from profile_parts(record.profile)
    yield from choices_parts(record, found)
    if trace is not None:
        yield from usage_parts(read_usage(trace))


def _verdict(record: Record, timeline: Timeline | None) -> str:
    ranks = "1 rank" if record.ranks == 1 else f"{record.ranks:,} ranks"
    if record.cause:
        return f"The run failed after {show_time(record.simulated_s)}: {record.cause}."
    said = f"{show_time(record.simulated_s)} on {record.platform} with {ranks}"
    if record.expected is not None:
        one = record.expected
        said += f" (on the real cluster {show_time(one.low_s)} to {show_time(one.high_s)}, {one.level:.0%} of the time)"
    return f"{said}. {where_time_goes(timeline)}" if timeline is not None else f"{said}."
