# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate program`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.shown import show_json
from orrery.cli.validate.shared import (
    JsonOption,
    WhereOption,
    WrittenOption,
    columns,
    complain,
    write_record,
)
from orrery.errors import InputError

_HELP = """
Compare the time of a program in every MPI routine, not only the total, where errors of opposite sign hide each other.

It takes what was measured, CSV with the columns function, calls_all_ranks, seconds_all_ranks, and the record of a
simulated run, as `orrery run -o FILE.json` writes it.

\b
Example:
  orrery validate program --profile npb-functions.csv --where kernel=cg.W --record cg.json
"""


@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """What was measured, and what was simulated."""

    profile: Annotated[Path | None, typer.Option("--profile", metavar="FILE")] = None
    """Measured time in each MPI routine, CSV."""
    record: Annotated[Path | None, typer.Option("--record", metavar="FILE")] = None
    """The simulated run: what `orrery run -o FILE.json` wrote."""
    where: WhereOption = None
    most_median: Annotated[float | None, typer.Option("--most-median", metavar="X")] = None
    """Bound of the error of each routine, as a share of the measured time, such as 0.1."""
    as_json: JsonOption = False
    output: WrittenOption = None
    report: ReportOption = None
    overwrite: OverwriteOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "program", ProgramOptions, _program, help=_HELP)


def _program(_context: typer.Context, options: ProgramOptions) -> int:
    from orrery.report.routines import write_page, write_table
    from orrery.validate.routines import compare, measured_routines, simulated_routines

    profile, record, most = options.profile, options.record, options.most_median
    if profile is None or record is None:
        raise InputError("--profile and --record belong together: what was measured, and what was simulated")
    outputs = by_ending(options.output, (".json", *FIGURES), overwrite=options.overwrite, read=[profile, record])
    page = report_output(options.report, overwrite=options.overwrite, read=[profile, record])
    found = compare(measured_routines(profile, columns(options.where)), simulated_routines(record))
    if options.as_json:
        show_json(found)
    else:
        write_table(found, terminal.styling(sys.stdout))
    write_record(found, outputs)
    for output in figure_of(outputs):
        write_page(found, output)
    worst = max((abs(line.error_of_share) for line in found.routines), default=0.0)
    above = [f"an error of {worst:.1%} is above {most:.1%}"] if most is not None and worst > most else []
    if page is not None:
        from orrery.page import document
        from orrery.report.pages.programs import page_of_routines

        document.write_page(page_of_routines(found, above, bounded=most is not None), page)
    return complain(above)
