# SPDX-License-Identifier: BSD-3-Clause
"""Table of the collective algorithms that a run used."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.record.document import AlgorithmUse

_HEADINGS = ("#Call", "Messages", "Bytes", "Collective by algorithm")


def _instead(use: AlgorithmUse) -> str:
    return f" instead of {use.instead_of}: {use.why}" if use.instead_of else ""


def algorithm_table(uses: Sequence[AlgorithmUse]) -> str:
    """A line for each routine and algorithm: calls, messages and bytes, summed over ranks, and what was asked for instead.
    Empty without collectives.
    """
    if not uses:
        return ""
    rows = [
        _HEADINGS,
        *(
            (
                f"{use.calls:,}",
                f"{use.messages:,}",
                f"{use.bytes:,}",
                f"{use.routine}() by {use.algorithm}{_instead(use)}",
            )
            for use in uses
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    lines = ["  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False)), row[-1]]) for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]]) + "\n"
