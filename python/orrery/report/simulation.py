# SPDX-License-Identifier: BSD-3-Clause
"""Report of a run or a replay, as text."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.record.document import Record, Row
from orrery.report.algorithms import algorithm_table
from orrery.report.summary import summary
from orrery.report.table import profile_table

_LEAST_PERCENT = 0.05
"""Less is 0.0 in the table."""


def text(record: Record) -> str:
    """The summary, the profile, and the collective algorithms if there were collective calls.

    Of a simulation that failed before anything was simulated nothing is known but what the trace lacks.
    """
    if record.cause is not None and record.simulated_s == 0:
        known = record.cautions if record.end == "cut_off" else []
        return "".join(f"caution         {caution}\n" for caution in known)
    report = f"{summary(record)}\n{_profile(record.profile.summed)}"
    return f"{report}\n{algorithm_table(record.algorithms)}" if record.algorithms else report


def _profile(rows: Sequence[Row]) -> str:
    """The profile, without routines whose share rounds to nothing; these are counted."""
    shown = [row for row in rows if row.percent_time >= _LEAST_PERCENT]
    left = len(rows) - len(shown)
    said = f"{left} more took less than {_LEAST_PERCENT} %: -o FILE.json, orrery profile\n" if left else ""
    return f"{profile_table(shown)}{said}"
