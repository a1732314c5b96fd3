# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery replay` does once its words are read."""

from __future__ import annotations

import sys

from orrery.errors import InputError
from orrery.trace.settings import ReplaySettings


def replay_and_report(settings: ReplaySettings, *, as_json: bool) -> int:
    """Print the report, or the record as JSON, and keep the record. Gives the exit code."""
    if settings.loggops is not None:
        return _loggops(settings, settings.loggops, as_json=as_json)
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary
    from orrery.report.table import profile_table
    from orrery.run.record import remember, to_json
    from orrery.trace.replay import replay

    record = replay(settings)
    report = f"{summary(record)}\n{profile_table(record.profile.summed)}"
    if record.algorithms:
        report += f"\n{algorithm_table(record.algorithms)}"
    sys.stdout.write(to_json(record, indent=1) + "\n" if as_json else report)
    sys.stdout.flush()
    if record.cause:
        sys.stderr.write(f"orrery: the replay failed: {record.cause}\n")
    remember(record)
    if settings.json_file is not None:
        record.write(settings.json_file)
    return record.exit_code


def _loggops(settings: ReplaySettings, parameters: str, *, as_json: bool) -> int:
    from orrery.trace.loggops import run_loggops

    if settings.trace is not None:
        raise InputError("--trace: only replays on platforms are recorded, not --loggops")
    if len(settings.traces) != 1:
        raise InputError("--loggops: expected one GOAL schedule; other traces run on platforms")
    found = run_loggops(settings.traces[0], parameters)
    sys.stdout.write(found.to_json() if as_json else found.text())
    return 0 if found.complete else 1
