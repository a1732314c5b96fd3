# SPDX-License-Identifier: BSD-3-Clause
"""From samples to the platform file, its page, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from orrery.cli.calibrate.options import CalibrateOptions
from orrery.cli.said import say
from orrery.errors import InputError, Interrupted
from orrery.output import STANDARD_OUTPUT, Output, checked

if TYPE_CHECKING:
    from orrery.calibrate.measure import Files

_POOR = 3
"""Exit code."""


def checked_outputs(output: Path, *, overwrite: bool) -> tuple[Output, Output]:
    """The platform file and its page, before anything is measured."""
    if output == STANDARD_OUTPUT:
        raise InputError("-o -: there are a page and samples beside the platform file; name a file")
    return checked(output, overwrite=overwrite), checked(output.with_suffix(".html"), overwrite=overwrite)


def publish(files: Files, outputs: tuple[Output, Output], options: CalibrateOptions) -> int:
    """Fit, judge, and write both files. Gives the exit code. Raises Interrupted for Ctrl-C: the samples are there."""
    try:
        return _publish(files, outputs, options)
    except KeyboardInterrupt:
        raise Interrupted(
            f"all samples are in {files.folder}; --ingest {files.folder} makes the files from them"
        ) from None


def _publish(files: Files, outputs: tuple[Output, Output], options: CalibrateOptions) -> int:
    from orrery.calibrate.measure import read, read_about
    from orrery.calibrate.uncertainty import judge, outcome_of
    from orrery.calibrate.write import summary, write_platform
    from orrery.report.calibration import write_report
    from orrery.report.calibration_text import describe

    about = read_about(files)
    outcome = outcome_of(read(files.plan, files.results), about, most_regimes=options.most_regimes)
    verdict = judge(outcome, accept_bimodal=options.accept_bimodal)
    output, page = outputs
    write_platform(outcome, about, verdict, output)
    write_report(outcome, about, verdict, page)
    if options.as_json:
        typer.echo(json.dumps(summary(outcome, about, verdict), indent=1))
    else:
        typer.echo(describe(outcome, verdict, output.path, page.path, files.folder), nl=False)
    if verdict.grade != "poor":
        return 0
    say(
        f"the calibration is poor: {output.path} is written, but commands refuse it without --force; {page.path} shows why"
    )
    return _POOR
