# SPDX-License-Identifier: BSD-3-Clause
"""What rules make of each cell, and what that gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from orrery.benchmark.cases import LoopCase
from orrery.tune.rounds import Rounds
from orrery.tune.search import CellTimes
from orrery.units import show_bytes

WORTH = 1.05
"""A gain that is worth a sentence."""


@dataclass(frozen=True, kw_only=True)
class TunedCell:
    """What was found for a cell, and what the rules make of it."""

    found: CellTimes
    chosen: str
    """As `--coll` has it; that of the library's own choice where rules leave it alone."""
    measured: Mapping[str, Rounds]
    """Times of a call by the algorithms that were measured."""

    @property
    def simulated_gain(self) -> float:
        """How many times as long the library's own choice takes, simulated."""
        return self.found.default_s / self.found.times[self.chosen]

    @property
    def measured_gain(self) -> float | None:
        """How many times as long the library's own choice takes, measured; None: not both were."""
        own, chosen = self.measured.get(self.found.default), self.measured.get(self.chosen)
        return None if own is None or chosen is None else own.median_s / chosen.median_s

    @property
    def gain(self) -> float:
        """The measured one where there is one."""
        return self.measured_gain or self.simulated_gain


def mean_of(
    cells: Sequence[TunedCell], value: Callable[[TunedCell], float], weights: Mapping[LoopCase, float] | None
) -> float:
    """Weighted mean of a value of all cells, of which there is one at least; without weights all count alike."""
    return fmean(map(value, cells), [1.0 if weights is None else weights[cell.found.case] for cell in cells])


def gain_of(cells: Sequence[TunedCell], weights: Mapping[LoopCase, float] | None) -> float:
    """Geometric mean of the gains, weighted."""
    return exp(mean_of(cells, lambda cell: log(cell.gain), weights)) if cells else 1.0


def sentences(cells: Sequence[TunedCell], weights: Mapping[LoopCase, float] | None) -> Iterator[str]:
    """For the files: all collectives together, and each that gains."""
    better = [cell for cell in cells if cell.gain > WORTH]
    if not better:
        yield "expected: no call gains more than 5 %"
        return
    yield (
        f"expected: calls are {gain_of(cells, weights):.2f} times as fast in the geometric mean of {len(cells)} cells "
        f"(collective, ranks, size), {len(better)} of them by more than 5 %"
    )
    for kind in dict.fromkeys(cell.found.case.test for cell in better):
        best = max((cell for cell in better if cell.found.case.test == kind), key=lambda cell: cell.gain)
        how = "simulated" if best.measured_gain is None else "measured"
        case = best.found.case
        size = f", {show_bytes(case.bytes)}" if case.bytes else ""
        yield f"expected: {kind} up to {best.gain:.2f} times as fast ({case.ranks:,} ranks{size}: {best.chosen}), {how}"
