# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of Open MPI's component `tuned` in JSON (6.0 and later; `orrery.collective.openmpi_json` reads them)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any

from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.formats.openmpi_classic import OF_ALL_RANKS
from orrery.tune.rules import RuleRow, SizeBand, TunedRules


def in_json(tuned: TunedRules) -> str:
    """The file. Communicators and sizes without a rule are left to the library."""
    kinds = groupby(tuned.rows, key=lambda row: row.kind)
    collectives = {kind: [block for row in rows for block in _blocks(row)] for kind, rows in kinds}
    return json.dumps({"rule_file_version": 3, "module": "tuned", "collectives": collectives}, indent=1) + "\n"


def _blocks(row: RuleRow) -> Iterator[dict[str, Any]]:
    each = row.kind in OF_ALL_RANKS
    counts = row.counts if each else row.counts[:1]
    for count, following in pairwise([*counts, row.ranks_to + 1]):
        yield {
            "comm_size_min": count,
            "comm_size_max": "inf" if following > MOST_RANKS else following - 1,
            "rules": list(_rules(row, count if each else 1)),
        }


def _rules(row: RuleRow, factor: int) -> Iterator[dict[str, Any]]:
    """Without gaps: limits of what is counted together need not be multiples of the number of ranks."""
    for band in row.bands:
        if band.variant is not None:
            yield {
                "msg_size_min": band.bytes_from * factor,
                "msg_size_max": _limit(band, factor),
                "alg": band.variant.name,
                "faninout": band.variant.fanout,
                "seg_size": band.variant.segment,
            }


def _limit(band: SizeBand, factor: int) -> int | str:
    return "inf" if band.bytes_to == MOST_BYTES else (band.bytes_to + 1) * factor - 1
