# SPDX-License-Identifier: BSD-3-Clause
"""Rows of values as text in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orrery.terminal import visible

_GAP = "  "


def in_columns(rows: Sequence[Mapping[str, object]]) -> str:
    """A line of names, and a line for each row; texts begin at the left of their column, numbers end at its right."""
    if not rows:
        return "no rows\n"
    names = list(rows[0])
    lines = [names, *([_text(row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = [any(isinstance(row[name], str) for row in rows) for name in names]
    return "".join(
        _GAP.join(
            text.ljust(width) if at_left else text.rjust(width)
            for text, width, at_left in zip(line, widths, left, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def _text(value: object) -> str:
    """Numbers to six digits; nothing where there is no value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else visible(str(value))
