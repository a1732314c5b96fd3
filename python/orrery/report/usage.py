# SPDX-License-Identifier: BSD-3-Clause
"""How the run in a trace used MPI: tables of times, message sizes and communicators, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, pstdev

from orrery.report.computed import as_measured
from orrery.report.table import figure, per_rank_tables, profile_table
from orrery.terminal import visible
from orrery.trace.usage import CommUsage, RankUsage, SizeClass, UsageReport
from orrery.units import show_bytes, show_time

_MOST_RANKS_OF_MATRIX = 16
"""Ranks up to which the communication matrix is printed: more columns do not fit a screen."""
_MOST_SITES = 50
"""Call sites that are printed."""
_BAR = 24
"""Characters of the longest bar of a histogram."""


def text(report: UsageReport, *, per_rank: bool = False) -> str:
    """The tables: profile, ranks, sizes, communicators, and the communication matrix if it has at most 16 ranks."""
    table = per_rank_tables(report.profile.per_rank) if per_rank else profile_table(report.profile.summed)
    return "\n".join(part for part in (head(report), table, *below(report)) if part)


def below(report: UsageReport) -> list[str]:
    """All tables but the profile."""
    return [
        _call_sites(report),
        _ranks(report.ranks, as_measured(report.properties)),
        _sizes(report.sizes),
        _comms(report.comms),
        _matrix(report),
    ]


def head(report: UsageReport) -> str:
    """What was recorded, a line each."""
    hosts = len(set(report.hosts))
    where = f" on {hosts:,} host{'s' if hosts != 1 else ''}" if hosts else ""
    lines = []
    if cut := report.cut_off:
        first = ", ".join(map(str, cut[:8])) + (", ..." if len(cut) > 8 else "")
        lines.append(("cut off", f"{report.incomplete}: {first}"))
    lines += [("damaged", what) for what in report.unread]
    lines.append(("trace", report.trace))
    lines += [
        (key, report.properties[key]) for key in ("command", "mpi", "date", "aborted") if key in report.properties
    ]
    lines.append(("ranks", f"{len(report.ranks):,}{where}"))
    total_s = max((rank.total_s for rank in report.ranks), default=0.0)
    recorded = "simulated" if report.properties.get("source") == "simulated" else "wall clock"
    until = " until the last call that ended" if report.cut_off or report.damaged_at else ""
    lines.append(("time", f"{show_time(total_s)}{until}, {recorded}"))
    lines += [("caution", what) for what in report.damage if what not in report.unread]
    return "".join(f"{what:<9}{visible(value)}\n" for what, value in lines)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, each cell aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _ranks(ranks: Sequence[RankUsage], how_computed: str) -> str:
    """Distribution over ranks of times, calls, messages and bytes, which shows imbalance.

    `how_computed`: what there is to be said of the computation.
    """
    columns: list[tuple[str, list[float], bool]] = [
        ("in all", [rank.total_s for rank in ranks], True),
        ("in MPI", [rank.mpi_s for rank in ranks], True),
        ("computation", [rank.computed_s for rank in ranks], True),
        ("MPI calls", [rank.calls for rank in ranks], False),
        ("messages sent", [rank.messages for rank in ranks], False),
        ("bytes sent", [rank.bytes for rank in ranks], False),
    ]
    rows = [["over ranks", "least", "mean", "most", "of rank", "deviation"]]
    for name, values, is_time in columns:
        if not values:
            continue
        show = show_time if is_time else _count
        most = max(values)
        rows.append(
            [name, show(min(values)), show(mean(values)), show(most), f"{values.index(most):,}", show(pstdev(values))]
        )
    computes = any(rank.computed_s > 0 for rank in ranks)
    return _aligned(rows) + (f"computation: {how_computed}\n" if how_computed and computes else "")


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _sizes(sizes: Iterable[SizeClass]) -> str:
    by_routine: dict[str, list[SizeClass]] = {}
    for size in sizes:
        by_routine.setdefault(size.routine, []).append(size)
    out = []
    for routine, own in sorted(by_routine.items()):
        most = max(size.number for size in own)
        out.append(f"sizes of {routine}\n")
        rows = [
            [f"up to {show_bytes(size.bytes_up_to)}", f"{size.number:,}", show_bytes(size.bytes),
             "#" * max(1, round(_BAR * size.number / most)) + " " * (_BAR - max(1, round(_BAR * size.number / most)))]
            for size in own
        ]  # fmt: skip
        out.append(_aligned(rows))
    return "".join(out)


def _call_sites(report: UsageReport) -> str:
    """As mpiP shows them: the places in the program with the most time in MPI."""
    if not report.sites:
        return ""
    in_mpi_s = sum(rank.mpi_s for rank in report.ranks) or 1.0
    longest = sorted(report.sites, key=lambda site: (-site.time_s, site.site, site.routine))
    rows = [["%MPI", "total msec", "#call", "ranks", "least usec", "mean", "most", "bytes"]]
    rows += [
        [f"{100 * site.time_s / in_mpi_s:.1f}", figure(site.time_s * 1e3), f"{site.calls:,}", f"{site.ranks:,}",
         figure(site.shortest_s * 1e6), figure(site.time_s * 1e6 / max(site.calls, 1)), figure(site.longest_s * 1e6),
         show_bytes(site.bytes)]
        for site in longest[:_MOST_SITES]
    ]  # fmt: skip
    names = ["call site", *(f"{site.routine}()  {site.site}" for site in longest[:_MOST_SITES])]
    lines = [f"{cells}  {name}\n" for cells, name in zip(_aligned(rows).splitlines(), names, strict=True)]
    if len(longest) > _MOST_SITES:
        lines.append(f"the {_MOST_SITES} longest of {len(longest):,}; --json has all\n")
    return "".join(lines)


def _comms(comms: Iterable[CommUsage]) -> str:
    rows = [["communicator", "ranks", "messages", "their bytes", "collective calls", "their bytes"]]
    rows += [
        [_comm_name(comm), f"{comm.size:,}", f"{comm.messages:,}", show_bytes(comm.message_bytes),
         f"{comm.collectives:,}", show_bytes(comm.collective_bytes)]
        for comm in comms
    ]  # fmt: skip
    return _aligned(rows) if len(rows) > 1 else ""


def _comm_name(comm: CommUsage) -> str:
    return "MPI_COMM_WORLD" if comm.comm == 0 else f"number {comm.comm}"


def _matrix(report: UsageReport) -> str:
    ranks = len(report.ranks)
    if not report.edges or ranks > _MOST_RANKS_OF_MATRIX:
        return ""
    sent = {(edge.source, edge.destination): edge.bytes for edge in report.edges}
    rows = [["bytes from \\ to", *(str(rank) for rank in range(ranks))]]
    for source in range(ranks):
        cells = [show_bytes(sent[source, to]) if (source, to) in sent else "." for to in range(ranks)]
        rows.append([str(source), *cells])
    return _aligned(rows)
