# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the groups of a validation suite, as a table."""

from __future__ import annotations

from typing import TextIO

from orrery.report.validation import write_columns
from orrery.validate.summaries import GroupSummary


def write_groups(summaries: list[GroupSummary], out: TextIO) -> None:
    """Write a line for each group: errors of its collectives, and the mean error of the run times of its programs."""
    heading = ("group", "collectives", "median", "90 %", "programs", "mean")
    write_columns(out, heading, map(_cells, summaries))


def _cells(summary: GroupSummary) -> tuple[str, ...]:
    return (
        summary.group,
        str(summary.cases),
        _percent(summary.median),
        _percent(summary.p90),
        str(summary.programs),
        _percent(summary.mean),
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.2%}"
