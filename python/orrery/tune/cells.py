# SPDX-License-Identifier: BSD-3-Clause
"""What rules make of each cell, and what that gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from orrery.benchmark.cases import LoopCase
from orrery.published import published
from orrery.units import show_bytes

_WORTH = 1.05
"""A gain that is worth a sentence, which says 5 %."""


@dataclass(frozen=True)
class CellName:
    """A collective on some number of ranks, of one size."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective -s` has them."""

    @property
    def case(self) -> LoopCase:
        """Its loop."""
        return LoopCase(self.collective, self.ranks, self.bytes)


@dataclass(frozen=True, kw_only=True)
class TunedCell(CellName):
    """A collective on some number of ranks, of one size. Times are of one call, in seconds."""

    default: str
    """What the library chooses itself, as `--coll` has it."""
    chosen: str
    """What the rules choose; the same where they leave the call to the library."""
    default_s: float
    """Simulated."""
    chosen_s: float
    best: str
    """The quickest in simulation of those that settings can name."""
    best_s: float
    measured_default_s: float | None
    """On the real library; None: not measured."""
    measured_chosen_s: float | None

    @property
    def measured_gain(self) -> float | None:
        """How many times as long the library's own choice takes, measured; None: not both were."""
        own_s, chosen_s = self.measured_default_s, self.measured_chosen_s
        return None if own_s is None or chosen_s is None else own_s / chosen_s

    @property
    @published
    def gain(self) -> float:
        """How many times as long the library's own choice takes: measured where both were, else simulated."""
        return self.measured_gain or self.default_s / self.chosen_s

    @property
    def pays(self) -> bool:
        """Whether the gain is worth a sentence."""
        return self.gain > _WORTH


def mean_of(
    cells: Sequence[TunedCell], value: Callable[[TunedCell], float], weights: Mapping[LoopCase, float] | None
) -> float:
    """Weighted mean of a value of all cells, of which there is one at least; without weights all count alike."""
    return fmean(map(value, cells), [1.0 if weights is None else weights[cell.case] for cell in cells])


def gain_of(cells: Sequence[TunedCell], weights: Mapping[LoopCase, float] | None) -> float:
    """Geometric mean of the gains, weighted."""
    return exp(mean_of(cells, lambda cell: log(cell.gain), weights)) if cells else 1.0


def sentences(cells: Sequence[TunedCell], weights: Mapping[LoopCase, float] | None) -> Iterator[str]:
    """For the files: all collectives together, and each that gains."""
    better = [cell for cell in cells if cell.pays]
    if not better:
        yield "expected: no call gains more than 5 %"
        return
    yield (
        f"expected: calls are {gain_of(cells, weights):.2f} times as fast in the geometric mean of {len(cells)} cells "
        f"(collective, ranks, size), {len(better)} of them by more than 5 %"
    )
    for kind in dict.fromkeys(cell.collective for cell in better):
        best = max((cell for cell in better if cell.collective == kind), key=lambda cell: cell.gain)
        how = "simulated" if best.measured_gain is None else "measured"
        size = f", {show_bytes(best.bytes)}" if best.bytes else ""
        yield f"expected: {kind} up to {best.gain:.2f} times as fast ({best.ranks:,} ranks{size}: {best.chosen}), {how}"
