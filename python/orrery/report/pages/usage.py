# SPDX-License-Identifier: BSD-3-Clause
"""Parts that come from how a trace used MPI: routines, ranks, who sent how much to whom, sizes of messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from orrery.page.packing import Column
from orrery.page.parts import Bars, BarSeries, Matrix, MatrixView, Part, Table, TableColumn
from orrery.record.document import Profile, Row
from orrery.record.sums import by_node
from orrery.report.nodes import node_part
from orrery.trace.usage import PairTraffic, UsageReport
from orrery.units import show_bytes

_MOST_SIZES = 28
_MOST_RANK_ROWS = 20_000


def usage_parts(report: UsageReport, switches: Mapping[str, str] | None = None) -> Iterator[Part]:
    """All but the profile. `switches`: the part of the platform that each node is in, if that is known."""
    if report.edges:
        yield _communication(report.edges, len(report.ranks), report.hosts, switches or {})
    if report.sizes:
        yield _sizes(report)


def profile_parts(profile: Profile, hosts: Sequence[str]) -> Iterator[Part]:
    """Routines of the whole run, of each node, then of each rank. `hosts`: by rank; empty: not known."""
    yield Table(
        title="Routines",
        note="Summed over all ranks. Exclusive time is that in the routine without what it calls.",
        columns=_columns(),
        rows=[_row(row) for row in profile.summed],
        bar=1,
    )
    rows = [row for row in profile.per_rank if row.rank is not None]
    if not rows:
        return
    yield node_part(by_node(profile, hosts))
    kept = rows
    note = "One row for each rank and routine: sort by a column to see who differs."
    if len(rows) > _MOST_RANK_ROWS:
        kept = sorted(rows, key=lambda row: -row.exclusive_s)[:_MOST_RANK_ROWS]
        note += f" The {len(kept):,} longest of {len(rows):,}; `orrery profile --per-rank` has all."
    yield Table(
        title="Routines of each rank",
        note=note,
        columns=[TableColumn(name="rank", unit="count"), *_columns()],
        rows=[[row.rank, *_row(row)] for row in kept],
        bar=2,
        most=12,
    )


def _columns() -> list[TableColumn]:
    return [
        TableColumn(name="routine"),
        TableColumn(name="exclusive", unit="s"),
        TableColumn(name="inclusive", unit="s"),
        TableColumn(name="of the run", unit="share", help="Inclusive time, of that of the application"),
        TableColumn(name="calls", unit="count"),
        TableColumn(name="messages", unit="count"),
        TableColumn(name="bytes", unit="bytes"),
    ]


def _row(row: Row) -> list[object]:
    name = row.name if row.phase is None or row.phase == 0 else f"{row.name} (phase {row.phase})"
    return [name, row.exclusive_s, row.inclusive_s, row.percent_time / 100, row.calls, row.messages, row.bytes]


def _communication(
    edges: Sequence[PairTraffic], ranks: int, hosts: Sequence[str], switches: Mapping[str, str]
) -> Matrix:
    """The communication matrix between ranks, and between nodes and switches where there are fewer of them."""
    views = [_view("ranks", edges, [f"rank {i}" for i in range(ranks)], list(range(ranks)))]
    if len(hosts) >= ranks:
        for name, parts in (("nodes", list(hosts)), ("switches", [switches.get(host, "") for host in hosts])):
            labels = list(dict.fromkeys(parts))
            if 1 < len(labels) < views[-1].size and "" not in labels:
                number = {label: i for i, label in enumerate(labels)}
                views.append(_view(name, edges, labels, [number[part] for part in parts]))
    return Matrix(
        title="Who sends to whom",
        note="Bytes of all messages, those inside collective calls included where the trace has them.",
        unit="bytes",
        row_name="from",
        column_name="to",
        views=views,
    )


def _view(name: str, edges: Sequence[PairTraffic], labels: Sequence[str], part_of: Sequence[int]) -> MatrixView:
    """The sums between parts. `part_of`: of each rank."""
    sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for edge in edges:
        cell = sums[part_of[edge.source], part_of[edge.destination]]
        cell[0] += edge.bytes
        cell[1] += edge.messages
    keys = sorted(sums)
    return MatrixView(
        name=name,
        size=len(labels),
        labels=labels,
        source=Column(np.array([key[0] for key in keys], dtype=np.uint32)),
        destination=Column(np.array([key[1] for key in keys], dtype=np.uint32)),
        value=Column(np.array([float(sums[key][0]) for key in keys])),
        count=Column(np.array([float(sums[key][1]) for key in keys])),
    )


def _sizes(report: UsageReport) -> Bars:
    """Calls by size: a bar for each power of two, a colour for each of the most frequent routines."""
    count: dict[str, int] = defaultdict(int)
    for size in report.sizes:
        count[size.routine] += size.number
    routines = sorted(count, key=lambda routine: -count[routine])
    named, rest = routines[:7], set(routines[7:])
    powers = sorted({size.bytes_up_to for size in report.sizes})[:_MOST_SIZES]
    found: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for size in report.sizes:
        found["other" if size.routine in rest else size.routine][size.bytes_up_to] += size.number
    return Bars(
        title="Sizes of messages and collective calls",
        note="How many had a size up to this one, and above half of it.",
        unit="count",
        of="size",
        labels=[show_bytes(power) for power in powers],
        series=[
            BarSeries(name=name, colour=f"--series-{i + 1}", values=[found[name][power] for power in powers])
            for i, name in enumerate([*named, *(["other"] if rest else [])])
        ],
    )
