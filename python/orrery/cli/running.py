# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery run` does once its words are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from orrery import terminal
from orrery.cli.recorded import RecordedOutputs
from orrery.run.settings import RunSettings


def run_and_report(
    settings: RunSettings,
    output: Sequence[Path] | None,
    report: Path | None = None,
    *,
    as_json: bool,
    overwrite: bool = False,
) -> int:
    """Print the report, or the record as JSON, and write what is wanted. Gives the exit code."""
    from orrery.record.document import to_json
    from orrery.report.simulation import text
    from orrery.run.session import simulate

    written = RecordedOutputs.of(output, report, overwrite=overwrite)
    record = written.simulate(settings, simulate)
    if record.end == "not_started":
        terminal.write(f"orrery: error: {record.cause}\n", sys.stderr)
        return record.exit_code
    failure = f"orrery: the run failed: {record.cause}\n" if record.cause else ""
    if as_json:
        terminal.write(to_json(record, indent=1) + "\n", sys.stdout)
    else:
        failure += f"\n{text(record)}"
    terminal.write(failure + written.after_interruption(record), sys.stderr)
    written.keep(record)
    return record.exit_code
