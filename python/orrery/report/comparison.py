# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of two records, as text."""

from __future__ import annotations

from orrery.record.comparison import Compared
from orrery.units import show_time

_MOST_LINES = 12
"""Routines that are listed."""


def describe(found: Compared, names: tuple[str, str]) -> str:
    """Both simulated times, settings that differ, the verdict, and the routines whose times differ most."""
    first = f"{show_time(found.first_s)}{_range(found.first_interval_s)}"
    second = f"{show_time(found.second_s)}{_range(found.second_interval_s)}"
    width = max(len("verdict"), *map(len, names))
    lines = [
        f"{names[0]:<{width}}  {first}",
        f"{names[1]:<{width}}  {second}, {found.ratio:.4g} times",
        *(f"{name:<{width}}  {one or 'none'} / {other or 'none'}" for name, (one, other) in found.settings.items()),
        f"{'verdict':<{width}}  {found.verdict}: {found.why}",
        "",
        f"{'mean per rank':<30} {'first':>12} {'second':>12} {'difference':>12}",
    ]
    for line in found.lines[:_MOST_LINES]:
        change = line.second_s - line.first_s
        sign = "+" if change > 0 else ""
        lines.append(
            f"{line.routine:<30} {show_time(line.first_s):>12} {show_time(line.second_s):>12} {sign + show_time(change):>12}"
        )
    return "\n".join(lines) + "\n"


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" ({show_time(interval[0])} to {show_time(interval[1])})"
