# SPDX-License-Identifier: BSD-3-Clause
"""What an interactive picture of a run needs, out of its trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from orrery import _core
from orrery.trace.imports.own import as_own
from orrery.trace.usage import PairTraffic

STATES = ("compute", "send", "receive", "wait", "collective", "one-sided", "file", "other")
"""What ranks do, by number: outside of MPI, or in which kind of routine."""

CAUSES = ("late sender", "late receiver", "imbalance")
"""Why ranks wait, by number."""

_MESSAGE_NAMES = "begin_ns end_ns bytes source destination tag comm sent_by received_by completed_by timed"
_MESSAGE_CODES = "qqqIIiIQQQB"
_CALL_NAMES = "begin_ns end_ns bytes number behind peer tag comm routine algorithm kind collective site"
_CALL_CODES = "qqqQQiiIHHBBI"
_WAIT_NAMES = "begin_ns end_ns rank by routine cause"
_WAIT_CODES = "qqIIHB"
_MANY = 1 << 16

Column = memoryview
"""Numbers of one field, one for each row; indices and slices give integers, `bytes(column)` what a page embeds."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """States of all ranks in buckets of one length."""

    bucket_ns: int
    buckets: int
    cells: Column
    """Unsigned 32 bits, shape (ranks * buckets,), rank by rank. Bits 4 s to 4 s + 3: fifteenths of the bucket in the
    state of number s; together 15 where the rank is in its run."""

    def shares(self, rank: int, bucket: int) -> dict[str, float]:
        """Which parts of a bucket a rank spent in which state; those without any are left out."""
        cell = self.cells[rank * self.buckets + bucket]
        parts = {state: (cell >> 4 * number & 15) / 15 for number, state in enumerate(STATES)}
        return {state: part for state, part in parts.items() if part > 0}


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Calls of MPI, by rank and begin; all columns of the same length."""

    begin_ns: Column
    end_ns: Column
    bytes: Column
    rank: Column
    comm: Column
    routine: Column
    """Key of `Timeline.routines`."""
    algorithm: Column
    """Algorithm of a collective: key of `Timeline.algorithms`; 0: not known."""
    state: Column
    """Index into `STATES`."""


@dataclass(frozen=True, kw_only=True)
class Messages:
    """By begin of the send; all columns of the same length."""

    begin_ns: Column
    """Begin of the send."""
    end_ns: Column
    """End of the call that completed the receive."""
    bytes: Column
    source: Column
    destination: Column
    tag: Column
    comm: Column
    sent_by: Column
    """Operation that began it: number in the stream of its rank."""
    received_by: Column
    """Operation that posted the receive."""
    completed_by: Column
    """Operation after which the receive was over: itself, or a wait or test."""
    timed: Column
    """1: the trace says when these operations were; 0 of threads that wait while others go on."""


class TimelineCall(NamedTuple):
    """A call of a routine, as far as its operations follow each other without time between them; or a sleep outside of MPI."""

    begin_ns: int
    end_ns: int
    bytes: int
    number: int
    """Number of its first operation, in the stream of its rank."""
    behind: int
    """Number of the first operation after it."""
    peer: int
    """Peer of its first operation; what follows is of that operation, too."""
    tag: int
    comm: int
    routine: int
    """Key of `TraceFile.routines`; 0: a sleep."""
    algorithm: int
    """Algorithm of a collective: key of `TraceFile.algorithms`; 0: not known."""
    kind: int
    """Index into `_core.operation_kinds()`."""
    collective: int
    """Index into `_core.collective_kinds()`; says something only where the kind is a collective."""
    site: int
    """Where it was called from: key of `TraceFile.sites`; 0: not known."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """A rank waited for another."""

    begin_ns: int
    end_ns: int
    """When the other one came."""
    rank: int
    by: int
    """For whom it waited."""
    routine: str
    cause: str


@dataclass(frozen=True, kw_only=True)
class WaitSum:
    """All waits of a rank in a routine for the same reason."""

    rank: int
    routine: str
    cause: str
    waits: int
    total_ns: int


@dataclass(frozen=True, kw_only=True)
class CriticalPath:
    """The critical path, from the begin of the run to its end; all columns of the same length."""

    begin_ns: Column
    end_ns: Column
    rank: Column
    routine: Column
    """Key of `Timeline.routines`; 0: outside of MPI."""
    state: Column
    by_state_ns: dict[str, int]
    by_rank_ns: list[int]
    changes: int
    """How often it goes from one rank to another."""
    joined: int
    """Segments that were too many, and became part of their neighbours."""


@dataclass(frozen=True, kw_only=True)
class Unknowns:
    """What the trace does not tell."""

    sends: int
    """Without a receive."""
    receives: int
    """Without a send, or of which it is not known what they took."""
    collectives: int
    """Calls in which not all members took part."""
    threads: int
    """Operations in which a thread waited while others went on: what they did at the same time is shown in turn."""


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Times are nanoseconds since the start of the run."""

    trace: str
    ranks: int
    end_ns: int
    operations: int
    calls: int
    messages: int
    complete: bool
    """`intervals` and `sent` are all calls and messages. Otherwise they are those around the critical path and the
    longest waits, the longest of them."""
    levels: list[Level]
    """The finest first."""
    intervals: Intervals
    sent: Messages
    wait_sums: list[WaitSum]
    caused_ns: list[int]
    """By rank: how long others waited for it."""
    longest: list[Wait]
    """The longest first."""
    path: CriticalPath
    unknown: Unknowns
    routines: dict[int, str]
    algorithms: dict[int, str]
    hosts: list[str]
    """By rank, where the trace says it."""
    cut_off: list[int]
    """Ranks whose streams do not come to their ends."""
    damage: list[str]
    """What could not be read, or not be imported."""


def read_timeline(
    path: Path,
    *,
    cells: int = 2_000_000,
    buckets: int = 16_384,
    events: int = 400_000,
    waits: int = 100,
    axis_ns: int = 0,
) -> Timeline:
    """Read a trace of any tool's through: once, or twice where it has more than `events` calls and messages.

    Args:
        path: of the trace.
        cells: ranks times buckets of the finest level, at most; every rank has one bucket at least.
        buckets: of a rank in the finest level, at most.
        events: calls and messages together, and segments of the critical path, at most.
        waits: single waits, at most.
        axis_ns: what the levels cover at least: two traces with the same have buckets of the same lengths.
    Raises:
        InputError: the trace cannot be read, or does not say when anything happened.
    """
    with as_own(path) as own:
        file = _core.TraceFile(str(own.path))
        own.check_times(file)
        core = _core.TraceTimeline(
            str(own.path), cells=cells, buckets=buckets, events=events, waits=waits, axis_ns=axis_ns
        )
        notes = own.notes(file)
    return _timeline(str(path), file, core, notes)


def calls_of(file: _core.TraceFile, rank: int) -> Iterator[TimelineCall]:
    """All calls of a rank in the order of time, however many they are; calls without times are left out."""
    reader = _core.TraceEvents(file, rank)
    while True:
        columns = [_column(column, code) for column, code in zip(reader.read(_MANY), _CALL_CODES, strict=True)]
        if not len(columns[0]):
            return
        yield from map(TimelineCall._make, zip(*columns, strict=True))


def call_columns(file: _core.TraceFile, rank: int) -> dict[str, Column]:
    """All calls of a rank as columns of one length, named as the fields of `TimelineCall`; calls without times are left out."""
    reader = _core.TraceEvents(file, rank)
    parts: list[tuple[bytes, ...]] = []
    while (part := reader.read(_MANY))[0]:
        parts.append(part)
    joined = tuple(b"".join(column) for column in zip(*parts, strict=True)) or (b"",) * len(_CALL_CODES)
    return _columns(joined, _CALL_NAMES, _CALL_CODES)


def wait_columns(file: _core.TraceFile) -> dict[str, Column]:
    """All waits of a trace as columns of one length, named as the fields of `Wait`, by rank and begin; the routine is a key of
    `TraceFile.routines`, the cause an index into `CAUSES`.

    Raises InputError when the trace does not say when anything happened.
    """
    return _columns(_core.trace_waits(file), _WAIT_NAMES, _WAIT_CODES)


def messages_of(file: _core.TraceFile) -> Messages:
    """All messages of a trace, by begin.

    Which receive took which send follows from their order: messages between two ranks with one communicator and tag do not
    overtake each other (MPI-5.0, 3.5). Left out are those whose receive or send is not in the trace. Where the clocks of
    ranks differ, a message may end before it begins.

    Raises InputError when the trace does not say when anything happened.
    """
    return Messages(**_columns(_core.trace_messages(file), _MESSAGE_NAMES, _MESSAGE_CODES))


def read_communication(path: Path) -> list[PairTraffic]:
    """The communication matrix of a trace of any tool's: who sent how many messages and bytes to whom.

    Raises InputError when it cannot be read.
    """
    with as_own(path) as own:
        return [PairTraffic(*row) for row in _core.TraceUsage(str(own.path)).edges]


def _timeline(trace: str, file: _core.TraceFile, core: _core.TraceTimeline, notes: list[str]) -> Timeline:
    return Timeline(
        trace=trace,
        ranks=core.ranks,
        end_ns=core.end_ns,
        operations=core.operations,
        calls=core.calls,
        messages=core.messages,
        complete=core.complete,
        levels=[Level(bucket_ns=ns, buckets=number, cells=_column(cells, "I")) for ns, number, cells in core.levels],
        intervals=_intervals(core),
        sent=_messages(core),
        wait_sums=_wait_sums(core, file.routines),
        caused_ns=core.caused_ns,
        longest=_longest(core, file.routines),
        path=_path(core),
        unknown=Unknowns(**dict(zip(("sends", "receives", "collectives", "threads"), core.unknown, strict=True))),
        routines=dict(file.routines),
        algorithms=dict(file.algorithms),
        hosts=[host for _, host in sorted(file.hosts.items())],
        cut_off=core.cut_off,
        damage=notes,
    )


def _column(content: bytes, code: str) -> Column:
    return memoryview(content).cast("B").cast(code)  # type: ignore[call-overload, no-any-return]  # code is one of a few


def _columns(contents: tuple[bytes, ...], names: str, codes: str) -> dict[str, Column]:
    fields = zip(names.split(), contents, codes, strict=True)
    return {name: _column(content, code) for name, content, code in fields}


def _intervals(core: _core.TraceTimeline) -> Intervals:
    return Intervals(**_columns(core.intervals, "begin_ns end_ns bytes rank comm routine algorithm state", "qqqIIHHB"))


def _messages(core: _core.TraceTimeline) -> Messages:
    return Messages(**_columns(core.sent, _MESSAGE_NAMES, _MESSAGE_CODES))


def _path(core: _core.TraceTimeline) -> CriticalPath:
    columns = _columns(core.path, "begin_ns end_ns rank routine state", "qqIHB")
    return CriticalPath(
        **columns,
        by_state_ns=dict(zip(STATES, core.path_by_state_ns, strict=True)),
        by_rank_ns=core.path_by_rank_ns,
        changes=core.path_changes,
        joined=core.path_joined,
    )


def _wait_sums(core: _core.TraceTimeline, routines: Mapping[int, str]) -> list[WaitSum]:
    return [
        WaitSum(rank=rank, routine=_named(routines, routine), cause=CAUSES[cause], waits=number, total_ns=total_ns)
        for rank, routine, cause, number, total_ns in core.wait_sums
    ]


def _longest(core: _core.TraceTimeline, routines: Mapping[int, str]) -> list[Wait]:
    return [
        Wait(begin_ns=begin, end_ns=end, rank=rank, by=by, routine=_named(routines, routine), cause=CAUSES[cause])
        for begin, end, rank, by, routine, cause in core.longest
    ]


def _named(routines: Mapping[int, str], number: int) -> str:
    return routines.get(number, f"routine {number}")
