# SPDX-License-Identifier: BSD-3-Clause
"""What is printed of a calibration."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from orrery import terminal
from orrery.cli.said import say
from orrery.errors import Interrupt

if TYPE_CHECKING:
    from orrery.calibrate.measure import Files
    from orrery.calibrate.settings import CalibrationSettings
    from orrery.output import Output

_POOR = 3
"""Exit code."""


def publish(files: Files, outputs: tuple[Output, Output], settings: CalibrationSettings, *, as_json: bool) -> int:
    """Fit, judge, write both files, and say what was found. Gives the exit code. Raises Interrupt for Ctrl-C."""
    try:
        return _publish(files, outputs, settings, as_json=as_json)
    except KeyboardInterrupt:
        raise Interrupt(
            f"all samples are in {files.folder}; --ingest {files.folder} makes the files from them"
        ) from None


def _publish(files: Files, outputs: tuple[Output, Output], settings: CalibrationSettings, *, as_json: bool) -> int:
    from orrery.report.calibration_files import fit_and_write
    from orrery.report.calibration_text import describe

    fitted = fit_and_write(files, outputs, settings)
    if as_json:
        terminal.line(json.dumps(fitted.summary(), indent=1))
    else:
        terminal.write(
            describe(fitted.outcome, fitted.verdict, fitted.platform, fitted.page, fitted.folder), sys.stdout
        )
    if fitted.verdict.grade != "poor":
        return 0
    say(
        f"the calibration is poor: {fitted.platform} is written, but commands refuse it without --force; {fitted.page} "
        "shows why"
    )
    return _POOR
