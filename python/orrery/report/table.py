# SPDX-License-Identifier: BSD-3-Clause
"""A profile as a table, in the layout of TAU's pprof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orrery.record.document import Row

# Both lines of the heading of each column.
_HEADINGS = (
    ("%Time", ""),
    ("Exclusive", "msec"),
    ("Inclusive", "total msec"),
    ("#Call", ""),
    ("#Subrs", ""),
    ("Inclusive", "usec/call"),
)
_NAME = "Name"


def profile_table(rows: Sequence[Row]) -> str:
    """A line for each row: %Time, Exclusive msec, Inclusive total msec, #Call, #Subrs, Inclusive usec/call, Name."""
    cells = [_cells(row) for row in rows]
    widths = [
        max(len(heading[0]), len(heading[1]), *(len(row[column]) for row in cells)) if cells else len(heading[0])
        for column, heading in enumerate(_HEADINGS)
    ]
    first = _line((heading[0] for heading in _HEADINGS), widths, _NAME)
    second = _line((heading[1] for heading in _HEADINGS), widths, "")
    rule = "-" * max(len(first), *(len(_line(row, widths, r.name)) for row, r in zip(cells, rows, strict=True)), 0)
    body = [_line(row, widths, r.name) for row, r in zip(cells, rows, strict=True)]
    return "\n".join([first, second, rule, *body]) + "\n"


def per_rank_tables(rows: Sequence[Row]) -> str:
    """One table for each rank, in the order of `rows`."""
    by_rank: dict[int, list[Row]] = {}
    for row in rows:
        by_rank.setdefault(row.rank or 0, []).append(row)
    return "\n".join(f"rank {rank}:\n{profile_table(own)}" for rank, own in by_rank.items())


def _cells(row: Row) -> list[str]:
    return [
        f"{row.percent_time:.1f}",
        figure(row.exclusive_s * 1e3),
        figure(row.inclusive_s * 1e3),
        f"{row.calls:,}",
        f"{row.subrs:,}",
        figure(row.inclusive_s * 1e6 / row.calls if row.calls else 0.0),
    ]


def _line(cells: Iterable[str], widths: Sequence[int], name: str) -> str:
    return "  ".join([*(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)), name]).rstrip()


def figure(value: float) -> str:
    """Three significant digits, but at most three decimals, and whole from 100 on: `514,429`, `59.0`, `0.932`."""
    if value >= 99.95:
        return f"{value:,.0f}"
    decimals = 1 if value >= 9.995 else 2 if value >= 0.9995 else 3
    return f"{value:.{decimals}f}"
