# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms are worth a measurement: those whose time may change what is chosen.

With m, the mean of ln(time of one / time of the other one), and d, its spread (`orrery.tune.beliefs`), knowing which of two algorithms is
quicker gains

    d (phi(m / d) - m / d  Phi(-m / d))

in ln of time over taking the other one (phi, Phi: density and distribution of the normal law). For an algorithm that is not chosen the other
one is the choice. It may be negative: an algorithm is expected to be quicker, and is too uncertain to be chosen without a
measurement. The choice itself is compared with the best of the others, which takes its place if it disappoints. Measurements are
made in the order of what they gain until a share of all that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

from orrery.tune.beliefs import CellBelief
from orrery.tune.choose import ChoiceCriteria
from orrery.tune.library import AlgorithmVariant
from orrery.tune.measuring import PendingLoop
from orrery.tune.search import CellTimes, Loop

_NORMAL = NormalDist()
_LEAST_WORTH = 0.002
"""Share of a call's time, for each loop: what is worth less is not measured."""


def exhaustive(found: Iterable[CellTimes]) -> int:
    """Loops that a search without a model would measure: of each cell all algorithms, and the library's own choice."""
    return sum(len({cell.default, *cell.variants}) for cell in found)


def batch(found: Iterable[CellTimes], choosing: ChoiceCriteria, limit: int) -> list[PendingLoop]:
    """What to measure next, the most worth first; at most `limit` loops."""
    known = choosing.beliefs.known.measured
    options = sorted(
        (option for cell in found for option in _options(cell, choosing)),
        key=lambda option: (-option.worth, option.cell.case, "" if option.variant is None else option.variant.ours),
    )
    wanted: dict[Loop, PendingLoop] = {}
    for option in options:
        loops = _loops(option.cell, option.variant)
        new = {loop: loops[loop] for loop in loops if loop not in known and loop not in wanted}
        if len(wanted) + len(new) <= limit:
            wanted |= new
    return list(wanted.values())


@dataclass(frozen=True)
class _Option:
    cell: CellTimes
    variant: AlgorithmVariant | None
    """None: the library's own choice."""
    worth: float
    """For each loop that is needed."""


def _loops(cell: CellTimes, variant: AlgorithmVariant | None) -> Mapping[Loop, PendingLoop]:
    """Loops of the library's own choice, and of the algorithm."""
    pairs = [(cell.default, None), *([] if variant is None else [(variant.ours, variant)])]
    return {Loop(*cell.case, name): PendingLoop(case=cell.case, variant=algorithm) for name, algorithm in pairs}


def _options(cell: CellTimes, choosing: ChoiceCriteria) -> Iterable[_Option]:
    """Algorithms of a cell that were not measured, with what that is worth; of those that send the same, one at a time."""
    believed = choosing.beliefs.of(cell)
    choice = choosing.best(cell)
    weight = 1.0 if choosing.weights is None else choosing.weights.get(cell.case, 0.0)
    known = choosing.beliefs.known.measured
    best: dict[float, _Option] = {}
    for name, variant in [(cell.default, None), *((name, cell.variants[name]) for name in cell.variants)]:
        other = choice if choice != name else _second(believed, name)
        if believed.is_sure(name) or other is None:
            continue
        new = sum(loop not in known for loop in _loops(cell, variant))
        mean = believed.mean(name) - believed.mean(other)
        worth = _worth(mean if other == choice else abs(mean), believed.spread(name, other)) * weight / new
        same = best.get(cell.times[name])
        if worth > _LEAST_WORTH and (same is None or worth > same.worth):
            best[cell.times[name]] = _Option(cell, variant, worth)
    return best.values()


def _second(believed: CellBelief, name: str) -> str | None:
    """The quickest of the others; None: there is none."""
    return min((other for other in believed.rows if other != name), key=believed.mean, default=None)


def _worth(mean: float, spread: float) -> float:
    """Worth of knowing which one is quicker, over taking the one that is expected to be quicker by `mean`."""
    if spread == 0:
        return max(0.0, -mean)
    z = mean / spread
    return spread * (_NORMAL.pdf(z) - z * _NORMAL.cdf(-z))
