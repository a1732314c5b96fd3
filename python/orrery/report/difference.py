# SPDX-License-Identifier: BSD-3-Clause
"""Differences between two platforms, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from orrery.platform.difference import ComparedValue, ValueDifference
from orrery.platform.schema import Platform
from orrery.report.validation import write_columns


def write_difference(first: Platform, second: Platform, found: Sequence[ValueDifference], out: TextIO) -> None:
    """Write a line for each value that differs, those outside of their intervals first, and the number of each verdict."""
    out.writelines(
        f"{which:<7} {platform.name}: {platform.source or 'parameters of unknown origin'}{_steady(platform)}\n"
        for which, platform in (("first", first), ("second", second))
    )
    lines = [difference for difference in found if difference.verdict != "equal"]
    if lines:
        out.write("\n")
        heading = ("value", "first", "95 %", "second", "95 %", "")
        write_columns(
            out, heading, [_line(difference) for difference in sorted(lines, key=lambda difference: difference.verdict)]
        )
    out.write("\n")
    for about in ("network", "processors"):
        verdicts = Counter(difference.verdict for difference in found if difference.about == about)
        out.write(
            f"{about:<11} {verdicts.total()} values: {verdicts['equal']} equal, {verdicts['within']} within their "
            f"intervals, {verdicts['apart']} apart\n"
        )


def _line(difference: ValueDifference) -> tuple[str, ...]:
    return (
        difference.key,
        _text(difference.first.value),
        _interval(difference.first),
        _text(difference.second.value),
        _interval(difference.second),
        difference.verdict,
    )


def _text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def _interval(value: ComparedValue) -> str:
    return "" if value.low is None or value.high is None else f"{value.low:.4g} to {value.high:.4g}"


def _steady(platform: Platform) -> str:
    if platform.calibration is None:
        return ""
    return f"; the same arithmetic took up to {platform.calibration.unsteadiness:.0%} more at times"
