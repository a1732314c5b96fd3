# SPDX-License-Identifier: BSD-3-Clause
"""The page of a trace: what was recorded, nothing simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orrery.page.document import Page
from orrery.page.parts import Part, Table, TableColumn
from orrery.published import members
from orrery.report.pages.reading import read_trace
from orrery.report.pages.timeline import timeline_parts, where_time_goes
from orrery.report.pages.usage import profile_parts, usage_parts
from orrery.trace.timeline import Timeline
from orrery.trace.usage import UsageReport
from orrery.units import show_time


def page_of_trace(trace: Path, report: UsageReport | None = None) -> Page:
    """Everything that a trace says without a simulation.

    Args:
        trace: of any tool's.
        report: what `read_usage` says of it, if that is known already.
    Raises:
        InputError: the trace cannot be read.
    """
    seen = read_trace(trace, report)
    report, timeline, cautions = seen.usage, seen.timeline, list(seen.cautions)
    if cut := report.cut_off:
        cautions.append(f"{len(cut):,} ranks are cut off before MPI_Finalize, rank {cut[0]} among them")
    return Page(
        title=report.properties.get("command", report.trace),
        verdict=_verdict(report, timeline),
        facts=list(_facts(report)),
        cautions=cautions,
        parts=list(_parts(report, timeline)),
    )


def _verdict(report: UsageReport, timeline: Timeline | None) -> str:
    total_s = max((rank.total_s for rank in report.ranks), default=0.0)
    ranks = "1 rank" if len(report.ranks) == 1 else f"{len(report.ranks):,} ranks"
    incomplete = f"The trace is not complete: {report.incomplete}. " if report.incomplete else ""
    said = f"{incomplete}{show_time(total_s)} with {ranks}, {_clock(report)}."
    return said if timeline is None else f"{said} {where_time_goes(timeline)}"


def _clock(report: UsageReport) -> str:
    return "simulated" if report.properties.get("source") == "simulated" else "as it ran"


def _facts(report: UsageReport) -> Iterator[tuple[str, str]]:
    yield "trace", report.trace
    for name in ("mpi", "date", "platform", "selector", "aborted"):
        if name in report.properties:
            yield name, report.properties[name]
    if hosts := len(set(report.hosts)):
        yield "nodes", f"{hosts:,}"


def _parts(report: UsageReport, timeline: Timeline | None) -> Iterator[Part]:
    if timeline is not None:
        yield from timeline_parts(timeline)
    yield from profile_parts(report.profile, report.hosts)
    if report.sites:
        yield _sites(report)
    yield from usage_parts(report)
    if report.comms:
        yield Table(
            title="Communicators",
            columns=[
                TableColumn(name="communicator", unit="count"),
                TableColumn(name="ranks", unit="count"),
                TableColumn(name="messages", unit="count"),
                TableColumn(name="bytes of messages", unit="bytes"),
                TableColumn(name="collective calls", unit="count"),
                TableColumn(name="bytes of these", unit="bytes"),
            ],
            rows=[list(members(comm).values()) for comm in report.comms],
        )


def _sites(report: UsageReport) -> Table:
    return Table(
        title="Call sites",
        note="Where in the program calls stand, summed over all ranks.",
        columns=[
            TableColumn(name="call site"),
            TableColumn(name="routine"),
            TableColumn(name="time", unit="s"),
            TableColumn(name="calls", unit="count"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="shortest", unit="s"),
            TableColumn(name="longest", unit="s"),
            TableColumn(name="bytes", unit="bytes"),
        ],
        rows=[
            [s.site, s.routine, s.time_s, s.calls, s.ranks, s.shortest_s, s.longest_s, s.bytes]
            for s in sorted(report.sites, key=lambda site: -site.time_s)
        ],
        bar=2,
    )
