# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run or a replay."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from orrery.errors import InputError
from orrery.experiment.link_load import LinkLoad
from orrery.page.document import Page
from orrery.page.parts import Part
from orrery.record.document import Record
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.report.pages.choices import choices_parts, choices_sentence
from orrery.report.pages.fabric import fabric_parts
from orrery.report.pages.places import switch_of_nodes
from orrery.report.pages.reading import TraceFacts, read_trace
from orrery.report.pages.timeline import timeline_parts, where_time_goes
from orrery.report.pages.usage import profile_parts, usage_parts
from orrery.report.summary import summary_lines
from orrery.simulate.alternatives import Alternatives, alternatives
from orrery.trace.timeline import Timeline
from orrery.units import show_time


def page_of_record(
    record: Record, trace: Path | None = None, links: LinkLoad | None = None, *, kept: bool = False
) -> Page:
    """Everything that is known of a run: with its trace, the timeline, who sent what to whom, and what other algorithms of
    collective calls would have cost; with `links`, their load.

    Args:
        record: of a run or a replay.
        trace: that it recorded.
        links: what links carried in it.
        kept: the user has it, too.
    Raises:
        InputError: the trace cannot be read.
    """
    seen = None if trace is None else read_trace(trace)
    found = Alternatives(why_none="there is no trace") if trace is None else alternatives(record, trace)
    said = choices_sentence(record, found, trace if kept else None)
    timeline = seen.timeline if seen else None
    return Page(
        title=shlex.join(record.command),
        verdict=" ".join(filter(None, [_verdict(record, timeline), _noise(record, trace), said])),
        tone="bad" if record.cause else "plain",
        facts=list(_facts(record, links)),
        cautions=[
            *(text for name, text in summary_lines(record) if name == "caution"),
            *(seen.cautions if seen else ()),
        ],
        parts=list(_parts(record, seen, found, links)),
    )


def _facts(record: Record, links: LinkLoad | None) -> Iterator[tuple[str, str]]:
    for name, text in summary_lines(record):
        if name not in ("caution", "simulated time"):
            yield name, text
    if links is not None and links.load is None:
        yield "load of links", f"not known: the model {record.model} has no links"


def _parts(record: Record, seen: TraceFacts | None, found: Alternatives, links: LinkLoad | None) -> Iterator[Part]:
    if seen is not None and seen.timeline is not None:
        yield from timeline_parts(seen.timeline)
    yield from profile_parts(record.profile, record.host_of_rank)
    yield from choices_parts(record, found)
    if seen is not None:
        yield from usage_parts(seen.usage, switch_of_nodes(record.platform_file or record.platform))
    if links is not None:
        yield from fabric_parts(links)


def _verdict(record: Record, timeline: Timeline | None) -> str:
    ranks = "1 rank" if record.ranks == 1 else f"{record.ranks:,} ranks"
    if record.cause:
        return f"The run failed after {show_time(record.simulated_s)}: {record.cause}."
    said = f"{_time(record)} on {record.platform} with {ranks}{_expected(record)}."
    return f"{said} {where_time_goes(timeline)}" if timeline is not None else said


def _noise(record: Record, trace: Path | None) -> str:
    """What is not the program's, where computation was charged as it was measured: a replay of the trace says how much."""
    steady = record.steady
    if trace is None or record.cause or steady is None or steady.charged or steady.moved_s < 0.01 * steady.measured_s:
        return ""
    settings = ReplaySettings(traces=[trace], said=frozenset({"compute"}), compute="steady")
    try:
        without_s = replay(settings).simulated_s
    except InputError as error:
        return f"How much of it is noise of this host is not known: {error}."
    share = 1 - without_s / record.simulated_s
    return f"Noise of this host is {share:.0%} of the time: with --compute steady it is {show_time(without_s)}."


def _time(record: Record) -> str:
    found, runs = (record.repeats, "runs") if record.repeats else (record.interval, "replicas")
    if found is None:
        return show_time(record.simulated_s)
    count = len(record.repeats_s if record.repeats else record.replicas_s)
    between = f"{show_time(found.low_s)} to {show_time(found.high_s)}"
    return f"{show_time(found.median_s)}, the median of {count} {runs} ({between}),"


def _expected(record: Record) -> str:
    """Where the real time is; nothing where the model has no part in it, as of a single rank."""
    expected = record.expected
    if record.not_expected:
        return f" (how far the real time is from that is not known: {record.not_expected})"
    if expected is None or expected.high_s - expected.low_s < 1e-3 * expected.low_s:
        return ""
    return (
        f" (on the real cluster {show_time(expected.low_s)} to {show_time(expected.high_s)}, "
        f"{expected.level:.0%} of the time)"
    )
