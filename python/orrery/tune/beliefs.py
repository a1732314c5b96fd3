# SPDX-License-Identifier: BSD-3-Clause
"""What is known of the real time of each algorithm in each cell: the simulated time, corrected by what was measured.

The logarithm of a real time is taken as normal around that of the simulated one (a Gaussian process). Its spread comes from the
residuals of measured collectives (`orrery.evidence.expectation`), whose intervals of ratios hold 9 of 10. Errors of two loops of one
algorithm go together:

    cov(i, j) = s_i s_j (alike 2^-d [same algorithm] + (1 - alike) [same loop])
    d = |log2 of the ratio of sizes| / sizes + |log2 of the ratio of ranks| / ranks

So a time that was measured corrects those of the same algorithm at other sizes and numbers of ranks, and with other parameters. Two
algorithms that send the same messages take the same time in simulation, to the last bit. In reality they may not, as one waits for messages in
another order, or in another way. Where the values of `ErrorCorrelation` come from: `docs/design/tuning.md`.

Source: Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, log2, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from orrery.benchmark.cases import LoopCase
from orrery.evidence.expectation import reach_of_ratio
from orrery.evidence.residuals import LEVEL
from orrery.evidence.statement import Statement
from orrery.noise.student import error_of_mean
from orrery.tune.rounds import Rounds
from orrery.tune.search import CellTimes, Loop

_Array = NDArray[np.float64]

_LEAST_S = 1e-12
"""So that calls of one rank have a logarithm."""
_LEAST_NOISE = 0.02
"""Relative noise of a measured time, at least."""
_QUANTILE = NormalDist().inv_cdf((1 + LEVEL) / 2)
"""Half of an expected interval, in spreads."""


@dataclass(frozen=True, kw_only=True)
class ErrorCorrelation:
    """How errors of the simulation go together."""

    alike: float = 0.6
    """Share of the variance that an algorithm has in common at all sizes and numbers of ranks, and with all parameters. The rest is that
    of one loop alone."""
    sizes: float = 6.0
    """Doublings of the size over which what errors have in common is halved."""
    ranks: float = 2.0
    """Doublings of the number of ranks over which it is halved."""
    other_choices: float = 2.0
    """The residuals are of libraries' own choices. Errors of all algorithms spread so many times as far."""


@dataclass(frozen=True)
class Knowledge:
    """What was measured, and how far the platform can be trusted."""

    measured: Mapping[Loop, Rounds]
    statement: Statement | None
    """What the platform's calibration says of its uncertainty; None: it was written by hand."""


@dataclass(frozen=True)
class CellBelief:
    """One cell: of each algorithm the mean of ln(seconds), and the covariances of two of them."""

    rows: Mapping[str, int]
    """Place of each algorithm, as `--coll` has it, in `means` and `covariances`."""
    means: _Array
    covariances: _Array
    sure: frozenset[int]
    """Those that were measured."""

    def mean(self, name: str) -> float:
        """Mean of ln(seconds)."""
        return float(self.means[self.rows[name]])

    def spread(self, name: str, other: str) -> float:
        """Standard deviation of the ratio's logarithm; 0 where both were measured."""
        first, second = self.rows[name], self.rows[other]
        both = {first, second}
        variance = (
            self.covariances[first, first] + self.covariances[second, second] - 2 * self.covariances[first, second]
        )
        return 0.0 if both <= self.sure else sqrt(max(float(variance), 0.0))

    def is_sure(self, name: str) -> bool:
        """Whether it was measured."""
        return self.rows[name] in self.sure


@dataclass(frozen=True)
class _LoopArrays:
    """Loops of some cells, a row each."""

    times: _Array
    """ln of simulated seconds."""
    spreads: _Array
    kinds: NDArray[np.int64]
    families: NDArray[np.int64]
    """Numbers of collectives, and of an algorithm without its parameters."""
    sizes: _Array
    ranks: _Array
    """log2."""
    rows: NDArray[np.int64]
    """Numbers of the loops."""

    def take(self, some: Sequence[int]) -> _LoopArrays:
        """These rows."""
        return _LoopArrays(*(getattr(self, name)[list(some)] for name in self.__dataclass_fields__))

    def covariances(self, other: _LoopArrays, errors: ErrorCorrelation) -> _Array:
        """Before anything was measured; shape (rows, rows of the other)."""
        far = np.abs(self.sizes[:, None] - other.sizes) / errors.sizes
        far += np.abs(self.ranks[:, None] - other.ranks) / errors.ranks
        alike = (self.kinds[:, None] == other.kinds) & (self.families[:, None] == other.families)
        same = self.rows[:, None] == other.rows
        shares = errors.alike * alike * 2.0**-far + (1 - errors.alike) * same
        return np.asarray(np.outer(self.spreads, other.spreads) * shares, dtype=np.float64)


class Beliefs:
    """What is believed of the times of all cells."""

    def __init__(self, found: Sequence[CellTimes], known: Knowledge, errors: ErrorCorrelation | None = None) -> None:
        """Takes memory for (loops measured)^2 numbers."""
        self.known = known
        self._errors = errors or ErrorCorrelation()
        self._rows: dict[LoopCase, dict[str, int]] = {}
        columns: list[tuple[float, float, int, int, float, float]] = []
        kinds: dict[str, int] = {}
        families: dict[str, int] = {}
        for cell in found:
            spread = self._spread(cell)
            kind = kinds.setdefault(cell.case.test, len(kinds))
            self._rows[cell.case] = {}
            for name, found_s in cell.times.items():
                time_s = max(found_s, _LEAST_S)
                self._rows[cell.case][name] = len(columns)
                columns.append(
                    (
                        log(time_s),
                        spread * (1 + cell.barrier_s / time_s),
                        kind,
                        families.setdefault(name.split(":")[0], len(families)),
                        log2(max(1, cell.case.bytes)),
                        log2(cell.case.ranks),
                    )
                )
        table = np.array(columns, dtype=np.float64).reshape(-1, 6)
        kind_of, family_of = table[:, [2, 3]].astype(np.int64).T
        rows_of = np.arange(len(columns), dtype=np.int64)
        self._loops = _LoopArrays(table[:, 0], table[:, 1], kind_of, family_of, table[:, 4], table[:, 5], rows_of)
        self._believed: dict[LoopCase, CellBelief] = {}

    def of(self, cell: CellTimes) -> CellBelief:
        """What is known of a cell, which is one of those found."""
        if cell.case not in self._believed:
            self._believed[cell.case] = self._of(self._rows[cell.case])
        return self._believed[cell.case]

    def rounds(self, cell: CellTimes, name: str) -> Rounds | None:
        """What was measured of an algorithm."""
        return self.known.measured.get(Loop(*cell.case, name))

    def log_likelihood(self) -> float:
        """Mean log-likelihood of what was measured, per loop: the higher, the better the errors are described."""
        rows = list(self._measured)
        loops = self._loops.take(rows)
        off = np.array([_log(rounds) for rounds in self._measured.values()]) - loops.times
        noise = np.diag([_noise(rounds) ** 2 for rounds in self._measured.values()])
        covariances = loops.covariances(loops, self._errors) + noise
        size = np.linalg.slogdet(2 * np.pi * covariances)[1]
        return float(-(off @ np.linalg.solve(covariances, off) + size) / 2 / len(rows))

    def _spread(self, cell: CellTimes) -> float:
        """Spread of the error of a turn of the loop, in ln of time."""
        case = cell.case
        statement = self.known.statement
        reach = reach_of_ratio(case.test, case.ranks, case.bytes, statement=statement) / sqrt(2)
        # Ratios on platforms that were written by hand are of all algorithms already.
        return (1.0 if statement is None else self._errors.other_choices) * reach / _QUANTILE

    @cached_property
    def _measured(self) -> dict[int, Rounds]:
        """By row."""
        return {
            row: rounds
            for case, rows in self._rows.items()
            for name, row in rows.items()
            if (rounds := self.known.measured.get(Loop(*case, name))) is not None
        }

    @cached_property
    def _learned(self) -> tuple[_LoopArrays, _Array, _Array]:
        """Loops that were measured, the inverse of their covariances, and that times what the simulation is off."""
        rows = list(self._measured)
        loops = self._loops.take(rows)
        noise = np.diag([_noise(rounds) ** 2 for rounds in self._measured.values()])
        inverse = np.asarray(np.linalg.inv(loops.covariances(loops, self._errors) + noise), dtype=np.float64)
        off = np.array([_log(rounds) for rounds in self._measured.values()]) - loops.times
        return loops, inverse, inverse @ off

    def _of(self, rows: Mapping[str, int]) -> CellBelief:
        loops = self._loops.take(list(rows.values()))
        means, covariances = loops.times.copy(), loops.covariances(loops, self._errors)
        if self._measured:
            learned, inverse, off = self._learned
            between = loops.covariances(learned, self._errors)
            means += between @ off
            covariances -= between @ inverse @ between.T
        sure = {place: rounds for place, row in enumerate(rows.values()) if (rounds := self._measured.get(row))}
        for place, rounds in sure.items():
            means[place] = _log(rounds)
        return CellBelief({name: place for place, name in enumerate(rows)}, means, covariances, frozenset(sure))


def _log(rounds: Rounds) -> float:
    """Logarithm of the median of seconds."""
    return log(max(rounds.median_s, _LEAST_S))


def _noise(rounds: Rounds) -> float:
    """Relative noise of a median of rounds, about."""
    logs = [log(max(time_s, _LEAST_S)) for time_s in rounds.times.values()]
    return max(_LEAST_NOISE, error_of_mean(logs))
