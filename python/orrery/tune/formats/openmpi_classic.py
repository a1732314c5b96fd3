# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of Open MPI's component `tuned`, classic format (4.1 and 5.0; `orrery.collective.openmpi_classic` reads them).

A communicator has the rules of the largest listed size that is not above its own, so where rules end a block follows that leaves
calls to the library. Limits of some collectives are bytes of all ranks together; each number of ranks that was tuned then has a
block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from orrery.collective.openmpi_rules import ALGORITHMS, COLLECTIVES
from orrery.rules import MOST_RANKS
from orrery.tune.library import AlgorithmVariant
from orrery.tune.rules import RuleRow, SizeBand, TunedRules
from orrery.words import comment

OF_ALL_RANKS = {"allgather", "alltoall", "gather", "scatter", "reduce_scatter_block"}
"""Collectives whose limits are bytes of all ranks together, where a call is said by those of one block."""
_OWN = "0 0 0"
"""Algorithm, fan-in/out, segment size: the library's own decision."""


def classic(tuned: TunedRules, comments: Sequence[str]) -> str:
    """The file. `comments`: lines at its top."""
    kinds = [(kind, list(rows)) for kind, rows in groupby(tuned.rows, key=lambda row: row.kind)]
    lines = [*map(comment, comments), f"{len(kinds)} # collectives"]
    for kind, rows in sorted(kinds, key=lambda entry: COLLECTIVES.index(entry[0])):
        blocks = list(_blocks(rows))
        lines += [f"{COLLECTIVES.index(kind)} # {kind}", f"{len(blocks)} # communicator sizes"]
        for size, rules in blocks:
            lines += [f"{size} # ranks or more", f"{len(rules)} # message sizes", *rules]
    return "".join(f"{line}\n" for line in lines)


def _blocks(rows: Sequence[RuleRow]) -> Iterator[tuple[int, list[str]]]:
    """Communicator sizes and their rules."""
    end = 0
    for row in rows:
        if row.ranks_from > end:
            yield end or 1, [f"0 {_OWN}"]
        each = row.kind in OF_ALL_RANKS
        for count in row.counts if each else row.counts[:1]:
            yield count, [_rule(row.kind, band, count if each else 1) for band in row.bands]
        end = row.ranks_to + 1
    if end <= MOST_RANKS:
        yield end, [f"0 {_OWN}"]


def _rule(kind: str, band: SizeBand, factor: int) -> str:
    return f"{band.bytes_from * factor} {_OWN if band.variant is None else _numbers(kind, band.variant)}"


def _numbers(kind: str, variant: AlgorithmVariant) -> str:
    return f"{ALGORITHMS[kind].index(variant.name) + 1} {variant.fanout} {variant.segment}"
