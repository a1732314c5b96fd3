# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate trace`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import interrupted
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.said import said
from orrery.cli.shown import show_json
from orrery.cli.validate.shared import JsonOption, WrittenOption, complain, write_record
from orrery.errors import InputError
from orrery.validate.settings import ProgramValidation
from orrery.verbs import every

_HELP = """
Compare runs of a program that `orrery capture` recorded with replays of what it did.

Their computation is replayed with simulated messages, and the time in every routine is compared with what the trace
says it took; several runs of one program give medians.

\b
Example:
  orrery validate trace cg.trace --platform cluster.toml --selector openmpi-4.1 --replicas 20
"""


@dataclass(frozen=True, kw_only=True)
class TraceOptions:
    """Which runs, and how they are predicted."""

    files: Annotated[list[Path] | None, typer.Argument(metavar="TRACE...", show_default=False)] = None
    """Captured runs of one program."""
    trace: Annotated[list[Path] | None, typer.Option("--trace", metavar="FILE", hidden=True)] = None
    """The earlier spelling of this."""
    settings: Annotated[Mapping[str, Any], every(ProgramValidation)]
    as_json: JsonOption = False
    output: WrittenOption = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    @property
    def traces(self) -> tuple[Path, ...]:
        """In the order in which they were named."""
        return (*(self.files or ()), *(self.trace or ()))


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "trace", TraceOptions, _trace, help=_HELP)


def _trace(context: typer.Context, options: TraceOptions) -> int:
    from orrery.report.routines import write_page, write_program
    from orrery.validate.programs import compare_program

    given = said(context)
    if not options.traces:
        raise InputError("expected captured runs of a program: orrery validate trace TRACE...")
    if "vary" in given and "replicas" not in given:
        raise InputError("--vary: acts only with --replicas")
    outputs = by_ending(options.output, (".json", *FIGURES), overwrite=options.overwrite, read=options.traces)
    page = report_output(options.report, overwrite=options.overwrite, read=options.traces)
    validation = ProgramValidation(traces=options.traces, **options.settings)
    found = compare_program(validation)
    if options.as_json:
        show_json(found)
    else:
        write_program(found, terminal.styling(sys.stdout))
    write_record(found, outputs)
    for output in figure_of(outputs):
        write_page(found, output)
    above = found.exceeded(validation.most_error)
    if page is not None:
        from orrery.page import document
        from orrery.report.pages.programs import page_of_program

        document.write_page(page_of_program(found, above, bounded=validation.most_error is not None), page)
    if found.interrupted:
        there, asked = len(found.total.replicas_s), validation.replicas
        return interrupted(f"{there} of {asked} replicas are there; the same command simulates all of them")
    return complain(above)
