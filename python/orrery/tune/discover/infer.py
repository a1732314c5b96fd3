# SPDX-License-Identifier: BSD-3-Clause
"""From measured and simulated times of all cells to what the library has chosen, and how sure that is.

Which algorithms there are is a question of its own: libraries have different ones. Each of `families` is a set of algorithms, beside
them the set of all; all are equally probable beforehand. A family's evidence is the product of that of all collectives and numbers
of ranks (`chain.py`), and the probability of a choice is the mean over families.

Shifts of one size and number of ranks are correlated over collectives by r (`ACROSS`): all lines are inferred twice, the second time with
the best linear prediction of their shifts by those of the n others, r S / (1 + (n - 1) r), S being their sum.

Algorithms whose simulated times differ by less than ALIKE cannot be told apart by time: they are a class, and a choice is one of a class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from orrery.benchmark.cases import LoopCase
from orrery.published import SPREAD, UNWRITTEN, published
from orrery.tune.cells import CellName
from orrery.tune.discover.chain import Floats, Posterior, SizeTimes, decoded, posterior
from orrery.tune.discover.error import ACROSS, SHARED

ALIKE = 0.05
"""In ln of time, about: what cannot be told apart."""
ANY = "any"
"""The family of all algorithms."""
_PRICE = 0.1
"""Price of one more limit, in cells that would be right more often for it."""


@dataclass(frozen=True, kw_only=True)
class ObservedCell(CellName):
    """A cell: what was measured, and what is simulated for it."""

    measured_s: float
    spread: float
    """Spread of the simulation's error and the measurement's, in ln of time."""
    times: Mapping[str, float] = field(metadata=UNWRITTEN)
    """Seconds of a call by each algorithm that serves it, as `--coll` has it; those whose segments are longer than the call, too."""

    @property
    @published
    def candidates(self) -> dict[str, float]:
        """Simulated times of all algorithms."""
        return dict(self.times)


@dataclass(frozen=True)
class AlikeAlgorithm:
    """An algorithm whose times cannot be told from those of the one that was inferred."""

    algorithm: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class LibraryChoice:
    """What the MPI chooses in a cell. Times are of a turn of the loop, the call and a barrier, in seconds."""

    observed: ObservedCell = field(metadata=SPREAD)
    algorithm: str
    """As `--coll` has it: the most probable one, of those that are alike the one that neighbours have."""
    confidence: float
    """Probability that it is this one or one of `alike`."""
    alike: list[AlikeAlgorithm]
    """The most probable first."""
    second: str | None
    """The most probable one that is none of them."""
    second_probability: float
    shares: dict[str, float] = field(metadata=UNWRITTEN)
    """Probability of each algorithm."""

    @property
    @published
    def simulated_s(self) -> float:
        """Time by that algorithm."""
        return self.observed.times[self.algorithm]


@dataclass(frozen=True, kw_only=True)
class Inference:
    """What was found of all cells."""

    choices: list[LibraryChoice]
    families: dict[str, float] = field(default_factory=dict)
    """Probability of each."""
    evidence: float = 0.0
    """ln of the probability density of all measured times."""


def infer(cells: Iterable[ObservedCell], families: Mapping[str, Mapping[str, frozenset[str]]]) -> Inference:
    """What was chosen for each cell.

    Args:
        cells: at least one, each served by at least one algorithm.
        families: of each library the algorithms of each collective, without parameters.
    """
    rows = _rows(cells)
    every = {**families, ANY: None}
    alone = [_CellChain(row, {}) for row in rows]
    shifts = _pooled(alone, _mixed(alone, every))
    lines = [_CellChain(row, shifts) for row in rows]
    mixed = _mixed(lines, every)
    choices = [choice for line, shares in zip(lines, mixed.shares, strict=True) for choice in line.choices(shares)]
    return Inference(choices=choices, families=mixed.families, evidence=mixed.evidence)


@dataclass(frozen=True)
class _FamilyMixture:
    """Means over families, of each line."""

    families: dict[str, float]
    evidence: float
    shares: list[Floats]
    shifts: list[Floats]


def _mixed(lines: Sequence[_CellChain], families: Mapping[str, Mapping[str, frozenset[str]] | None]) -> _FamilyMixture:
    found = {name: [line.under(of) for line in lines] for name, of in families.items()}
    logs = {
        name: sum(posterior.evidence if posterior else -np.inf for posterior in each) for name, each in found.items()
    }
    most = max(logs.values())
    weights = {name: float(np.exp(evidence - most)) for name, evidence in logs.items()}
    whole = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    shares, shifts = [], []
    for number, line in enumerate(lines):
        parts = [
            (whole[name], posterior) for name, each in found.items() if (posterior := each[number]) and whole[name] > 0
        ]
        shares.append(sum((share * posterior.shares for share, posterior in parts), np.zeros_like(line.logs)))
        shifts.append(sum((share * posterior.shifts for share, posterior in parts), np.zeros(len(line.logs))))
    return _FamilyMixture(whole, most + float(np.log(sum(weights.values()) / len(weights))), shares, shifts)


def _pooled(lines: Sequence[_CellChain], mixed: _FamilyMixture) -> dict[LoopCase, float]:
    """What the other collectives' shifts on the same number of ranks, at the same size, say of a cell's: the best linear prediction."""
    there: dict[tuple[int, int], dict[str, float]] = {}
    for line, shifts in zip(lines, mixed.shifts, strict=True):
        for cell, shift in zip(line.row, shifts, strict=True):
            there.setdefault(cell.case[1:], {})[cell.case.test] = float(shift)
    found = {}
    for (ranks, size), by_kind in there.items():
        others = len(by_kind) - 1
        for kind, own in by_kind.items():
            total = sum(by_kind.values()) - own
            found[LoopCase(kind, ranks, size)] = ACROSS * total / (1 + (others - 1) * ACROSS) if others else 0.0
    return found


def _rows(cells: Iterable[ObservedCell]) -> list[list[ObservedCell]]:
    rows: dict[tuple[str, int], list[ObservedCell]] = {}
    for cell in cells:
        rows.setdefault((cell.case.test, cell.case.ranks), []).append(cell)
    return [sorted(row, key=lambda cell: cell.case.bytes) for _, row in sorted(rows.items())]


class _CellChain:
    """Cells of one collective on one number of ranks, by size."""

    def __init__(self, row: Sequence[ObservedCell], shifts: Mapping[LoopCase, float]) -> None:
        self.row = row
        self._expected = [cell.spread * sqrt(SHARED) * shifts.get(cell.case, 0.0) for cell in row]
        self.names = sorted({name for cell in row for name in cell.times})
        self.logs: Floats = np.array([[_log(cell, name) for name in self.names] for cell in row])

    def under(self, family: Mapping[str, frozenset[str]] | None) -> Posterior | None:
        """If only algorithms of a family are used; None: the family does not serve all cells."""
        own = None if family is None else family.get(self.row[0].case.test, frozenset())
        allowed = [own is None or name.split(":")[0].split("(")[0] in own for name in self.names]
        logs = np.where(allowed, self.logs, np.nan)
        if np.isnan(logs).all(axis=1).any():
            return None
        sizes = [
            SizeTimes(cell.case.bytes, log(cell.measured_s) - expected, line, cell.spread)
            for cell, expected, line in zip(self.row, self._expected, logs, strict=True)
        ]
        return posterior(sizes, self._prior(allowed))

    def _prior(self, allowed: Sequence[bool]) -> Floats:
        """Equal for algorithms, and among the parameters of each."""
        heads = [name.split(":")[0] if is_allowed else "" for name, is_allowed in zip(self.names, allowed, strict=True)]
        kinds = set(heads) - {""}
        return np.array([1 / heads.count(head) / len(kinds) if head else 0.0 for head in heads])

    def choices(self, shares: Floats) -> list[LibraryChoice]:
        """A choice for each cell, by the probabilities of algorithms, shape (n, k)."""
        near = np.abs(self.logs[:, :, None] - self.logs[:, None, :]) < ALIKE  # NaN is near nothing
        masses = np.where(np.isnan(self.logs), -1.0, (near * shares[:, None, :]).sum(axis=2))
        path = decoded(masses + 1e-3 * shares, _PRICE)
        return [self._choice(cell, path[cell], near[cell, path[cell]], shares[cell]) for cell in range(len(self.row))]

    def _choice(self, cell: int, chosen: int, near: Floats, shares: Floats) -> LibraryChoice:
        others = np.where(near | np.isnan(self.logs[cell]), -1.0, shares)
        second = int(others.argmax())
        there = bool(others[second] > 0)
        alike = [
            AlikeAlgorithm(name, float(share))
            for name, share, is_near in zip(self.names, shares, near, strict=True)
            if is_near and name != self.names[chosen]
        ]
        return LibraryChoice(
            observed=self.row[cell],
            algorithm=self.names[chosen],
            confidence=float(shares[near].sum()),
            alike=sorted(alike, key=lambda other: -other.probability),
            second=self.names[second] if there else None,
            second_probability=float(others[second]) if there else 0.0,
            shares={name: float(share) for name, share in zip(self.names, shares, strict=True) if share > 0},
        )


def _log(cell: ObservedCell, name: str) -> float:
    """Logarithm of the simulated time; NaN where it does not serve the cell."""
    return log(cell.times[name]) if name in cell.times else float("nan")
