# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery profile` shows, whatever it comes from: a record, a trace, profiles of TAU."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orrery.record.document import Profile, Record
from orrery.record.profile import APPLICATION
from orrery.record.sums import by_node, throttled
from orrery.record.tau import TauProfiles, read_tau
from orrery.report.nodes import draw_nodes
from orrery.report.table import profile_table
from orrery.terminal import visible
from orrery.trace.usage import UsageReport, read_usage

if TYPE_CHECKING:
    import plotly.graph_objects as go  # type: ignore[import-untyped]

    from orrery.page.document import Page


_MOST_PATHS = 50
"""Paths of calls that are printed, those with the most time."""


@dataclass(frozen=True, kw_only=True)
class ProfileReport:
    """A profile with what stands around it."""

    profile: Profile
    hosts: list[str]
    """By rank; empty: not known."""
    head: str
    """Text above the table."""
    below: list[str]
    """Texts below it."""
    about: dict[str, str]
    """What holds for all ranks, by TAU's names of metadata."""
    figure: Callable[[], go.Figure]
    page: Callable[[], Page]
    is_complete: bool = True
    """Whether what it is of came to its end; if not, `head` begins with that."""
    usage: UsageReport | None = None
    """All that a trace says; None: it is of no trace."""

    def metadata(self) -> dict[int, dict[str, str]]:
        """Metadata of each rank, by TAU's names."""
        ranks = sorted({row.rank or 0 for row in self.profile.per_rank})
        hosts = {rank: {"Hostname": self.hosts[rank]} for rank in ranks if rank < len(self.hosts)}
        return {rank: {**self.about, **hosts.get(rank, {}), "MPI Rank": str(rank)} for rank in ranks}


def of_record(record: Record, *, throttle: bool = False) -> ProfileReport:
    """The profile of a simulation. `throttle`: counted as TAU does. Raises InputError where only sums over ranks are known."""
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary

    when = f"   ({record.date}, in {record.folder})" if record.date else ""
    if throttle:
        record = replace(record, profile=throttled(record.profile))
    profile = record.profile
    failed = f"the run failed: {record.cause}\n" if record.cause else ""

    def page() -> Page:
        from orrery.report.pages.simulation import page_of_record

        return page_of_record(record)

    return ProfileReport(
        profile=profile,
        hosts=record.host_of_rank,
        head=f"{failed}{visible(' '.join(record.command) + when)}\n{summary(record)}",
        is_complete=record.cause is None,
        below=[algorithm_table(record.algorithms)] if record.algorithms else [],
        about={
            "Command Line": shlex.join(record.command),
            "UTC Time": record.date,
            "Simulated Platform": record.platform,
            "Simulated Model": record.model,
        },
        figure=lambda: draw_nodes(by_node(profile, record.host_of_rank), shlex.join(record.command)),
        page=page,
    )


def of_trace(path: Path, *, throttle: bool = False) -> ProfileReport:
    """The profile of a trace of any tool's. `throttle`: counted as TAU does. Raises InputError when it cannot be read."""
    from orrery.report import usage

    report = read_usage(path)
    if throttle:
        report = replace(report, profile=throttled(report.profile))

    def figure() -> go.Figure:
        from orrery.report.usage_page import draw

        return draw(report)

    def page() -> Page:
        from orrery.report.pages.trace import page_of_trace

        return page_of_trace(path, report)

    return ProfileReport(
        profile=report.profile,
        hosts=report.hosts,
        head=usage.head(report),
        is_complete=not report.incomplete,
        below=usage.below(report),
        about=_about_trace(report),
        usage=report,
        figure=figure,
        page=page,
    )


def _about_trace(report: UsageReport) -> dict[str, str]:
    keys = {"Command Line": "command", "UTC Time": "date", "MPI Library": "library", "Simulated Platform": "platform"}
    return {name: report.properties[key] for name, key in keys.items() if key in report.properties}


def of_tau(path: Path, *, throttle: bool = False) -> ProfileReport:
    """Profiles that TAU wrote, or Orrery. `throttle`: counted as TAU does. Raises InputError when they cannot be read."""
    found = read_tau(path)
    if throttle:
        found = replace(found, profile=throttled(found.profile))
    about = next(iter(found.metadata.values()), {})
    title = about.get("Command Line", found.path)

    def page() -> Page:
        from orrery.report.pages.tau import page_of_tau

        return page_of_tau(found)

    return ProfileReport(
        profile=found.profile,
        hosts=found.hosts,
        head=_head(found, about),
        below=_paths(found),
        about={name: value for name, value in about.items() if name not in ("Written By", "Metric Name", "MPI Rank")},
        figure=lambda: draw_nodes(by_node(found.profile, found.hosts), title),
        page=page,
    )


def _paths(found: TauProfiles) -> list[str]:
    """Paths of calls that say more than that the program made the call."""
    deep = [row for row in found.paths if row.name.removeprefix(f"{APPLICATION} => ").count(" => ")]
    return [f"paths of calls\n{profile_table(deep[:_MOST_PATHS])}"] if deep else []


def _head(found: TauProfiles, about: dict[str, str]) -> str:
    hosts = len(set(found.hosts))
    where = f" on {hosts:,} host{'s' if hosts != 1 else ''}" if hosts else ""
    lines = [("profile", found.path), ("ranks", f"{len(found.metadata):,}{where}")]
    lines += [(key, about[name]) for key, name in (("command", "Command Line"), ("date", "UTC Time")) if name in about]
    return "".join(f"{what:<9}{value}\n" for what, value in lines)
