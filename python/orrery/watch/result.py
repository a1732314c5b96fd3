# SPDX-License-Identifier: BSD-3-Clause
"""What came of a run that was watched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from orrery.watch.placed import How

Verdict = Literal["slower", "faster", "as expected", ""]
"""Beside the range in which real times are expected; empty: that is not known, or too few calls have times."""


@dataclass(frozen=True, kw_only=True)
class ComparedTime:
    """A measured time beside the expected one."""

    samples: int
    """Calls or messages whose times could be compared."""
    measured_s: float | None = None
    """Their median; None: there are none."""
    expected_s: float | None = None
    """Simulated; None: it is not known."""
    low_s: float | None = None
    """From here on real times are expected, in 9 of 10 cases."""
    high_s: float | None = None
    """Up to here."""
    ratio: float | None = None
    """Measured over expected time."""
    ratio_low: float | None = None
    """Lower end of the interval of 95 % of the median."""
    ratio_high: float | None = None
    verdict: Verdict = ""


@dataclass(frozen=True, kw_only=True)
class CollectiveClass:
    """Collective calls of one kind, on communicators of one size, of about one number of bytes."""

    kind: str
    ranks: int
    """Size of the communicator."""
    communicators: int
    """So many communicators made such calls."""
    root: int | None
    """None: the collective has none."""
    bytes: int
    """Mean; as `orrery collective -s` has it."""
    calls: int
    time_s: float
    """In these calls, mean over their ranks, waiting included."""
    timed: int
    """Calls of which all ranks have times; those of `compared` are from these."""
    compared: ComparedTime
    algorithm: str
    """That the selector chooses; empty: nothing is expected."""
    apart_s: float | None
    """From the first rank's arrival to the last one's; median."""
    together: bool
    """Only calls count whose ranks came at once, within half of the expected time; False: there are too few, all count, and
    there is no verdict."""
    last: int | None
    """World rank that came last most often."""
    last_share: float
    """In this share of the calls."""
    left_out: str = ""
    """Why nothing is expected."""


@dataclass(frozen=True, kw_only=True)
class MessageClass:
    """Messages on one kind of way, of about one number of bytes."""

    way: str
    """Within a node, or between nodes."""
    bytes: int
    """Mean."""
    pairs: int
    """Pairs of ranks."""
    messages: int
    """Whose both ends have times."""
    compared: ComparedTime


@dataclass(frozen=True, kw_only=True)
class RankWait:
    """How long a rank waited for one that came later."""

    rank: int
    late: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Slowdown:
    """What is slower than it should be."""

    what: Literal["rank", "from", "into", "node", "link", "messages"]
    """A rank that comes late; messages that leave a node, enter it, or both; messages between two nodes; all messages."""
    names: list[str]
    """The rank, or names of nodes."""
    factor: float | None
    """So many times as long as expected, or as elsewhere."""
    words: str
    """In a sentence."""


@dataclass(frozen=True, kw_only=True)
class UnclassedCalls:
    """What no class has."""

    what: str
    calls: int


@dataclass(frozen=True, kw_only=True)
class WatchOutcome:
    """A run, expected against actual."""

    exit_code: int
    """That of the launcher."""
    wall_s: float
    """From start to end of the launcher."""
    ranks: int
    missing: list[int]
    """Ranks that left nothing."""
    cut_off: list[int]
    """Ranks that did not come to MPI_Finalize."""
    hosts: list[str]
    """By rank; empty: it left nothing."""
    library: str
    """What the MPI says of itself."""
    platform: str
    model: str
    placed: How | None
    """How ranks were found on the platform; None: they were not."""
    selector: str
    guessed: bool
    """The selector was guessed from the library."""
    calls: int
    """Calls of all ranks that send or receive."""
    run_s: float
    """From the last rank's MPI_Init to the last call."""
    mpi_s: float
    """In calls, mean over ranks."""
    collectives: list[CollectiveClass] = field(default_factory=list)
    messages: list[MessageClass] = field(default_factory=list)
    waiting: list[RankWait] = field(default_factory=list)
    """The longest first."""
    findings: list[Slowdown] = field(default_factory=list)
    left_out: list[UnclassedCalls] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
