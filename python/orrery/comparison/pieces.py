# SPDX-License-Identifier: BSD-3-Clause
"""Two aligned traces, cut into pieces of the same calls: a sample of how the runs differ as they go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orrery.comparison.alignment import Alignment
from orrery.comparison.calls import Numbers, RankCalls
from orrery.record.profile import APPLICATION

PIECES = 20
_LEAST_CALLS = 5
"""Pairs of calls of a rank in a piece, at least."""

Times = NDArray[np.float64]


@dataclass(frozen=True)
class Pieces:
    """Seconds in each piece, mean over ranks."""

    total_s: Times
    routines_s: dict[str, Times]
    """By routine, the time outside of MPI among them."""


def pieces_of(
    alignment: Alignment,
    calls: tuple[Sequence[RankCalls], Sequence[RankCalls]],
    names: tuple[Mapping[int, str], Mapping[int, str]],
) -> tuple[Pieces, Pieces] | None:
    """Both runs in pieces; None: too few calls have a partner.

    A piece of a rank reaches from the end of a call with a partner to the end of another; it is the same calls in both
    runs, as far as calls have partners. The first begins with the run, the last ends with the rank.

    Args:
        alignment: of the calls.
        calls: by rank, of both.
        names: of routines by number, of both.
    """
    fewest = min((len(pairs.first) for pairs in alignment.pairs), default=0)
    number = min(PIECES, fewest // _LEAST_CALLS)
    ranks = len(calls[0])
    if number < 2 or len(alignment.pairs) != ranks or len(calls[1]) != ranks:
        return None
    limits = [np.linspace(0, len(pairs.first), number + 1).round().astype(int)[1:-1] - 1 for pairs in alignment.pairs]
    cuts = (
        [pairs.first[own] for pairs, own in zip(alignment.pairs, limits, strict=True)],
        [pairs.second[own] for pairs, own in zip(alignment.pairs, limits, strict=True)],
    )
    before, after = (_cut(own, at, named, number) for own, at, named in zip(calls, cuts, names, strict=True))
    return before, after


def _cut(calls: Sequence[RankCalls], cuts: Sequence[Numbers], names: Mapping[int, str], number: int) -> Pieces:
    """`cuts`: by rank, positions of the last calls of all pieces but the last."""
    total = np.zeros(number)
    routines: dict[str, Times] = {APPLICATION: np.zeros(number)}
    for own, cut in zip(calls, cuts, strict=True):
        limits = np.concatenate([[0], own.end_ns[cut], [own.over_ns]])
        whole = np.diff(limits).astype(float)
        piece = np.searchsorted(cut, np.arange(len(own)), side="left")
        total += whole
        for routine in np.unique(own.routine).tolist():
            chosen = own.routine == routine
            inside = np.bincount(piece[chosen], weights=own.length_ns[chosen], minlength=number)
            name = names.get(routine, f"routine {routine}")
            routines[name] = routines.get(name, np.zeros(number)) + inside
            whole = whole - inside
        routines[APPLICATION] += whole
    each = 1e9 * len(calls)
    return Pieces(total / each, {name: times / each for name, times in routines.items()})
