# SPDX-License-Identifier: BSD-3-Clause
"""Two selectors compared, as text."""

from __future__ import annotations

from orrery.comparison.selectors import ChoicePair, SelectorsCompared
from orrery.units import show_bytes, show_time

_MOST_LINES = 20


def text(found: SelectorsCompared) -> str:
    """The sentence, and the calls in which their choices differ, the largest ratio first."""
    lines = [found.sentence]
    if found.different:
        rows = [["call", "ranks", found.first, found.second, "first", "second", "ratio"]]
        rows += [_row(call) for call in found.different[:_MOST_LINES]]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines.append("")
        for call, ranks, first, second, *times in rows:
            left = [call.ljust(widths[0]), ranks.rjust(widths[1]), first.ljust(widths[2]), second.ljust(widths[3])]
            right = [time.rjust(width) for time, width in zip(times, widths[4:], strict=True)]
            lines.append("  ".join([*left, *right]).rstrip())
        if len(found.different) > _MOST_LINES:
            lines.append(f"and {len(found.different) - _MOST_LINES:,} more; --json has all")
    if found.missing:
        asked = len(found.calls) + found.missing
        lines += ["", f"interrupted: {found.missing:,} of {asked:,} calls are missing"]
    lines += [f"caution: {caution}" for caution in found.cautions]
    return "\n".join(lines) + "\n"


def _row(call: ChoicePair) -> list[str]:
    return [
        f"{call.collective} {show_bytes(call.bytes)}",
        f"{call.ranks:,}",
        call.first,
        call.second,
        show_time(call.first_s),
        show_time(call.second_s),
        f"{call.ratio:.3g}",
    ]
