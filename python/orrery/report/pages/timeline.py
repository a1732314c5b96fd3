# SPDX-License-Identifier: BSD-3-Clause
"""Parts that come from a timeline: the picture itself, where waiting comes from, and the critical path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from orrery.page.packing import Column
from orrery.page.parts import Bars, BarSeries, LevelColumns, Part, Span, Table, TableColumn, TimelinePart
from orrery.trace.timeline import CAUSES, STATES, Timeline
from orrery.units import show_time

_MOST_BARS = 16
_FEW = 4
"""Among fewer ranks it says nothing that one is waited for most."""
_MANY = 8
"""One in so many ranks, for which others wait for half of the time, are many."""
_STATE_NAMES = {
    "compute": "outside of MPI",
    "receive": "receive, probe",
    "wait": "wait, test",
    "file": "files",
    "other": "other MPI",
}
_CAUSE_COLOURS = {cause: f"--{cause.replace(' ', '-')}" for cause in CAUSES}
_CAUSES_SAID = (
    "Late sender: a receive or wait began before the send. Late receiver: a send waited for the receive to be posted. "
    "Imbalance: a collective call began before the last member (or the root) came."
)


def timeline_parts(timeline: Timeline) -> Iterator[Part]:
    """The picture, the waits, the critical path."""
    yield picture(timeline)
    if timeline.wait_sums:
        yield from _waits(timeline)
    yield _critical_path(timeline)


def picture(timeline: Timeline) -> TimelinePart:
    """The interactive timeline."""
    calls, sent, path = timeline.intervals, timeline.sent, timeline.path
    waited = np.zeros(timeline.ranks)
    for wait in timeline.wait_sums:
        waited[wait.rank] += wait.total_ns
    return TimelinePart(
        title="Timeline",
        note=_note(timeline),
        ranks=timeline.ranks,
        end_ns=timeline.end_ns,
        complete=timeline.complete,
        calls=timeline.calls,
        messages=timeline.messages,
        routines=timeline.routines,
        algorithms=timeline.algorithms,
        hosts=timeline.hosts,
        levels=[
            LevelColumns(bucket_ns=level.bucket_ns, buckets=level.buckets, cells=Column(level.cells))
            for level in timeline.levels
        ],
        intervals={
            "begin": Column(calls.begin_ns, delta=True),
            "end": Column(calls.end_ns, delta=True),
            "bytes": Column(calls.bytes),
            "rank": Column(calls.rank, delta=True),
            "comm": Column(calls.comm),
            "routine": Column(calls.routine),
            "algorithm": Column(calls.algorithm),
            "state": Column(calls.state),
        },
        sent={
            "begin": Column(sent.begin_ns, delta=True),
            "end": Column(sent.end_ns, delta=True),
            "bytes": Column(sent.bytes),
            "from": Column(sent.source),
            "to": Column(sent.destination),
            "tag": Column(sent.tag),
            "comm": Column(sent.comm),
        },
        path={
            "begin": Column(path.begin_ns, delta=True),
            "end": Column(path.end_ns, delta=True),
            "rank": Column(path.rank),
            "state": Column(path.state),
        },
        waited_ns=Column(waited),
        caused_ns=Column(np.asarray(timeline.caused_ns, dtype=np.float64)),
    )


def _note(timeline: Timeline) -> str:
    said = (
        f"{timeline.calls:,} calls and {timeline.messages:,} messages of {timeline.ranks:,} ranks, those inside collective "
        "calls not counted. "
    )
    if not timeline.complete:
        said += (
            f"The page has the {len(timeline.intervals.begin_ns):,} calls and {len(timeline.sent.begin_ns):,} messages around "
            "the critical path and the longest waits; of all others it has what ranks did in each bucket of time. "
        )
    return (
        f"{said}Drag to move, Ctrl + wheel to zoom, wheel for ranks, Shift + wheel for time; click a call for its messages, "
        "double-click to zoom to it."
    )


def _waits(timeline: Timeline) -> Iterator[Part]:
    by_routine: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(CAUSES, 0.0))
    for wait in timeline.wait_sums:
        by_routine[wait.routine][wait.cause] += wait.total_ns
    largest = sorted(by_routine, key=lambda routine: -sum(by_routine[routine].values()))[:_MOST_BARS]
    total_ns = sum(wait.total_ns for wait in timeline.wait_sums)
    share = total_ns / max(1, timeline.end_ns * timeline.ranks)
    yield Bars(
        title="Where waiting comes from",
        note=f"{show_time(total_ns / 1e9)} of waiting, summed over ranks: {share:.1%} of the run. {_CAUSES_SAID}",
        unit="ns",
        of="routine",
        labels=largest,
        series=[
            BarSeries(
                name=cause, colour=_CAUSE_COLOURS[cause], values=[by_routine[routine][cause] for routine in largest]
            )
            for cause in CAUSES
        ],
    )
    yield _by_rank(timeline)
    yield Table(
        title="Longest waits",
        columns=[
            TableColumn(name="waited", unit="ns"),
            TableColumn(name="from", unit="ns"),
            TableColumn(name="rank", unit="count"),
            TableColumn(name="for rank", unit="count"),
            TableColumn(name="routine"),
            TableColumn(name="cause"),
        ],
        rows=[
            [wait.end_ns - wait.begin_ns, wait.begin_ns, wait.rank, wait.by, wait.routine, wait.cause]
            for wait in timeline.longest
        ],
        most=10,
        bar=0,
        spans=[Span(rank=wait.rank, begin_ns=wait.begin_ns, end_ns=wait.end_ns) for wait in timeline.longest],
    )


def _by_rank(timeline: Timeline) -> Table:
    waited: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(CAUSES, 0))
    for wait in timeline.wait_sums:
        waited[wait.rank][wait.cause] += wait.total_ns
    on_path = timeline.path.by_rank_ns
    columns = [
        TableColumn(name="rank", unit="count"),
        *([TableColumn(name="node")] if timeline.hosts else []),
        TableColumn(name="others waited for it", unit="ns"),
        TableColumn(name="it waited", unit="ns"),
        *(TableColumn(name=cause, unit="ns") for cause in CAUSES),
        TableColumn(name="on critical path", unit="ns", help="Time in which the critical path is on this rank"),
    ]
    rows = [
        [
            rank,
            *([timeline.hosts[rank] if rank < len(timeline.hosts) else ""] if timeline.hosts else []),
            timeline.caused_ns[rank],
            sum(waited[rank].values()),
            *(waited[rank][cause] for cause in CAUSES),
            on_path[rank],
        ]
        for rank in sorted(range(timeline.ranks), key=lambda rank: -timeline.caused_ns[rank])
    ]
    return Table(
        title="Who waits, and for whom",
        columns=columns,
        rows=rows,
        most=10,
        bar=columns.index(next(column for column in columns if column.name == "others waited for it")),
    )


def _critical_path(timeline: Timeline) -> Bars:
    path = timeline.path
    named = {state: _STATE_NAMES.get(state, state) for state in STATES}
    ranks = sum(1 for ns in path.by_rank_ns if ns > 0)
    return Bars(
        title="Critical path",
        note=(
            "The chain of computation and waiting without which the run would have been shorter. It goes over "
            f"{ranks:,} of {timeline.ranks:,} ranks and changes rank {path.changes:,} times."
        ),
        unit="ns",
        of="path",
        labels=["critical path", "mean of ranks"],
        series=[
            BarSeries(
                name=named[state],
                colour=f"--state-{state}",
                values=[path.by_state_ns[state], _mean_ns(timeline, state)],
            )
            for state in STATES
            if path.by_state_ns[state] or _mean_ns(timeline, state)
        ],
    )


def _mean_ns(timeline: Timeline, state: str) -> float:
    """Time in a state, mean of ranks: from the finest level."""
    return _state_shares(timeline)[state] / 15 * timeline.levels[0].bucket_ns / max(1, timeline.ranks)


def where_time_goes(timeline: Timeline) -> str:
    """A sentence: computation, waiting for others, the rest of MPI; and the main cause of waiting."""
    shares = _state_shares(timeline)
    total = sum(shares.values())
    if total <= 0:
        return ""
    computing = shares["compute"] / total
    whole_ns = timeline.end_ns * timeline.ranks
    waiting = min(sum(wait.total_ns for wait in timeline.wait_sums) / max(1, whole_ns), 1 - computing)
    said = f"Ranks spend {computing:.0%} of it outside of MPI, {waiting:.0%} waiting for others"
    said += f" and {max(0.0, 1 - computing - waiting):.0%} in transfers and the rest of MPI."
    if waiting < 0.01:
        return said
    by_kind: dict[tuple[str, str], int] = defaultdict(int)
    for wait in timeline.wait_sums:
        by_kind[wait.routine, wait.cause] += wait.total_ns
    (routine, cause), ns = max(by_kind.items(), key=lambda item: item[1])
    said += f" Most waiting is in {routine}: {cause}, {ns / max(1, whole_ns):.0%} of the run."
    return f"{said} {_for_whom(timeline)}".rstrip()


def _for_whom(timeline: Timeline) -> str:
    """Whether others wait for the same rank each time, as with work that is not even, or for many; empty: neither, or few ranks."""
    caused = sorted(timeline.caused_ns, reverse=True)
    total = sum(caused)
    if timeline.ranks < _FEW or total <= 0:
        return ""
    if caused[0] >= total / 2:
        return f"{caused[0] / total:.0%} of all waiting is for rank {timeline.caused_ns.index(caused[0])}."
    half = 1 + sum(1 for so_far in accumulate(caused) if so_far < total / 2)
    if half * _MANY < timeline.ranks:
        return ""
    return f"Ranks wait for many in turn, half of it for {half} of {timeline.ranks:,}: none is slow throughout."


def _state_shares(timeline: Timeline) -> dict[str, int]:
    """Fifteenths of buckets of the finest level in each state."""
    cells = np.asarray(timeline.levels[0].cells, dtype=np.uint32)
    return {state: int(((cells >> 4 * i) & 15).sum(dtype=np.int64)) for i, state in enumerate(STATES)}
