# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery replay` does once its words are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from orrery import terminal
from orrery.errors import InputError
from orrery.replay.settings import ReplaySettings


def replay_and_report(
    settings: ReplaySettings,
    output: Sequence[Path],
    report: Path | None = None,
    *,
    as_json: bool,
    overwrite: bool = False,
) -> int:
    """Print the report, or the record as JSON, and write what is wanted. Gives the exit code."""
    from orrery.replay.check import check_together

    check_together(settings)
    if settings.loggops is not None:
        return _loggops(settings, settings.loggops, output, report, as_json=as_json)
    from orrery.cli.recorded import RecordedOutputs
    from orrery.record.document import to_json
    from orrery.replay.session import replay
    from orrery.report.simulation import text
    from orrery.trace.sources import files_read

    reads = files_read(settings.traces) if output or report else ()
    written = RecordedOutputs.of(output, report, overwrite=overwrite, read=reads)
    record = written.simulate(settings, replay)
    if record.cause:
        terminal.write(f"orrery: the replay failed: {record.cause}\n", sys.stderr)
    terminal.write(to_json(record, indent=1) + "\n" if as_json else text(record), sys.stdout)
    sys.stdout.flush()
    terminal.write("".join(f"orrery: not as recorded: {what}\n" for what in record.differs), sys.stderr)
    terminal.write(written.after_interruption(record), sys.stderr)
    written.keep(record)
    return record.exit_code


def _loggops(
    settings: ReplaySettings, parameters: str, output: Sequence[Path], report: Path | None, *, as_json: bool
) -> int:
    from orrery.replay.loggops import run_loggops

    if output:
        raise InputError(
            f"-o {output[0]}: only replays on platforms are written, not --loggops; --json prints its times"
        )
    if report is not None:
        raise InputError("--report: LogGOPS gives times only; a replay on a platform has a page")
    if len(settings.traces) != 1:
        raise InputError("--loggops: expected one GOAL schedule; other traces run on platforms")
    found = run_loggops(settings.traces[0], parameters)
    terminal.write(found.to_json() if as_json else found.text(), sys.stdout)
    return 0 if found.complete else 1
