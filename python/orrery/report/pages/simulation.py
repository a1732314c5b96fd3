# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run or a replay."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from orrery.experiment.link_load import LinkLoad
from orrery.page.document import Page
from orrery.page.parts import Part, Table, TableColumn
from orrery.record.document import Record
from orrery.report.pages.fabric import fabric_parts
from orrery.report.pages.timeline import timeline_parts, where_time_goes
from orrery.report.pages.usage import profile_parts, usage_parts
from orrery.report.summary import summary_lines
from orrery.trace.timeline import Timeline, read_timeline
from orrery.trace.usage import read_usage
from orrery.units import show_time


def page_of_record(record: Record, trace: Path | None = None, links: LinkLoad | None = None) -> Page:
    """Everything that is known of a run: with its trace, the timeline and who sent what to whom; with `links`, their load.

    Raises InputError when the trace cannot be read.
    """
    timeline = None if trace is None else read_timeline(trace)
    return Page(
        title=shlex.join(record.command),
        verdict=_verdict(record, timeline),
        tone="bad" if record.cause else "plain",
        facts=list(_facts(record, links)),
        cautions=[text for name, text in summary_lines(record) if name == "caution"],
        parts=list(_parts(record, timeline, trace, links)),
    )


def _facts(record: Record, links: LinkLoad | None) -> Iterator[tuple[str, str]]:
    for name, text in summary_lines(record):
        if name not in ("caution", "simulated time"):
            yield name, text
    if links is not None and links.load is None:
        yield "load of links", f"not known: the model {record.model} has no links"


def _parts(record: Record, timeline: Timeline | None, trace: Path | None, links: LinkLoad | None) -> Iterator[Part]:
    if timeline is not None and timeline.ranks > 0:
        yield from timeline_parts(timeline)
    yield from profile_parts(record.profile)
    if record.algorithms:
        yield _algorithms(record)
    if trace is not None:
        yield from usage_parts(read_usage(trace))
    if links is not None:
        yield from fabric_parts(links)


def _verdict(record: Record, timeline: Timeline | None) -> str:
    ranks = "1 rank" if record.ranks == 1 else f"{record.ranks:,} ranks"
    if record.cause:
        return f"The run failed after {show_time(record.simulated_s)}: {record.cause}."
    said = f"{show_time(record.simulated_s)} on {record.platform} with {ranks}"
    if record.expected is not None:
        one = record.expected
        said += f" (on the real cluster {show_time(one.low_s)} to {show_time(one.high_s)}, {one.level:.0%} of the time)"
    return f"{said}. {where_time_goes(timeline)}" if timeline is not None else f"{said}."


def _algorithms(record: Record) -> Table:
    return Table(
        title="Algorithms of collective calls",
        note=f"What the selector {record.selector} chose, in the syntax of --coll; summed over ranks.",
        columns=[
            TableColumn(name="routine"),
            TableColumn(name="algorithm"),
            TableColumn(name="calls", unit="count"),
            TableColumn(name="messages", unit="count"),
            TableColumn(name="bytes", unit="bytes"),
        ],
        rows=[[use.routine, use.algorithm, use.calls, use.messages, use.bytes] for use in record.algorithms],
        most=30,
    )
