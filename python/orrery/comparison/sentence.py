# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on two sides, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.comparison.relation import relation
from orrery.comparison.runs import RunsCompared
from orrery.comparison.where import LargestPiece
from orrery.record.profile import APPLICATION
from orrery.units import show_time

_SEVERAL = 2.0
_BEHIND = {
    "late sender": "behind late senders",
    "late receiver": "waiting for receives to be posted",
    "imbalance": "waiting for the last rank to come",
    "transfer": "in transfer and processing, not in waiting for other ranks",
}


def sentence(found: RunsCompared, names: tuple[str, str]) -> str:
    """How long the second takes beside the first, what makes the difference, and what that rests on.

    Args:
        found: the comparison.
        names: what the sides are called.
    """
    if incomplete := [run for run in (*found.first, *found.second) if run.timed.incomplete]:
        which = "; ".join(f"{run.name} is not complete: {run.timed.incomplete}" for run in incomplete)
        return f"{which}. So times of whole programs cannot be compared; what follows is of what there is."
    times = f"{show_time(found.second_s)} instead of {show_time(found.first_s)}"
    if found.verdict == "equal":
        return f"{names[1]} takes as long as {names[0]}, {show_time(found.first_s)}. {_why(found)}"
    said = f"{_relation(found, names)}, {times}"
    if found.verdict == "within noise":
        said = f"within noise: {said}"
    elif found.verdict == "unknown":
        said = f"unknown whether it is more than noise: {said}"
    piece = "" if found.where is None or found.verdict == "within noise" else f"; {_piece(found.where)}"
    said = f"{said}{piece}. {_why(found)}"
    return said if found.verdict == "apart" else f"{said[0].upper()}{said[1:]}"


def _why(found: RunsCompared) -> str:
    return f"{found.why[0].upper()}{found.why[1:]}."


def largest_part(found: RunsCompared) -> str:
    """What makes most of the difference: "82% of the difference is in MPI_Wait of rank 3"; empty: there is none."""
    return "" if found.where is None else _piece(found.where)


def _relation(found: RunsCompared, names: tuple[str, str]) -> str:
    known = found.ratio_low is not None and found.ratio_high is not None and found.ratio_low != found.ratio_high
    reach = f" ({found.ratio_low:.3g} to {found.ratio_high:.3g})" if known else ""
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
