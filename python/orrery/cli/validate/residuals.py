# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate residuals`."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.simulating import ForceOption
from orrery.cli.validate.shared import suite_of
from orrery.output import STANDARD_OUTPUT, checked

_HELP = """
Gather how far real times are from their predictions, for all cases of a suite.

Orrery comes with the residuals of tests/evidence: `orrery run`, `replay` and `collective` say by them where the real
time is expected.

\b
Example:
  orrery validate residuals tests/evidence/suite.toml -o python/orrery/record/residuals.json
"""


@dataclass(frozen=True, kw_only=True)
class ResidualsOptions:
    """Which suite, and where its residuals go."""

    file: Annotated[Path | None, typer.Argument(metavar="FILE", show_default=False)] = None
    """The suite."""
    force: ForceOption = False
    output: Annotated[Path, output_option("The JSON file to write; by default standard output.")] = STANDARD_OUTPUT
    overwrite: OverwriteOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "residuals", ResidualsOptions, _residuals, help=_HELP)


def _residuals(_context: typer.Context, options: ResidualsOptions) -> int:
    file = suite_of(options.file, None, "residuals")
    out = checked(options.output, overwrite=options.overwrite, read=[file])
    from orrery.validate.residuals import residuals_of, to_json
    from orrery.validate.suite import Tables, run_suite

    silent = Tables(collectives=lambda *_: None, program=lambda *_: None, groups=lambda *_: None)
    reports = io.StringIO()
    with TemporaryDirectory(prefix="orrery-residuals-") as store:
        run_suite(file, Path(store), reports, silent, as_json=True, force=options.force)
    out.write(to_json(residuals_of(json.loads(reports.getvalue())), str(file)))
    return 0
