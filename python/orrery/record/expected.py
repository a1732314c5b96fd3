# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that are expected to contain the real time of a prediction, from residuals of earlier predictions.

A residual is the relative difference of a measured time and its prediction, on clusters that were measured and calibrated
in the same hour (`tests/evidence`, from `orrery validate residuals`). A new prediction uses the residuals of its class:
the same collective and a similar size. The half-width of its interval is a quantile of their absolute values, by split
conformal prediction: of n residuals the one of rank ceil((n + 1) 0.9). If the new case and those of its class are
exchangeable, the interval contains the real time with a probability of at least 0.9, whatever the distribution.

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
"""Probability with which an interval contains the real time."""
_SIZES = (256, 4096, 65536)
"""Upper bounds in bytes of the classes of message sizes: bound by processors, one frame or a few, eager; above: large."""
_ENOUGH = 29
"""Fewest residuals of a class: with fewer, one or two of them would determine the quantile."""
_FILE = Path(__file__).with_name("residuals.json")


class CallResidual(NamedTuple):
    """Residual of one measured collective."""

    kind: str
    ranks: int
    bytes: int
    residual: float
    """ln(measured over predicted)."""


class ProgramResidual(NamedTuple):
    """Residual of one run of a program."""

    name: str
    ranks: int
    residual: float
    """(measured - predicted time) / predicted time in MPI. Computation is replayed as recorded, so it adds no error."""


@dataclass(frozen=True)
class Residuals:
    """Residuals of collectives and of programs."""

    calls: tuple[CallResidual, ...]
    programs: tuple[ProgramResidual, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Interval that is expected to contain the real time, in seconds."""

    low_s: float
    high_s: float
    level: float
    """Probability that the interval contains the real time, for a case like those of the residuals."""
    cases: int
    """Number of residuals that were used."""
    beyond: list[str] = field(default_factory=list)
    """In what the case is outside of the range of the residuals, and how the interval accounts for it."""


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
    """Expected interval of one collective call.

    Args:
        kind: the collective, such as `bcast`.
        ranks: number of participating ranks.
        size: bytes, in the sense of the collective (see `orrery collective --help`).
        time_s: predicted time; the median if there are replicas.
        interval: that of the replicas; the result encloses it.
        calibrated: whether the platform's values were measured by `orrery calibrate`.
        residuals: residuals to use, by default those that come with Orrery.
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
    """Expected interval of one run of a program.

    Args:
        ranks: number of ranks of the program.
        time_s: predicted time; the median if there are replicas.
        mpi_s: predicted time in MPI, mean over ranks. Only this part of the time is subject to the model's error.
        interval: that of the replicas; the result encloses it.
        calibrated: whether the platform's values were measured by `orrery calibrate`.
    """
    known = evidence().programs
    most = max(one.ranks for one in known)
    beyond = _beyond(ranks, most, calibrated=calibrated)
    reach = quantile([abs(one.residual) for one in known]) * _wider(ranks, most) * mpi_s
    return _expected(max(time_s - reach, time_s - mpi_s), time_s + reach, interval, len(known), beyond)


def quantile(residuals: Sequence[float], level: float = LEVEL) -> float:
    """The residual of rank ceil((n + 1) level). Requires n >= level / (1 - level), which is 9 for 0.9."""
    return sorted(residuals)[ceil((len(residuals) + 1) * level) - 1]


def _of_class(known: Sequence[CallResidual], kind: str, size: int) -> list[float]:
    """Absolute residuals of the collective in its class of sizes. If these are too few: of the class; then: all."""
    alike = [one for one in known if _class_of(one.bytes) == _class_of(size)]
    for found in ([one for one in alike if one.kind == kind], alike):
        if len(found) >= _ENOUGH:
            return [abs(one.residual) for one in found]
    return [abs(one.residual) for one in known]


def _class_of(size: int) -> int:
    return sum(size > bound for bound in _SIZES)


def _wider(ranks: int, most: int) -> float:
    """Factor on the half-width for more ranks than were measured: the ratio of log2 of both.

    A collective has about log2(ranks) rounds, and each is assumed to have the same error.
    """
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
