# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of two records, as text."""

from __future__ import annotations

import shlex

from orrery.comparison.records import RecordsCompared, RoutineLine
from orrery.terminal import visible
from orrery.units import show_time

_MOST_LINES = 12
"""Routines that are listed."""


def describe(found: RecordsCompared, names: tuple[str, str], largest_part: str = "") -> str:
    """The verdict in a sentence, both simulated times, settings that differ, and the routines whose times differ most.

    Args:
        found: the comparison.
        names: what the two are called.
        largest_part: what makes most of the difference, for people.
    """
    first = f"{show_time(found.first_s)}{_range(found.first_interval_s)}"
    second = f"{show_time(found.second_s)}{_range(found.second_interval_s)}"
    width = max(map(len, (*names, *found.settings)))
    lines = [
        found.sentence_on(*names),
        *(
            [f"{largest_part[0].upper()}{largest_part[1:]}."]
            if largest_part and found.verdict in ("apart", "unknown")
            else []
        ),
        *([visible(said)] if found.turns and (said := found.turns.said()) else []),
        "",
        f"{names[0]:<{width}}  {first}",
        f"{names[1]:<{width}}  {second}, {_times(found)}",
        *(f"{name:<{width}}  {both}" for name, both in settings_that_differ(found)),
        *(f"{'caution':<{width}}  {visible(caution)}" for caution in found.cautions),
        "",
        f"{'mean per rank':<30} {'first':>12} {'second':>12} {'difference':>12}",
        *(_line(line, found) for line in found.lines[:_MOST_LINES] if line.first_s > 0 or line.second_s > 0),
    ]
    return "\n".join(lines) + "\n"


def settings_that_differ(found: RecordsCompared) -> list[tuple[str, str]]:
    """Names, and both values as text."""
    return [(name, f"{_text(first)} / {_text(second)}") for name, (first, second) in found.settings.items()]


def _text(value: object) -> str:
    return visible(shlex.join(map(str, value)) if isinstance(value, list) else str(value or "none"))


def _line(line: RoutineLine, found: RecordsCompared) -> str:
    change = f"{'+' if line.change_s > 0 else ''}{show_time(line.change_s)}"
    said = f"{line.routine:<30} {show_time(line.first_s):>12} {show_time(line.second_s):>12} {change:>12}"
    marked = found.verdict != "unknown" and line.verdict in ("within noise", "unknown")
    return f"{said}  {line.verdict}" if marked else said


def _times(found: RecordsCompared) -> str:
    """The ratio, and where it lies."""
    said = f"{found.ratio:.4g} times"
    if found.ratio_interval is None or found.ratio_interval[0] == found.ratio_interval[1]:
        return said
    return f"{said} ({found.ratio_interval[0]:.4g} to {found.ratio_interval[1]:.4g})"


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" ({show_time(interval[0])} to {show_time(interval[1])})"
