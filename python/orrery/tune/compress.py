# SPDX-License-Identifier: BSD-3-Clause
"""From the times of algorithms in cells to few rules.

Sizes of one collective on one number of ranks are cut into bands, each with one algorithm. The bands minimise

    sum over cells of weight x ln(time / least time)  +  price x (number of bands + number of bands that are not the library's own)

which dynamic programming finds exactly; `price` is the highest at which the mean regret of all cells, (time / least time - 1), is
within the limit. So a rule is there only where it is worth it, and where several do equally, neighbours have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt, log

from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.collective.call import REDUCTIONS
from orrery.rules import MOST_BYTES
from orrery.tune.library import AlgorithmVariant
from orrery.tune.rules import RuleRow, SizeBand
from orrery.tune.search import CellTimes, cells_of

MEAN_REGRET = 0.02
_PRICES = tuple(0.5**power for power in range(1, 40))

Times = Callable[[CellTimes, AlgorithmVariant | None], float | None]
"""Seconds of a call by an algorithm; None: it is not known, and not to be chosen."""
Own = Callable[[LoopCase], str]
"""The algorithm that the library chooses itself."""


def compress(
    found: Iterable[CellTimes],
    times: Times,
    *,
    weights: Mapping[LoopCase, float] | None = None,
    mean_regret: float = MEAN_REGRET,
    between: Collection[int] = (),
    own: Own | None = None,
) -> tuple[RuleRow, ...]:
    """Rules for all numbers of ranks from the smallest to the largest that is known. A rule holds up to the next number, or, where that is
    one of `between`, for its own number alone.

    Args:
        found: what is known, of at least one cell.
        times: of a cell and an algorithm, or the library's own choice.
        weights: of cells; None: all count alike.
        mean_regret: what few rules may cost, as a share of the least times: the mean over cells.
        between: numbers of ranks that stand for all numbers between their neighbours. Algorithms that are good for a power of two are
            often bad for others.
        own: the library's own choice of any call, so that a rule ends where that changes; None: half-way between two sizes.
    """
    lines = [_CellRow(kind, ranks, cells, times, weights) for kind, ranks, cells in cells_of(found)]
    weight = sum(sum(line.weights) for line in lines)
    for price in _PRICES:
        cuts = [line.cut(price) for line in lines]
        if sum(line.regret(bands) for line, bands in zip(lines, cuts, strict=True)) <= mean_regret * weight:
            break
    return _joined([line.row(bands, own) for line, bands in zip(lines, cuts, strict=True)], between)


@dataclass(frozen=True)
class _Band:
    first: int
    last: int
    """Cells, by their positions."""
    algorithm: str
    """As `--coll` has it; empty: the library's own decision."""


_OWN = ""
_FOR_TWO = "two_proc"
"""Open MPI's algorithms for two ranks."""


class _CellRow:
    """The cells of one collective on one number of ranks, by size."""

    def __init__(
        self, kind: str, ranks: int, cells: Sequence[CellTimes], times: Times, weights: Mapping[LoopCase, float] | None
    ) -> None:
        self.kind = kind
        self.ranks = ranks
        self.cells = cells
        self.weights = [1.0 if weights is None else weights.get(cell.case, 0.0) for cell in cells]
        self._ratios = [_ratios(cell, times) for cell in cells]

    def cut(self, price: float) -> list[_Band]:
        """The cheapest bands."""
        best: list[tuple[float, list[_Band]]] = [(0.0, [])]
        for last in range(len(self.cells)):
            total, first, algorithm = min(
                (best[first][0] + cost + price * (1 if name == _OWN else 2), first, name)
                for first, costs in self._costs_up_to(last)
                for name, cost in costs.items()
            )
            best.append((total, [*best[first][1], _Band(first, last, algorithm)]))
        return best[-1][1]

    def _costs_up_to(self, last: int) -> Iterator[tuple[int, dict[str, float]]]:
        """For each first cell the algorithms that all cells up to the last have, with the sums of ln(time / least time)."""
        costs = dict.fromkeys(self._ratios[last], 0.0)
        for first in range(last, -1, -1):
            here, weight = self._ratios[first], self.weights[first]
            costs = {name: cost + weight * log(here[name]) for name, cost in costs.items() if name in here}
            yield first, costs

    def regret(self, bands: Sequence[_Band]) -> float:
        """Weighted sum of time / least time - 1 of all cells."""
        return sum(
            self.weights[cell] * (self._ratios[cell][band.algorithm] - 1)
            for band in bands
            for cell in range(band.first, band.last + 1)
        )

    def row(self, bands: Sequence[_Band], own: Own | None) -> RuleRow:
        """Sizes beyond all cells are left to the library."""
        sizes = [cell.case.bytes for cell in self.cells]
        limits = [sizes[0] - 1, *(self._limit(*pair, own) for pair in pairwise(bands)), sizes[-1]]
        if sizes == [0]:
            limits = [-1, MOST_BYTES]  # of a barrier
        cut = [
            SizeBand(bytes_from=low + 1, bytes_to=high, variant=self.cells[band.first].variants.get(band.algorithm))
            for (low, high), band in zip(pairwise(limits), bands, strict=True)
        ]
        return RuleRow(
            kind=self.kind, ranks_from=self.ranks, ranks_to=self.ranks, bands=_whole(cut), counts=(self.ranks,)
        )

    def _limit(self, before: _Band, after: _Band, own: Own | None) -> int:
        """The last size of a band: the geometric mean of both sizes, or where the library's own choice changes between them, if one of the
        bands is left to it: an algorithm was compared with one of its choices, and may be slower than the other.
        """
        low, high = (self.cells[place].case for place in (before.last, after.first))
        if own is not None and (before.algorithm == _OWN) != (after.algorithm == _OWN) and own(low) != own(high):
            there = own(low if before.algorithm == _OWN else high)
            is_before = (
                (lambda case: own(case) == there) if before.algorithm == _OWN else (lambda case: own(case) != there)
            )
            return _last(low, high, is_before)
        return isqrt(low.bytes * high.bytes)


def _last(low: LoopCase, high: LoopCase, holds: Callable[[LoopCase], bool]) -> int:
    """The last size from `low` on for which something holds; it holds there, not at `high`, and changes once between them."""
    step = NUMBER_BYTES if low.test in REDUCTIONS else 1
    first, last = 0, (high.bytes - low.bytes) // step
    while last - first > 1:
        middle = (first + last) // 2
        if holds(low._replace(bytes=low.bytes + middle * step)):
            first = middle
        else:
            last = middle
    return low.bytes + first * step


def _ratios(cell: CellTimes, times: Times) -> dict[str, float]:
    """Time / least time of each algorithm that is known."""
    known = {_OWN: times(cell, None), **{name: times(cell, variant) for name, variant in cell.variants.items()}}
    there = {name: time_s for name, time_s in known.items() if time_s is not None}
    least = min(there.values())
    return {name: time_s / least if least > 0 else 1.0 for name, time_s in there.items()}


def _whole(bands: Sequence[SizeBand]) -> tuple[SizeBand, ...]:
    """With the library's own decision below and above."""
    found = list(bands)
    if found[0].bytes_from > 0:
        found.insert(0, SizeBand(bytes_from=0, bytes_to=found[0].bytes_from - 1, variant=None))
    if found[-1].bytes_to < MOST_BYTES:
        found.append(SizeBand(bytes_from=found[-1].bytes_to + 1, bytes_to=MOST_BYTES, variant=None))
    return _merged(found)


def _merged(bands: Iterable[SizeBand]) -> tuple[SizeBand, ...]:
    found: list[SizeBand] = []
    for band in bands:
        joins = found and found[-1].variant == band.variant
        start = found.pop().bytes_from if joins else band.bytes_from
        found.append(SizeBand(bytes_from=start, bytes_to=band.bytes_to, variant=band.variant))
    return tuple(found)


def _joined(rows: Sequence[RuleRow], between: Collection[int]) -> tuple[RuleRow, ...]:
    """Rows for all numbers of ranks; those that say the same are one, and those that say nothing are left out."""
    found: list[RuleRow] = []
    for earlier, current, following in zip([None, *rows[:-1]], rows, [*rows[1:], None], strict=True):
        row = current
        if current.ranks_from in between and earlier is not None and earlier.kind == current.kind:
            row = replace(current, ranks_from=earlier.ranks_to + 1, counts=(earlier.ranks_to + 1,))
        if any(band.variant is not None and band.variant.name == _FOR_TWO for band in current.bands):
            pass  # on more ranks it is an error
        elif following is not None and following.kind == current.kind and following.ranks_from not in between:
            row = replace(row, ranks_to=following.ranks_from - 1)
        if found and found[-1].kind == row.kind and found[-1].bands == row.bands:
            before = found.pop()
            row = replace(row, ranks_from=before.ranks_from, counts=(*before.counts, *row.counts))
        found.append(row)
    return tuple(row for row in found if any(band.variant is not None for band in row.bands))
