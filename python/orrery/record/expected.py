# SPDX-License-Identifier: BSD-3-Clause
"""Where real times lie beside predicted ones: intervals from residuals of committed evidence.

A residual is how far a real time was from its prediction, on clusters that were measured and calibrated in the same hour
(`tests/evidence`, gathered by `orrery validate residuals`). For a new prediction those of its class count: the same collective
and a similar size. The interval reaches so far to both sides that 9 of 10 of them lie inside, by the rule of split
conformal prediction: of n residuals the one of rank ceil((n + 1) 0.9). If the new case is like those of its class, in any
order as likely, its real time is inside with a probability of at least 0.9, whatever the distribution.

Source: Lei, G'Sell, Rinaldo, Tibshirani, Wasserman 2018, doi:10.1080/01621459.2017.1307116, section 2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil, exp, log2
from pathlib import Path
from typing import NamedTuple

from orrery.record.intervals import Interval
from orrery.units import show_bytes

LEVEL = 0.9
"""Share of real times that the intervals are made for."""
_SIZES = (256, 4096, 65536)
"""Largest sizes of the classes of messages: what processors bound, what one frame or a few hold, eager, large."""
_ENOUGH = 29
"""Residuals that a class has at least: with fewer, one or two of them would decide."""
_FILE = Path(__file__).with_name("residuals.json")


class CallResidual(NamedTuple):
    """Of one measured collective."""

    kind: str
    ranks: int
    bytes: int
    residual: float
    """ln(measured over predicted)."""


class ProgramResidual(NamedTuple):
    """Of one run of a program."""

    name: str
    ranks: int
    residual: float
    """Measured less predicted time, over the predicted time in MPI: computation is replayed as it was."""


@dataclass(frozen=True)
class Residuals:
    """All of the evidence."""

    calls: tuple[CallResidual, ...]
    programs: tuple[ProgramResidual, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Where the real time is expected, in seconds."""

    low_s: float
    high_s: float
    level: float
    """Probability that the real time lies inside, for a case like those of the evidence."""
    cases: int
    """Residuals that it rests on."""
    beyond: list[str] = field(default_factory=list)
    """What the evidence does not cover, and what was done about it."""


@cache
def evidence() -> Residuals:
    """The residuals that come with Orrery."""
    found = json.loads(_FILE.read_text(encoding="utf-8"))
    return Residuals(
        tuple(CallResidual(*row) for row in found["collectives"]),
        tuple(ProgramResidual(*row) for row in found["programs"]),
    )


def expected_of_call(
    kind: str,
    ranks: int,
    size: int,
    time_s: float,
    *,
    interval: Interval | None = None,
    calibrated: bool = True,
    residuals: Residuals | None = None,
) -> Expected:
    """Of one collective call.

    Args:
        kind: the collective, such as `bcast`.
        ranks: that take part.
        size: bytes, as `orrery collective` explains it.
        time_s: predicted; of replicas their median.
        interval: of these replicas; the result has it inside.
        calibrated: whether the platform's values were measured by `orrery calibrate`.
        residuals: what it rests on; by default what comes with Orrery.
    """
    known = (residuals or evidence()).calls
    beyond = _beyond(ranks, max(one.ranks for one in known), calibrated=calibrated)
    if not any(one.kind == kind for one in known):
        beyond.append(f"no {kind} was measured: that of all collectives of this size counts")
    if size > (largest := max(one.bytes for one in known)):
        beyond.append(f"more than {show_bytes(largest)} was not measured: that of the largest sizes counts")
    alike = _of_class(known, kind, size)
    reach = quantile(alike) * _wider(ranks, max(one.ranks for one in known))
    return _expected(time_s * exp(-reach), time_s * exp(reach), interval, len(alike), beyond)


def expected_of_program(
    ranks: int, time_s: float, mpi_s: float, *, interval: Interval | None = None, calibrated: bool = True
) -> Expected:
    """Of one run of a program.

    Args:
        ranks: of the program.
        time_s: predicted; of replicas their median.
        mpi_s: predicted time in MPI, mean over the ranks: what of the time is a prediction.
        interval: of these replicas; the result has it inside.
        calibrated: whether the platform's values were measured by `orrery calibrate`.
    """
    known = evidence().programs
    most = max(one.ranks for one in known)
    beyond = _beyond(ranks, most, calibrated=calibrated)
    reach = quantile([abs(one.residual) for one in known]) * _wider(ranks, most) * mpi_s
    return _expected(max(time_s - reach, time_s - mpi_s), time_s + reach, interval, len(known), beyond)


def quantile(residuals: Sequence[float], level: float = LEVEL) -> float:
    """The residual of rank ceil((n + 1) level), of at least level / (1 - level) of them: 9 for 0.9."""
    return sorted(residuals)[ceil((len(residuals) + 1) * level) - 1]


def _of_class(known: Sequence[CallResidual], kind: str, size: int) -> list[float]:
    """Absolute residuals of the collective and its class of sizes; where these are few, of the class; of all, if need be."""
    alike = [one for one in known if _class_of(one.bytes) == _class_of(size)]
    for found in ([one for one in alike if one.kind == kind], alike):
        if len(found) >= _ENOUGH:
            return [abs(one.residual) for one in found]
    return [abs(one.residual) for one in known]


def _class_of(size: int) -> int:
    return sum(size > bound for bound in _SIZES)


def _wider(ranks: int, most: int) -> float:
    """Beyond the evidence, by the rounds of a collective, which are log2 of the ranks: as if each had the same error."""
    return max(1.0, log2(max(2, ranks)) / log2(most))


def _beyond(ranks: int, most: int, *, calibrated: bool) -> list[str]:
    out = []
    if ranks > most:
        out.append(f"{ranks:,} ranks, where at most {most} were measured: wider by the ratio of their logarithms")
    if not calibrated:
        out.append("the platform was not calibrated: its own values may be further off")
    return out


def _expected(low_s: float, high_s: float, interval: Interval | None, cases: int, beyond: list[str]) -> Expected:
    if interval is not None:
        low_s, high_s = min(low_s, interval.low_s), max(high_s, interval.high_s)
    return Expected(low_s=low_s, high_s=high_s, level=LEVEL, cases=cases, beyond=beyond)
