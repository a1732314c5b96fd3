# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate residuals`."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, output_option
from orrery.experiment.settings import SimulationSettings
from orrery.output import STANDARD_OUTPUT, checked
from orrery.temporary import temporary_folder
from orrery.verbs import same

_HELP = """
Gather how far real times are from their predictions, for all cases of suites.

Orrery comes with the residuals of tests/evidence: `orrery run`, `replay` and `collective` say by them where the real
time is expected. Hours whose calibration says nothing of its own uncertainty are left out. The key hand_written of a suite
names CSV files of machines whose platforms were written by hand.

\b
Example:
  orrery validate residuals tests/evidence/suite.toml tests/evidence/intervals.toml \\
    -o python/orrery/evidence/residuals.json
"""


@dataclass(frozen=True, kw_only=True)
class ResidualsOptions:
    """Which suites, and where their residuals go."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE...", show_default=False)]
    """The suites."""
    force: Annotated[bool, same(SimulationSettings)] = False
    output: Annotated[Path, output_option("The JSON file to write; by default standard output.")] = STANDARD_OUTPUT
    overwrite: OverwriteOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "residuals", ResidualsOptions, _residuals, help=_HELP)


def _residuals(_context: typer.Context, options: ResidualsOptions) -> int:
    out = checked(options.output, overwrite=options.overwrite, read=options.files)
    from orrery.evidence.residuals import to_json
    from orrery.marks import mark_json
    from orrery.validate.residuals import JudgedSuite, residuals_of

    suites = [JudgedSuite(file, _reports(file, force=options.force)) for file in options.files]
    out.write(to_json(residuals_of(suites), mark_json({"suites": [str(file) for file in options.files]})))
    return 0


def _reports(file: Path, *, force: bool) -> dict[str, Any]:
    """What `orrery validate suite --json` says of a suite."""
    from orrery.validate.suite import Tables, run_suite

    silent = Tables(collectives=lambda *_: None, program=lambda *_: None, groups=lambda *_: None)
    reports = io.StringIO()
    with temporary_folder("orrery-residuals-") as store:
        run_suite(file, store, reports, silent, as_json=True, force=force)
    return dict(json.loads(reports.getvalue()))
