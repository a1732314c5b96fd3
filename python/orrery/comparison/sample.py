# SPDX-License-Identifier: BSD-3-Clause
"""What one run says of itself, in one form for records, traces and profiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from orrery import _core
from orrery.comparison.calls import RankCalls, Waits, mixed, read_calls
from orrery.noise.basis import TimedSide
from orrery.published import UNWRITTEN, published
from orrery.record.circumstances import digest_of_files
from orrery.record.document import Record
from orrery.record.document import Row as ProfileRow
from orrery.record.profile import APPLICATION
from orrery.record.speed import speed_words
from orrery.record.tau import read_tau
from orrery.trace.imports.own import as_own
from orrery.trace.timed_calls import counted_calls
from orrery.trace.timeline import CAUSES
from orrery.trace.usage import read_usage

MOST_CALLS = 5_000_000
"""Calls up to which a trace is looked at call by call; above, only sums by rank and routine are compared."""


class CallsRow(NamedTuple):
    """Calls of one rank that are alike, summed."""

    rank: int
    routine: str
    """`.application`: the time outside of MPI."""
    comm: int | None
    """Number of the communicator; None: not known."""
    bytes_up_to: int | None
    """A power of two, or 0; the calls are of sizes up to it and above half of it. None: not known."""
    site: str
    """Where in the program it was called; empty: not known."""
    calls: int
    time_s: float
    waited_s: tuple[float, ...]
    """Part of this time in which it waited for other ranks, by `CAUSES`; empty: not known."""
    of_program: bool = False
    """The routine is one of the program's own, or of another library than MPI."""

    @property
    def in_mpi(self) -> bool:
        """Whether the time is in MPI."""
        return not self.of_program and self.routine != APPLICATION


class WaitTotal(NamedTuple):
    """Waits for the same reason behind the same place, summed."""

    rank: int
    routine: str
    cause: str
    by: int
    """Rank that was waited for."""
    place: str
    """The call with which it came: its site, or its routine where sites are not known."""
    time_s: float


@dataclass(frozen=True, kw_only=True)
class RunSample:
    """One run."""

    name: str
    kind: str
    """`trace`, `record`, or `profile` of TAU."""
    timed: TimedSide = field(metadata=UNWRITTEN)
    """Time until the last rank ended, and what is known of its noise."""
    ranks: int
    rank_s: list[float] = field(metadata=UNWRITTEN)
    """By rank: until its last call was over; empty: not known."""
    rows: list[CallsRow] = field(metadata=UNWRITTEN)
    """In seconds of that rank; where a record has no rows for ranks, their mean, as rank 0."""
    waits: list[WaitTotal] = field(default_factory=list, metadata=UNWRITTEN)
    facts: dict[str, object] = field(default_factory=dict, metadata=UNWRITTEN)
    """What it rests on: program, MPI, platform, selector."""
    hosts: list[str] = field(default_factory=list, metadata=UNWRITTEN)
    """By rank; empty: not known."""
    calls: list[RankCalls] | None = field(default=None, metadata=UNWRITTEN)
    """By rank; None: only sums are known."""
    routines: dict[int, str] = field(default_factory=dict, metadata=UNWRITTEN)
    """Names of `calls`."""
    cautions: list[str] = field(default_factory=list, metadata=UNWRITTEN)
    failed: bool = field(default=False, metadata=UNWRITTEN)
    """Whether the run did not come to its end, or, of several, the last one did not."""

    @property
    @published
    def clock(self) -> str:
        """`simulated` or `measured`."""
        return "simulated" if self.timed.simulated else "measured"

    @property
    @published
    def total_s(self) -> float:
        """Until the last rank ended."""
        return self.timed.time_s

    @property
    def says_causes(self) -> bool:
        """Whether it is known why ranks waited."""
        return any(row.waited_s for row in self.rows)


def sample_of_record(record: Record, name: str) -> RunSample:
    """A run or a replay that was recorded."""
    rows = record.profile.per_rank or record.profile.summed
    each = 1.0 if record.profile.per_rank else 1 / record.ranks
    found = _of_profile(rows, each)
    facts = {"platform": record.platform, "model": record.model, "selector": record.selector, "coll": record.coll,
             "mapping": record.mapping, "ranks": record.ranks, "sharing_error": record.sharing_error}  # fmt: skip
    facts |= {"speed": speed} if (speed := speed_words(record.speeds)) else {}
    per_rank = [row.inclusive_s for row in rows if row.phase is None and row.name == APPLICATION]
    return RunSample(
        name=name,
        kind="record",
        timed=side_of(record),
        ranks=record.ranks,
        rank_s=per_rank if record.profile.per_rank else [],
        rows=found,
        facts=facts,
        cautions=[f"the run failed: {record.cause}"] if record.cause else [],
        failed=record.end != "completed",
    )


def side_of(record: Record) -> TimedSide:
    """The time of a record, its repetitions and replicas, and what is known of their noise."""
    whole = record.end == "completed" or len(record.repeats_s) > 1
    return TimedSide(
        time_s=record.simulated_s,
        simulated=True,
        computation=record.computation,
        noisy=record.noisy,
        repeats_s=record.repeats_s,
        replicas_s=record.replicas_s,
        seed=record.seed,
        vary=record.vary,
        replayed=record.start == "replay",
        incomplete="" if whole else "it did not come to its end",
    )


def sample_of_profile(path: Path, name: str) -> RunSample:
    """A profile of TAU's: one of its files, or a folder of them. Raises InputError when it cannot be read."""
    read = read_tau(path)
    ranks = sorted(read.metadata)
    rank_s = [read.total_s[rank] for rank in ranks]
    own = {row.name.removesuffix("()") for row in read.profile.per_rank if row.name not in read.in_mpi}
    missing = sorted(set(range(ranks[-1] + 1)) - set(ranks)) if ranks else []
    return RunSample(
        name=name,
        kind="profile",
        timed=TimedSide(time_s=max(rank_s, default=0.0), simulated=False),
        ranks=len(ranks),
        rank_s=rank_s,
        rows=[
            row._replace(of_program=row.routine in own and row.routine != APPLICATION)
            for row in _of_profile(read.profile.per_rank, 1.0)
        ],
        facts={"ranks": len(ranks)},
        hosts=read.hosts,
        cautions=[f"{len(missing):,} ranks have no profile, rank {missing[0]} among them"] if missing else [],
    )


def _of_profile(rows: Sequence[ProfileRow], each: float) -> list[CallsRow]:
    """Rows of the whole run, whose times count `each` times."""
    return [
        CallsRow(row.rank or 0, row.name.removesuffix("()"), None, None, "", row.calls, row.exclusive_s * each, ())
        for row in rows
        if row.phase is None
    ]


def sample_of_trace(path: Path, name: str) -> RunSample:
    """A trace of any tool's.

    Raises InputError when it cannot be read, or does not say when anything happened.
    """
    usage = read_usage(path)
    cautions = [what for what in usage.damage if what not in usage.unread]
    with as_own(path) as own:
        file = _core.TraceFile(str(own.path))
        end_s = own.check_times(file) / 1e9
        number = sum(rank.calls for rank in usage.ranks) - counted_calls(file)
        calls, waits = read_calls(file) if number <= MOST_CALLS else (None, None)
        names, sites = dict(file.routines), dict(file.sites)
        local = _local(file, names)
    if number == 0 and end_s > 0:
        cautions.append("the trace names no routines, so all of its time counts as outside of MPI")
    if calls is None or waits is None:
        cautions.append(f"{number:,} calls: more than {MOST_CALLS:,}, so only sums by rank and routine are compared")
        rows = _of_profile(usage.profile.per_rank, 1.0)
        rank_s, found = [rank.total_s for rank in usage.ranks], []
    else:
        rows = [row for rank, own_calls in enumerate(calls) for row in _rows(rank, own_calls, names, sites)]
        rows = _with_local(rows, local)
        rank_s, found = [own_calls.over_ns / 1e9 for own_calls in calls], list(_waits(calls, waits, names, sites))
    kept = (
        "program", "command", "mpi", "platform", "model", "mapping", "selector", "coll", "compute", "speed", "sharing_error"
    )  # fmt: skip
    return RunSample(
        name=name,
        kind="trace",
        timed=TimedSide(
            time_s=end_s,
            **_known_of(path, usage.properties),
            incomplete=usage.incomplete,
        ),
        ranks=len(usage.ranks),
        rank_s=rank_s,
        rows=rows,
        waits=found,
        facts={key: usage.properties[key] for key in kept if key in usage.properties} | {"ranks": len(usage.ranks)},
        hosts=usage.hosts,
        calls=calls,
        routines=names,
        cautions=cautions,
    )


def _known_of(path: Path, properties: Mapping[str, str]) -> dict[str, Any]:
    """What the properties of a trace say of its noise, as a record of the simulation does; a real run's say nothing."""
    if properties.get("source") != "simulated":
        return {"simulated": False}
    return {
        "simulated": True,
        "computation": properties.get("computation") or digest_of_files([path]),
        "noisy": {"none": False, "drawn": True}.get(properties.get("noise", "")),
        "replayed": "replayed" in properties,
    }


def _local(file: _core.TraceFile, names: Mapping[int, str]) -> list[CallsRow]:
    """Calls that the trace only counts, those of a routine that otherwise is an operation among them, such as sends to nobody."""
    return [
        CallsRow(rank, _named(names, routine), None, None, "", calls, ns / 1e9, ())
        for rank in range(file.streams)
        for _, routine, calls, ns in file.local_calls(rank)
        if calls
    ]


def _with_local(rows: list[CallsRow], local: Sequence[CallsRow]) -> list[CallsRow]:
    """With calls that a trace only counts, whose time is a part of what is outside of all others."""
    local_s: dict[int, float] = defaultdict(float)
    for row in local:
        local_s[row.rank] += row.time_s
    outside = (
        row._replace(time_s=max(0.0, row.time_s - local_s[row.rank])) if row.routine == APPLICATION else row
        for row in rows
    )
    return [*outside, *(row._replace(waited_s=(0.0,) * len(CAUSES)) for row in local)]


def _rows(rank: int, calls: RankCalls, names: Mapping[int, str], sites: Mapping[int, str]) -> Iterator[CallsRow]:
    """What the calls of a rank come to, by routine, communicator, size and site; and the time between them."""
    length = calls.length_ns
    outside_s = max(0, calls.over_ns - int(length.sum())) / 1e9
    yield CallsRow(rank, APPLICATION, None, None, "", 1, outside_s, (0.0,) * len(CAUSES))
    power = np.where(calls.bytes > 0, np.ceil(np.log2(np.maximum(calls.bytes, 1))).astype(np.int64) + 1, 0)
    keys = (calls.routine, calls.comm, power, calls.site)
    _, places, group = np.unique(mixed(*keys), return_index=True, return_inverse=True)
    found = np.stack([key[places] for key in keys], axis=1)
    number = np.bincount(group, minlength=len(found))
    time_s = np.bincount(group, weights=length, minlength=len(found)) / 1e9
    waited = [np.bincount(group, weights=of_cause, minlength=len(found)) / 1e9 for of_cause in calls.waited_ns]
    for i, (routine, comm, size, site) in enumerate(found.tolist()):
        yield CallsRow(
            rank,
            _named(names, routine),
            comm,
            1 << size - 1 if size else 0,
            sites.get(site, ""),
            int(number[i]),
            float(time_s[i]),
            tuple(float(of_cause[i]) for of_cause in waited),
        )


def _waits(
    calls: list[RankCalls], waits: Waits, names: Mapping[int, str], sites: Mapping[int, str]
) -> Iterator[WaitTotal]:
    """Summed by rank, routine, cause, the rank that was waited for, and the call with which it came."""
    if not len(waits.rank):
        return
    routine, by_routine, by_site = np.zeros((3, len(waits.rank)), dtype=np.int64)
    for rank, own in enumerate(calls):
        mine, caused = waits.rank == rank, waits.by == rank
        routine[mine] = own.routine[waits.call[mine]]
        by_routine[caused], by_site[caused] = own.routine[waits.by_call[caused]], own.site[waits.by_call[caused]]
    keys = (waits.rank, routine, waits.cause, waits.by, by_routine, by_site)
    _, places, group = np.unique(mixed(*keys), return_index=True, return_inverse=True)
    time_s = np.bincount(group, weights=waits.length_ns) / 1e9
    for place, sum_s in zip(places.tolist(), time_s.tolist(), strict=True):
        rank, number, cause, by, by_number, site = (int(key[place]) for key in keys)
        name = sites.get(site, "") or _named(names, by_number)
        yield WaitTotal(rank, _named(names, number), CAUSES[cause], by, name, sum_s)


def _named(names: Mapping[int, str], number: int) -> str:
    return names.get(number, f"routine {number}")
