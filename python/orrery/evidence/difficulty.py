# SPDX-License-Identifier: BSD-3-Clause
"""How difficult it is to predict a call: the mean error of calls like it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import log2
from typing import NamedTuple

from orrery.evidence.statement import Host, Statement

SPREAD_POWER = 0.4
"""Errors grow with this power of the spread that the calibration states."""
_UNSTEADINESS_POWER = 0.3
"""Errors grow with this power of the unsteadiness, plus `_STEADY`."""
_STEADY = 0.3
_OTHER_COLLECTIVE = 0.1
"""Weight of a case of another collective, relative to one of the same."""
_OTHER_HOST = 0.05
"""Weight of a case whose nodes were in another state (`statement.Host`)."""


class DifficultyCase(NamedTuple):
    """One collective call whose error is known."""

    kind: str
    ranks: int
    bytes: int
    statement: Statement
    error: float
    """|ln(measured over predicted)|."""
    weight: float


class Difficulty:
    """Weighted mean of the errors of known calls, each over the scale of errors that its calibration states (`scale_of`).

    A case weighs 2^-(|log2 of the ratio of sizes| + |log2 of the ratio of ranks|), times its own weight, times `_OTHER_COLLECTIVE` and
    `_OTHER_HOST` where these differ. A size of 0 counts as 1 byte. Beyond the largest known size, or number of ranks, weights keep
    their ratios, so that it is that of the limit.
    """

    def __init__(self, known: Iterable[DifficultyCase]) -> None:
        self._cells: dict[tuple[str, Host], dict[tuple[float, float], list[float]]] = defaultdict(dict)
        for case in known:
            scale = scale_of(case.statement, case.bytes)
            place = (_size(case.bytes), log2(case.ranks))
            for kind in (case.kind, ""):
                cell = self._cells[kind, case.statement.host].setdefault(place, [0.0, 0.0])
                cell[0] += case.weight
                cell[1] += case.weight * case.error / scale
        self._remembered: dict[tuple[str, int, int, Host], float] = {}

    def of(self, kind: str, ranks: int, size: int, statement: Statement) -> float:
        """The expected |ln(measured over predicted)| of a call; `kind` is empty where it is not one collective."""
        key = (kind, ranks, size, statement.host)
        if key not in self._remembered:
            self._remembered[key] = self._relative(*key)
        return self._remembered[key] * scale_of(statement, size)

    def _relative(self, kind: str, ranks: int, size: int, host: Host) -> float:
        """Over the scale."""
        at = (_size(size), log2(ranks))
        weights = errors = 0.0
        shares = {"": _OTHER_COLLECTIVE} | ({kind: 1 - _OTHER_COLLECTIVE} if kind else {})
        for (name, state), cells in self._cells.items():
            if name in shares:
                share = shares[name] * (1.0 if state == host else _OTHER_HOST)
                near = _near(cells, at)
                weights += share * near[0]
                errors += share * near[1]
        return errors / weights


def scale_of(statement: Statement, size: int) -> float:
    """By what a calibration says of itself, how large errors of calls of `size` bytes are, relative to those of other calibrations."""
    spread: float = statement.spread(size) ** SPREAD_POWER
    unsteadiness: float = (_STEADY + statement.unsteadiness) ** _UNSTEADINESS_POWER
    return spread * unsteadiness


def _near(cells: Mapping[tuple[float, float], list[float]], at: tuple[float, float]) -> tuple[float, float]:
    """Weights, and weighted errors, of all cells, less of those further away."""
    weights = errors = 0.0
    for (size, ranks), (weight, error) in cells.items():
        near = 2.0 ** -(abs(size - at[0]) + abs(ranks - at[1]))
        weights += near * weight
        errors += near * error
    return weights, errors


def _size(size: int) -> float:
    return log2(max(1, size))
