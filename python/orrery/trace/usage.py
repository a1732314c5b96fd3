# SPDX-License-Identifier: BSD-3-Clause
"""What a trace says of a run without any simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from orrery import _core
from orrery.published import UNWRITTEN
from orrery.record import profile
from orrery.record.document import Profile
from orrery.trace.broken_streams import broken_streams
from orrery.trace.imports.own import as_own


@dataclass(frozen=True, slots=True)
class RankUsage:
    """One rank's share."""

    rank: int
    total_s: float
    """From the end of MPI_Init until its last operation was over."""
    mpi_s: float
    """Part of that in calls of MPI."""
    computed_s: float
    """Processor time outside of them, as it was measured: what a simulation charged is in `.application`."""
    calls: int
    messages: int
    """That it sent."""
    bytes: int
    """Bytes of these messages."""
    cut_off: bool
    """It did not come to MPI_Finalize."""


@dataclass(frozen=True, slots=True)
class PairTraffic:
    """What one rank sent to another."""

    source: int
    destination: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Messages, or collective calls, of sizes up to `bytes_up_to`, and above half of it."""

    routine: str
    bytes_up_to: int
    """A power of two; 0: without any bytes."""
    number: int
    bytes: int
    """Bytes of all of them."""


@dataclass(frozen=True, slots=True)
class SiteUsage:
    """Calls of a routine from one place in the program, by all ranks together."""

    site: str
    """Its file, line and function, or its module and offset; of a path the outermost first, with ` => ` between."""
    routine: str
    ranks: int
    """That called from there."""
    calls: int
    time_s: float
    shortest_s: float
    """Time of the shortest call."""
    longest_s: float
    messages: int
    bytes: int
    """Bytes of these messages."""


@dataclass(frozen=True, slots=True)
class CommUsage:
    """Use of a communicator by all of its ranks together."""

    comm: int
    size: int
    messages: int
    message_bytes: int
    collectives: int
    collective_bytes: int


@dataclass(frozen=True, kw_only=True)
class UsageReport:
    """What a trace says of a run without any simulation."""

    trace: str
    """Its file."""
    properties: dict[str, str]
    """What the trace says of itself."""
    hosts: list[str]
    """By rank; empty: the trace does not say."""
    ranks: list[RankUsage]
    profile: Profile
    edges: list[PairTraffic]
    sizes: list[SizeClass]
    comms: list[CommUsage]
    sites: list[SiteUsage]
    """Where calls stand in the program; empty: the trace does not say."""
    local: list[str]
    """Routines that send nothing, whose calls are counted, and whose time is a part of the computation that a replay repeats."""
    damage: list[str]
    """What could not be read, or not be imported."""
    unread: list[str] = field(default_factory=list, metadata=UNWRITTEN)
    """That of `damage` which could not be read; empty: the trace is whole."""
    damaged_at: dict[int, int] = field(default_factory=dict, metadata=UNWRITTEN)
    """Ranks whose calls end at a damaged block, and the byte of the file at which it begins."""

    @property
    def cut_off(self) -> list[int]:
        """Ranks whose calls end before MPI_Finalize, where nothing more of them is in the file."""
        return [rank.rank for rank in self.ranks if rank.cut_off and rank.rank not in self.damaged_at]

    @property
    def incomplete(self) -> str:
        """Why the trace is not complete; empty: it is."""
        if not (cut := self.cut_off):
            return "; ".join(self.unread)
        return f"the calls of {len(cut):,} of {len(self.ranks):,} ranks end before MPI_Finalize"


def read_usage(path: Path) -> UsageReport:
    """Read a trace of any tool's through. Raises InputError when it cannot be read."""
    with as_own(path) as own:
        file = _core.TraceFile(str(own.path))
        usage = _core.TraceUsage(file)
        broken = broken_streams(file)
        unread = own.damage_beside(file, broken)
        left_out = own.left_out.lines
    known = file.routines
    names = [known.get(number, f"routine {number}") for number in range(max(known, default=0) + 1)]
    names += [f"routine {i}" for i in range(len(names), 1 + max((call[2] for call in usage.calls), default=0))]
    entries = [
        profile.Entry(rank, phase, routine, calls, time_s, messages, sent)
        for rank, phase, routine, calls, time_s, messages, sent in usage.calls
    ]
    return UsageReport(
        trace=str(path),
        properties=dict(file.properties),
        hosts=[host for _, host in sorted(file.hosts.items())],
        ranks=[RankUsage(*row) for row in usage.ranks],
        profile=profile.rows(entries, names),
        edges=[PairTraffic(*row) for row in usage.edges],
        sizes=[
            SizeClass(names[routine], 0 if power < 0 else 2**power, count, sent)
            for routine, power, count, sent in usage.sizes
        ],
        comms=[CommUsage(*row) for row in usage.comms],
        sites=[SiteUsage(file.sites.get(row[0], f"site {row[0]}"), names[row[1]], *row[2:]) for row in usage.sites],
        local=[names[routine] for routine in usage.local],
        damage=[*left_out, *unread],
        unread=unread,
        damaged_at=broken.damaged,
    )
