# SPDX-License-Identifier: BSD-3-Clause
"""What two sides differ in, and the verdict on them in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orrery.comparison.alignment import Alignment
from orrery.comparison.relation import TwoTimes, relation
from orrery.comparison.sample import RunSample
from orrery.comparison.turns import TurningPoints
from orrery.comparison.where import LargestPiece
from orrery.noise.verdict import Verdict
from orrery.published import published
from orrery.record.profile import APPLICATION
from orrery.units import show_time

_BEHIND = {
    "late sender": "behind late senders",
    "late receiver": "waiting for receives to be posted",
    "imbalance": "waiting for the last rank to come",
    "transfer": "in transfer and processing, not in waiting for other ranks",
}


@dataclass(frozen=True, kw_only=True)
class GroupLine:
    """What two sides spend on one thing, in seconds: median over runs, mean over ranks; where it is one rank's, of that rank."""

    names: tuple[str, ...]
    """The routine, and the cause, the largest size in bytes, the communicator or the site; or the rank."""
    first_calls: float
    """Calls of all ranks together, mean over runs."""
    second_calls: float
    first_s: float
    second_s: float
    low_s: float | None = None
    """Interval of 95 % of the difference, up to `high_s`; None: not known."""
    high_s: float | None = None
    verdict: Verdict = "unknown"

    @property
    @published
    def change_s(self) -> float:
        """Difference of the second to the first."""
        return self.second_s - self.first_s


@dataclass(frozen=True, kw_only=True)
class RunsCompared(TwoTimes):
    """Two sides, each of one run or several."""

    first: list[RunSample]
    second: list[RunSample]
    verdict: Verdict
    ratio_interval: tuple[float, float] | None
    """Interval of the ratio, of 95 %, or of 90 % of draws of parameters; None: not known."""
    p_value: float | None
    """How often chance alone sets equal sides so far apart, by a rank test; None: single runs, or too few for one."""
    why: str
    """What the verdict rests on."""
    settings: dict[str, tuple[object, object]]
    """What is known of both and differs, by name."""
    routines: list[GroupLine]
    """These and those that follow by decreasing difference."""
    causes: list[GroupLine]
    """By routine and cause: waiting for a late sender, a late receiver or the last of a collective call; `transfer` is
    the rest of the time in the routine."""
    per_rank: list[GroupLine]
    """Time in MPI of each rank."""
    sizes: list[GroupLine]
    """By routine and size."""
    comms: list[GroupLine]
    """By routine and communicator."""
    sites: list[GroupLine]
    """By routine and call site; empty: not known."""
    aligned: Alignment | None
    """None: not both are single traces of which each call is known."""
    where: LargestPiece | None
    """What makes most of the difference; None: there is none."""
    cautions: list[str]
    turns: TurningPoints | None = None
    """On which values of the platform the verdict hangs that nobody measured; None: that was not asked."""

    @property
    @published
    def sentence(self) -> str:
        """How long the second takes beside the first, what makes the difference, and what that rests on."""
        if incomplete := [run for run in (*self.first, *self.second) if run.timed.incomplete]:
            which = "; ".join(f"{run.name} is not complete: {run.timed.incomplete}" for run in incomplete)
            return f"{which}. So times of whole programs cannot be compared; what follows is of what there is."
        times = f"{show_time(self.second_s)} instead of {show_time(self.first_s)}"
        if self.verdict == "equal":
            return f"{self.names[1]} takes as long as {self.names[0]}, {show_time(self.first_s)}. {_why(self)}"
        said = f"{_relation(self)}, {times}"
        if self.verdict == "within noise":
            said = f"within noise: {said}"
        elif self.verdict == "unknown":
            said = f"unknown whether it is more than noise: {said}"
        piece = "" if self.where is None or self.verdict == "within noise" else f"; {_piece(self.where)}"
        said = f"{said}{piece}. {_why(self)}"
        return said if self.verdict == "apart" else f"{said[0].upper()}{said[1:]}"

    @property
    def largest_part(self) -> str:
        """What makes most of the difference: "82% of the difference is in MPI_Wait of rank 3"; empty: there is none."""
        return "" if self.where is None else _piece(self.where)

    @property
    def names(self) -> tuple[str, str]:
        """What the sides are called: their runs, where they are single ones."""
        first, second = self.first, self.second
        return (
            first[0].name if len(first) == 1 else "the first",
            second[0].name if len(second) == 1 else "the second",
        )


def _why(found: RunsCompared) -> str:
    return f"{found.why[0].upper()}{found.why[1:]}."


def _relation(found: RunsCompared) -> str:
    names, (low, high) = found.names, found.ratio_interval or (0.0, 0.0)
    reach = f" ({low:.3g} to {high:.3g})" if low != high else ""
    if found.first_s <= 0:
        return relation(found.first_s, found.second_s, names[0], "is", names[1])
    digits = 3 if abs(found.ratio - 1) >= 0.1 else 4
    return f"{names[1]} takes {found.ratio:.{digits}g}{reach} times as long as {names[0]}"


def _piece(where: LargestPiece) -> str:
    share = f"{where.share:.0%} of the difference is" if where.share <= 1 else "the largest part of the difference is"
    said = f"{share} {'outside of MPI' if where.routine == APPLICATION else f'in {where.routine}'}"
    if where.ranks:
        said += f" of {_ranks(where.ranks)}"
    if where.cause:
        said += f", {_BEHIND[where.cause]}"
        if where.place and where.cause != "transfer":
            said += f" in {where.place}"
        if where.by:
            said += f", for {_ranks(where.by)}"
    return said if where.share <= 1 else f"{said}: {show_time(where.change_s)} a rank, of which others gain a part back"


def _ranks(ranks: Sequence[int]) -> str:
    """`rank 3`, `ranks 3, 7 and 11`."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"
