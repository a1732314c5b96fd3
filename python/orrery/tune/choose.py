# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm a cell is to have: another one than the library's only where that is worth more than noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orrery.benchmark.cases import Case
from orrery.tune.compress import compress
from orrery.tune.library import Variant
from orrery.tune.rounds import Rounds
from orrery.tune.rules import Row
from orrery.tune.search import Found, Loop

_NO_GAIN = 1.001
LEAST_GAIN = 0.05
"""Share of a call's time that is not noise: less keeps the library's own choice."""


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """How rules are made of times."""

    least_gain: float = LEAST_GAIN
    weights: Mapping[Case, float] | None = None
    """Of cells; None: all count alike."""
    measured: Mapping[Loop, Rounds] = field(default_factory=dict)
    """On the real library: these times count where a cell has that of the library's own choice, and simulated ones do not."""

    own_only: frozenset[Case] = frozenset()
    """Cells that are left to the library."""

    def time_s(self, cell: Found, variant: Variant | None) -> float | None:
        """Seconds of a call; None: not known, or not to be chosen.

        A cell that was measured knows only what was measured. What gains less than the least gain, or is not quicker in every round,
        counts as a little slower than the library's own choice.
        """
        own = self._measured(cell, cell.default)
        default_s = cell.default_s if own is None else own.median_s
        if variant is None or cell.case in self.own_only:
            return default_s if variant is None else None
        if own is None:
            found_s = cell.times[variant.ours]
            return found_s if self._counts(found_s, default_s) else max(found_s, default_s * _NO_GAIN)
        found = self._measured(cell, variant.ours)
        if found is None:
            return None
        counts = found.quicker_than(own) and self._counts(found.median_s, default_s)
        return found.median_s if counts else max(found.median_s, default_s * _NO_GAIN)

    def _counts(self, found_s: float, default_s: float) -> bool:
        return found_s * (1 + self.least_gain) <= default_s

    def _measured(self, cell: Found, name: str) -> Rounds | None:
        return self.measured.get(Loop(*cell.case, name))


def rules_of(found: Iterable[Found], choosing: Choosing) -> tuple[Row, ...]:
    """Few rules. Collectives and numbers of ranks for which the library's own choices are right have none."""
    return compress(found, choosing.time_s, weights=choosing.weights)
