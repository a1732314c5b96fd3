# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that the library does not have, where none of its own comes near: what `orrery deploy` would run instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from orrery.benchmark.cases import LoopCase
from orrery.marks import COMMENT
from orrery.tune.compress import compress
from orrery.tune.formats.ours import named
from orrery.tune.library import AlgorithmVariant
from orrery.tune.rules import RuleRow, variant_of
from orrery.tune.search import CellTimes

NEAR = 0.1
"""Within so much of the best known algorithm one of the library's own is preferred."""
FILE = "deploy.toml"


@dataclass(frozen=True)
class Offers:
    """Rules for `orrery deploy`, and what they gain beside the tuned library, simulated."""

    rows: tuple[RuleRow, ...]
    gains: Mapping[LoopCase, float]
    """How many times as long the tuned library takes, in the cells that they serve."""

    def file(self, limits: Sequence[str] = ()) -> str:
        """The rules as `orrery deploy --collectives` reads them. `limits`: what they rest on, as comments."""
        about = "For orrery deploy --collectives: calls in which no algorithm of the library comes near, by simulation."
        return named(self.rows, [COMMENT.removeprefix("# "), about, *(f"caution: {limit}" for limit in limits)])


def offers_of(found: Iterable[CellTimes], chosen: Mapping[LoopCase, str]) -> Offers:
    """What is worth it.

    Args:
        found: the cells.
        chosen: what the library with its rules does, as `--coll` has it.
    """
    cells = [_as_others(cell, chosen[cell.case]) for cell in found]
    rows = compress(cells, _time_s) if cells else ()
    served = {cell.case: variant for cell in cells if (variant := variant_of(rows, *cell.case)) is not None}
    gains = {cell.case: cell.default_s / cell.times[served[cell.case].ours] for cell in cells if cell.case in served}
    return Offers(rows, gains)


def _as_others(cell: CellTimes, chosen: str) -> CellTimes:
    """The cell with the tuned library as what there is, and other algorithms as what can be chosen."""
    variants = {name: AlgorithmVariant(name=name, ours=name) for name in cell.others}
    return replace(cell, default=chosen, times={chosen: cell.times[chosen], **cell.others}, variants=variants)


def _time_s(cell: CellTimes, variant: AlgorithmVariant | None) -> float | None:
    """None: the library comes near."""
    if variant is None:
        return cell.default_s
    time_s = cell.times[variant.ours]
    return time_s if time_s * (1 + NEAR) < cell.default_s else None
