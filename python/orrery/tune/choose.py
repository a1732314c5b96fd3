# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm a cell is to have: another one than the library's only where that is worth more than noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from orrery.benchmark.cases import LoopCase
from orrery.tune.beliefs import Beliefs
from orrery.tune.compress import Own, compress
from orrery.tune.library import AlgorithmVariant
from orrery.tune.rules import RuleRow
from orrery.tune.search import CellTimes
from orrery.tune.settings import LEAST_GAIN

_NO_GAIN = 1.001
_WORSE = 0.05
"""Share of a call's time that a rule may lose where it is not as good as expected."""
RISK = 1.0
"""In spreads: a rule that was not measured may lose so much only if it is off by more than this."""


@dataclass(frozen=True, kw_only=True)
class ChoiceCriteria:
    """How rules are made of times."""

    beliefs: Beliefs
    least_gain: float = LEAST_GAIN
    risk: float = RISK
    weights: Mapping[LoopCase, float] | None = None
    """Weights of cells; None: all count alike."""

    own_only: frozenset[LoopCase] = frozenset()
    """Cells that are left to the library."""
    between: frozenset[int] = frozenset()
    """Numbers of ranks that stand for those between their neighbours."""

    def time_s(self, cell: CellTimes, variant: AlgorithmVariant | None) -> float | None:
        """Seconds of a call, as far as they are known; None: not to be chosen.

        What does not `count` is a little slower than the library's own choice, or as slow as it is if both are off by one spread.
        """
        believed = self.beliefs.of(cell)
        default_s = exp(believed.mean(cell.default))
        if variant is None or cell.case in self.own_only:
            return default_s if variant is None else None
        found_s = exp(believed.mean(variant.ours))
        if self.counts(cell, variant.ours):
            return found_s
        off = self.risk * believed.spread(cell.default, variant.ours) if self.beliefs.known.measured else 0.0
        return max(found_s * exp(off), default_s * _NO_GAIN)

    def counts(self, cell: CellTimes, name: str) -> bool:
        """Whether an algorithm gains more than noise.

        One that was measured, as was the library's own choice, is quicker in every round. Otherwise, where anything was measured at all, it is
        not much slower than the library's own choice even if both are off by one spread. Without any measurement the simulated gain decides.
        """
        believed = self.beliefs.of(cell)
        gain = believed.mean(cell.default) - believed.mean(name)
        if gain < log(1 + self.least_gain):
            return False
        if believed.is_sure(name) and believed.is_sure(cell.default):
            own, found = (self.beliefs.rounds(cell, algorithm) for algorithm in (cell.default, name))
            return own is not None and found is not None and found.quicker_than(own)
        if not self.beliefs.known.measured:
            return True
        return gain >= self.risk * believed.spread(cell.default, name) - log(1 + _WORSE)

    def best(self, cell: CellTimes) -> str:
        """What is chosen if the cell alone counts, as `--coll` has it."""
        believed = self.beliefs.of(cell)
        names = [name for name in cell.variants if name != cell.default and self.counts(cell, name)]
        return min(names, key=believed.mean, default=cell.default)


def rules_of(found: Sequence[CellTimes], choosing: ChoiceCriteria, own: Own | None = None) -> tuple[RuleRow, ...]:
    """Few rules. Collectives and numbers of ranks for which the library's own choices are right have none.

    Args:
        found: the cells.
        choosing: what is known of them.
        own: the library's own choice of any call; None: rules end half-way between two sizes.
    """
    return compress(found, choosing.time_s, weights=choosing.weights, between=choosing.between, own=own)
