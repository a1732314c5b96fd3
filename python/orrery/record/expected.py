# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that are expected to contain the real time of a prediction, from residuals of earlier predictions.

A residual is the relative difference of a measured time and its prediction, on clusters that were measured and calibrated
in the same hour (`tests/evidence`, from `orrery validate residuals`).

Collectives: locally weighted split conformal prediction. The difficulty of a case is the weighted mean of the absolute
residuals of all known cases, where similar cases weigh more (`Difficulty`). The score of a known case is its absolute residual
over its difficulty, which is computed without the hour of that case. The half-width for a new case is its difficulty times
the score of rank ceil((n + 1) 0.9) among the n known scores.

Programs: split conformal prediction on the residuals relative to the time in MPI.

If the new case and the known ones are exchangeable, the interval contains the real time with a probability of at least 0.9,
whatever the distribution.

Source: Lei, G'Sell, Rinaldo, Tibshirani, Wasserman 2018, doi:10.1080/01621459.2017.1307116, sections 2 and 5.2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import ceil, exp, log2, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from orrery.record.intervals import Interval
from orrery.units import show_bytes

LEVEL = 0.9
"""Probability with which an interval contains the real time."""
_OTHER_COLLECTIVE = 0.1
"""Weight of a case of another collective, relative to one of the same."""
_OTHER_QUALITY = 0.05
"""Weight of a case where one of both calibrations is poor and the other is not: in busy hours errors are larger."""
_FILE = Path(__file__).with_name("residuals.json")


class CallResidual(NamedTuple):
    """Residual of one measured collective."""

    kind: str
    ranks: int
    bytes: int
    residual: float
    """ln(measured over predicted)."""
    poor: bool
    """Whether the platform's calibration is poor."""
    score: float
    """Absolute residual over difficulty."""


class ProgramResidual(NamedTuple):
    """Residual of one run of a program."""

    name: str
    ranks: int
    residual: float
    """(measured - predicted time) / predicted time in MPI. Computation is replayed as recorded, so it adds no error."""


class Difficulty:
    """Weighted mean of absolute residuals of collectives.

    A case weighs 2^-(|log2 of the ratio of sizes| + |log2 of the ratio of ranks|), times `_OTHER_COLLECTIVE` and
    `_OTHER_QUALITY` where these differ. A size of 0 counts as 1 byte.
    """

    def __init__(self, known: Iterable[CallResidual]) -> None:
        self._cells: dict[tuple[str, int, int, bool], tuple[int, float]] = {}
        for one in known:
            cell = (one.kind, one.ranks, one.bytes, one.poor)
            count, total = self._cells.get(cell, (0, 0.0))
            self._cells[cell] = (count + 1, total + abs(one.residual))

    def of(self, kind: str, ranks: int, size: int, *, poor: bool) -> float:
        """The difficulty of a case."""
        weights = weighted = 0.0
        at = log2(max(1, size))
        for (other, others, bytes_, quality), (count, total) in self._cells.items():
            weight = 2.0 ** -(abs(log2(max(1, bytes_)) - at) + abs(log2(others / ranks)))
            weight *= 1.0 if other == kind else _OTHER_COLLECTIVE
            weight *= 1.0 if quality == poor else _OTHER_QUALITY
            weights += weight * count
            weighted += weight * total
        return weighted / weights


@dataclass(frozen=True)
class Residuals:
    """Residuals of collectives and of programs."""

    calls: tuple[CallResidual, ...]
    programs: tuple[ProgramResidual, ...]

    @cached_property
    def difficulty(self) -> Difficulty:
        """The difficulty of collectives by all residuals."""
        return Difficulty(self.calls)

    @cached_property
    def score(self) -> float:
        """The quantile of the scores of collectives."""
        return quantile([one.score for one in self.calls])


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
    return Residuals(tuple(CallResidual(*row) for row in _rows()["collectives"]), evidence_of_programs())


@cache
def evidence_of_programs() -> tuple[ProgramResidual, ...]:
    """Those of programs alone, which every run needs."""
    return tuple(ProgramResidual(*row) for row in _rows()["programs"])


@cache
def _rows() -> dict[str, Any]:
    return dict(json.loads(_FILE.read_text(encoding="utf-8")))


def expected_of_call(
    kind: str,
    ranks: int,
    size: int,
    time_s: float,
    *,
    interval: Interval | None = None,
    calibrated: bool = True,
    poor: bool = False,
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
        poor: whether the platform's calibration is poor.
        residuals: residuals to use, by default those that come with Orrery.
    """
    from_ = residuals or evidence()
    known = from_.calls
    most = max(one.ranks for one in known)
    beyond = _beyond(ranks, most, calibrated=calibrated)
    if not any(one.kind == kind for one in known):
        beyond.append(f"no {kind} was measured: that of all collectives of this size counts")
    if size > (largest := max(one.bytes for one in known)):
        beyond.append(f"more than {show_bytes(largest)} was not measured: that of the largest sizes counts")
    reach = _reach(from_, kind, ranks, size, poor=poor)
    return _expected(time_s * exp(-reach), time_s * exp(reach), interval, len(known), beyond)


def reach_of_ratio(
    kind: str, ranks: int, size: int, *, poor: bool = False, residuals: Residuals | None = None
) -> float:
    """Half-width of the interval of 90 % of ln(ratio), for the ratio of the times of two algorithms for one call.

    Residuals of two collectives of one hour, size and number of ranks are as far apart as if they were independent: the
    half-width is sqrt(2) times that of one call. Arguments are those of `expected_of_call`.
    """
    return sqrt(2) * _reach(residuals or evidence(), kind, ranks, size, poor=poor)


def _reach(from_: Residuals, kind: str, ranks: int, size: int, *, poor: bool) -> float:
    """Half-width of the interval of ln(real over predicted time) of one call; beyond the evidence that of its limits, or wider."""
    most, largest = max(one.ranks for one in from_.calls), max(one.bytes for one in from_.calls)
    difficulty = from_.difficulty.of(kind, min(ranks, most), min(size, largest), poor=poor)
    return from_.score * difficulty * _wider(ranks, most)


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
    known = evidence_of_programs()
    most = max(one.ranks for one in known)
    beyond = _beyond(ranks, most, calibrated=calibrated)
    reach = quantile([abs(one.residual) for one in known]) * _wider(ranks, most) * mpi_s
    return _expected(max(time_s - reach, time_s - mpi_s), time_s + reach, interval, len(known), beyond)


def quantile(residuals: Sequence[float], level: float = LEVEL) -> float:
    """The residual of rank ceil((n + 1) level). Requires n >= level / (1 - level), which is 9 for 0.9."""
    return sorted(residuals)[ceil((len(residuals) + 1) * level) - 1]


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
