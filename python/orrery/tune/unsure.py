# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms are worth a measurement: those that may be quicker than what would be chosen without it.

The logarithm of a real time is taken as normal around that of the simulated one. Its spread s comes from the residuals of measured
collectives (`orrery.record.expected`), whose intervals hold 9 of 10 times. Of two algorithms of one call the difference has the
spread d = sqrt(2) s. With m, the mean of ln(time of the choice / time of the other one), a measurement of both is worth

    d (phi(m / d) - |m| / d  Phi(-|m| / d))

in ln of time (phi, Phi: density and distribution of the normal law): what choosing after it gains over choosing before. Measurements
are made in the order of that worth until a share of all that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

from orrery.record.expected import LEVEL, expected_of_call
from orrery.tune.library import Variant
from orrery.tune.measuring import Wanted
from orrery.tune.rounds import Rounds
from orrery.tune.search import Found, Loop

SHARE = 0.1
"""Of the measurements of an exhaustive search."""
_NORMAL = NormalDist()
_QUANTILE = _NORMAL.inv_cdf((1 + LEVEL) / 2)
"""Half of an expected interval, in spreads."""
_LEAST_WORTH = 0.005
"""Half a per cent of a call's time: less is not measured."""


@dataclass(frozen=True)
class Knowledge:
    """What is known before a batch of measurements."""

    measured: Mapping[Loop, Rounds]
    calibrated: bool
    """Whether the platform was."""
    poor: bool
    """Whether its calibration is poor."""


def exhaustive(found: Iterable[Found]) -> int:
    """Loops that a search without a model would measure: of each cell all algorithms, and the library's own choice."""
    return sum(len({cell.default, *cell.variants}) for cell in found)


def batch(found: Iterable[Found], known: Knowledge, limit: int) -> list[Wanted]:
    """What to measure next, the most worth first; at most `limit` loops."""
    options = sorted(
        (option for cell in found for option in _options(cell, known)),
        key=lambda one: (-one.worth, one.cell.case, one.variant.ours),
    )
    wanted: dict[Loop, Wanted] = {}
    for one in options:
        loops = {
            Loop(*one.cell.case, name): Wanted(case=one.cell.case, variant=variant)
            for name, variant in ((one.cell.default, None), (one.variant.ours, one.variant))
        }
        new = {loop: loops[loop] for loop in loops if loop not in known.measured and loop not in wanted}
        if len(wanted) + len(new) <= limit:
            wanted |= new
    return list(wanted.values())


@dataclass(frozen=True)
class _Option:
    cell: Found
    variant: Variant
    worth: float


def _options(cell: Found, known: Knowledge) -> list[_Option]:
    """Algorithms of a cell that were not measured, with what that is worth. Of those that send the same, which take the same time in
    simulation to the last bit, one.
    """
    spread = _spread(cell, known)
    own_s, shift = _own(cell, known)
    candidates = {
        name: (_log(cell, name, known, shift), known.measured.get(Loop(*cell.case, name)) is not None)
        for name in cell.variants
        if name != cell.default
    }
    best = min([log(own_s), *(value for value, sure in candidates.values() if sure)])
    found = []
    alike = {cell.times[name] for name, (_, sure) in candidates.items() if sure} | {cell.default_s}
    for name, (value, sure) in candidates.items():
        if sure or cell.times[name] in alike:
            continue
        alike.add(cell.times[name])
        worth = _worth(best - value, spread)
        if worth > _LEAST_WORTH:
            found.append(_Option(cell, cell.variants[name], worth))
    return found


def _own(cell: Found, known: Knowledge) -> tuple[float, float]:
    """Seconds of the library's own choice; and by how much the model is off there, in ln of time, as far as that is known."""
    timed = known.measured.get(Loop(*cell.case, cell.default))
    if timed is None:
        return cell.default_s, 0.0
    return timed.median_s, log(timed.median_s / cell.default_s)


def _log(cell: Found, name: str, known: Knowledge, shift: float) -> float:
    timed = known.measured.get(Loop(*cell.case, name))
    return log(timed.median_s) if timed is not None else log(cell.times[name]) + shift


def _spread(cell: Found, known: Knowledge) -> float:
    """Of the difference of two algorithms, in ln of time."""
    case = cell.case
    expected = expected_of_call(
        case.test, case.ranks, case.bytes, cell.default_s, calibrated=known.calibrated, poor=known.poor
    )
    return sqrt(2) * log(expected.high_s / cell.default_s) / _QUANTILE


def _worth(mean: float, spread: float) -> float:
    """Of knowing which one is quicker."""
    z = abs(mean) / spread
    return spread * (_NORMAL.pdf(z) - z * _NORMAL.cdf(-z))
