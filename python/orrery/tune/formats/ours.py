# SPDX-License-Identifier: BSD-3-Clause
"""Rules as `orrery deploy --collectives` and `--selector-rules` read them (`orrery.rules`): they name any algorithm there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from orrery.rules import MOST_BYTES
from orrery.tune.rules import RuleRow, SizeBand
from orrery.words import comment, toml


def named(rows: Iterable[RuleRow], comments: Sequence[str] = ()) -> str:
    """The file. What is left to the library has no rule. `comments`: lines at its top."""
    tables = [_rule(row, band) for row in rows for band in row.bands]
    return "\n".join([*map(comment, comments), "", *(line for table in tables for line in table)])


def _rule(row: RuleRow, band: SizeBand) -> Iterator[str]:
    if band.variant is None:
        return
    yield "[[rule]]"
    yield f"collective = {toml(row.kind)}"
    yield f"min_ranks = {row.ranks_from}"
    yield f"max_ranks = {row.ranks_to}"
    if band.bytes_from > 0:
        yield f"min_bytes = {band.bytes_from}"
    if band.bytes_to < MOST_BYTES:
        yield f"max_bytes = {band.bytes_to}"
    yield f"algorithm = {toml(band.variant.ours)}"
    yield ""
