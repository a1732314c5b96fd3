# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate suite`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import report_output
from orrery.cli.validate.shared import JsonOption, suite_of
from orrery.experiment.settings import SimulationSettings
from orrery.verbs import same

_HELP = """
Run all validations that a TOML file lists, and compare with the reports stored last and with the bounds of the file.

Entries are [[collectives]] (platform, selector, ingest = measured times) and [[programs]] (platform, selector, and
traces, runs of one program, or each = "PATTERN", a program for each file). Entries with the same group are summarised
together; [[groups]] gives their bounds: most_median and most_p90 of all collectives, most_mean of the programs' totals.

\b
Example:
  orrery validate suite suite.toml --store reports --report suite.html
"""


@dataclass(frozen=True, kw_only=True)
class SuiteOptions:
    """Which suite, and where its reports are."""

    file: Annotated[Path | None, typer.Argument(metavar="FILE", show_default=False)] = None
    """The suite."""
    suite: Annotated[Path | None, typer.Option("--suite", metavar="FILE", hidden=True)] = None
    """The earlier spelling of this."""
    store: Annotated[Path, typer.Option("--store", metavar="FOLDER")] = Path("validation")
    """Where reports of the suite are kept."""
    force: Annotated[bool, same(SimulationSettings)] = False
    as_json: JsonOption = False
    report: ReportOption = None
    overwrite: OverwriteOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "suite", SuiteOptions, _suite, help=_HELP)


def _suite(_context: typer.Context, options: SuiteOptions) -> int:
    from orrery.report.routines import write_program
    from orrery.report.suite import write_groups
    from orrery.report.validation import write_tables
    from orrery.validate.suite import Tables, run_suite

    file = suite_of(options.file, options.suite, "suite")
    tables = Tables(collectives=partial(write_tables, every_case=False), program=write_program, groups=write_groups)
    page = report_output(options.report, overwrite=options.overwrite, read=[file])
    out = terminal.styling(sys.stdout)
    found = run_suite(file, options.store, out, tables, as_json=options.as_json, force=options.force)
    if page is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.suite import page_of_suite

        write_page(page_of_suite(file.name, found), page)
    return 1 if found.failed else 0
