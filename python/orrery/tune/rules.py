# SPDX-License-Identifier: BSD-3-Clause
"""What a tuning decided: for ranges of communicators and sizes an algorithm of the library, or its own decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orrery.published import UNWRITTEN
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.library import AlgorithmVariant, Library


@dataclass(frozen=True, kw_only=True)
class SizeBand:
    """Calls of some sizes; both limits belong to it."""

    bytes_from: int
    bytes_to: int
    """As `orrery collective -s` has them: of the vector, or of one block."""
    variant: AlgorithmVariant | None
    """None: the library's own decision."""


@dataclass(frozen=True, kw_only=True)
class RuleRow:
    """A collective on communicators of some numbers of ranks; both limits belong to it."""

    kind: str
    ranks_from: int
    ranks_to: int
    bands: tuple[SizeBand, ...]
    """In ascending order, without gaps: the first from 0 on, the last to `MOST_BYTES`."""
    counts: tuple[int, ...]
    """Numbers of ranks that were tuned, in ascending order: the first is `ranks_from`. Libraries whose limits are bytes of all ranks
    together need them."""


def variant_of(rows: Iterable[RuleRow], kind: str, ranks: int, size: int) -> AlgorithmVariant | None:
    """What rows say of a call; None: the library's own decision, or no row is for it."""
    for row in rows:
        if row.kind == kind and row.ranks_from <= ranks <= row.ranks_to:
            return next(band.variant for band in row.bands if band.bytes_from <= size <= band.bytes_to)
    return None


@dataclass(frozen=True, kw_only=True)
class RulesOrigin:
    """Where rules come from, for the files' comments."""

    orrery: str = field(metadata=UNWRITTEN)
    """Version."""
    platform: str
    """Name, and the first digits of its digest."""
    mapping: str
    gains: tuple[str, ...] = field(default=())
    """What is expected, a sentence each."""
    limits: tuple[str, ...] = field(default=(), metadata=UNWRITTEN)
    """Limits of what the times of algorithms rest on, a sentence each."""


@dataclass(frozen=True, kw_only=True)
class TunedRules:
    """Rules for a library. Communicators that no row is for, and collectives without rows, are left to it."""

    library: Library
    rows: tuple[RuleRow, ...]
    """Rows of each collective by ascending ranks, without overlaps."""
    made: RulesOrigin

    def variant(self, kind: str, ranks: int, size: int) -> AlgorithmVariant | None:
        """What the rules say of a call; None: the library's own decision."""
        return variant_of(self.rows, kind, ranks, size)


@dataclass(frozen=True, kw_only=True)
class TunedRule:
    """One rule. Limits are included."""

    collective: str
    min_ranks: int
    max_ranks: int | None
    """None: there is none."""
    min_bytes: int
    max_bytes: int | None
    """None: there is none."""
    algorithm: str | None
    """As the library calls it; None: its own decision."""
    segment_bytes: int
    """0: no segments."""
    fanout: int
    """Chains, radix of a tree, or requests at a time; 0: as the library has it."""
    coll: str | None
    """The algorithm as `--coll` has it."""


def each_rule(rows: Iterable[RuleRow]) -> list[TunedRule]:
    """All rules, and what is between them."""
    return [_rule(row, band) for row in rows for band in row.bands]


def _rule(row: RuleRow, band: SizeBand) -> TunedRule:
    variant = band.variant
    return TunedRule(
        collective=row.kind,
        min_ranks=row.ranks_from,
        max_ranks=None if row.ranks_to == MOST_RANKS else row.ranks_to,
        min_bytes=band.bytes_from,
        max_bytes=None if band.bytes_to == MOST_BYTES else band.bytes_to,
        algorithm=None if variant is None else variant.name,
        segment_bytes=0 if variant is None else variant.segment,
        fanout=0 if variant is None else variant.fanout,
        coll=None if variant is None else variant.ours,
    )
