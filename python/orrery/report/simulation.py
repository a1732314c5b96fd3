# SPDX-License-Identifier: BSD-3-Clause
"""Report of a run or a replay, as text."""

from __future__ import annotations

from orrery.record.document import Record
from orrery.report.algorithms import algorithm_table
from orrery.report.summary import summary
from orrery.report.table import profile_table


def text(record: Record) -> str:
    """The summary, the profile, and the collective algorithms if there were collective calls.

    Of a simulation that failed before anything was simulated nothing is known but what the trace lacks.
    """
    if record.cause is not None and record.simulated_s == 0:
        known = record.cautions if record.end == "cut_off" else []
        return "".join(f"caution         {caution}\n" for caution in known)
    report = f"{summary(record)}\n{profile_table(record.profile.summed)}"
    return f"{report}\n{algorithm_table(record.algorithms)}" if record.algorithms else report
