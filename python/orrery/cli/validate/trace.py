# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate trace`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import interrupted
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.said import said
from orrery.cli.validate.shared import (
    JsonOption,
    PlatformOption,
    WrittenOption,
    complain,
    models,
    write_json,
    write_record,
)
from orrery.errors import InputError
from orrery.experiment.settings import AS_RECORDED, SimulationSettings, Vary
from orrery.verbs import same

if TYPE_CHECKING:
    from orrery.validate.programs import ProgramValidation

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
    platform: PlatformOption = "default"
    selector: Annotated[str, same(SimulationSettings)] = "default"
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=AS_RECORDED)] = None
    model: Annotated[list[str] | None, typer.Option("--model", metavar="hybrid|loggps|fluid")] = None
    """Network model; by default the platform's own."""
    replicas: Annotated[int, typer.Option("--replicas", min=1, metavar="N")] = 1
    """Predict as intervals: median, 5th and 95th percentile over so many seeds of the noise."""
    vary: Annotated[Vary, same(SimulationSettings)] = "noise"
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    most_median: Annotated[float | None, typer.Option("--most-median", metavar="X")] = None
    """Bound of the error of the total, and of each routine as a share of the measured time, such as 0.1."""
    as_json: JsonOption = False
    output: WrittenOption = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    @property
    def traces(self) -> tuple[Path, ...]:
        """In the order in which they were named."""
        return (*(self.files or ()), *(self.trace or ()))

    def validation(self) -> ProgramValidation:
        """Raises InputError for several models."""
        from orrery.validate.programs import ProgramValidation

        if self.model and len(self.model) > 1:
            raise InputError("--model: a program is replayed with one of them")
        return ProgramValidation(
            traces=self.traces,
            platform=self.platform,
            selector=self.selector,
            mapping=self.mapping,
            model=models(self.model)[0] if self.model else None,
            replicas=self.replicas,
            seed=self.seed,
            vary=self.vary,
            force=self.force,
            most_error=self.most_median,
        )


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "trace", TraceOptions, _trace, help=_HELP)


def _trace(context: typer.Context, options: TraceOptions) -> int:
    from orrery.report.routines import write_page, write_program

    given = said(context)
    if not options.traces:
        raise InputError("expected captured runs of a program: orrery validate trace TRACE...")
    if "vary" in given and "replicas" not in given:
        raise InputError("--vary: acts only with --replicas")
    outputs = by_ending(options.output, (".json", *FIGURES), overwrite=options.overwrite, read=options.traces)
    page = report_output(options.report, overwrite=options.overwrite, read=options.traces)
    validation = options.validation()
    found = validation.compare()
    if options.as_json:
        write_json(found.as_json())
    else:
        write_program(found, terminal.styling(sys.stdout))
    write_record(found.as_json(), outputs)
    for output in figure_of(outputs):
        write_page(found.routines, output)
    above = validation.exceeded(found)
    if page is not None:
        from orrery.page import document
        from orrery.report.pages.programs import page_of_program

        document.write_page(page_of_program(found, above, bounded=options.most_median is not None), page)
    if found.interrupted:
        there, asked = len(found.predicted_s), options.replicas
        return interrupted(f"{there} of {asked} replicas are there; the same command simulates all of them")
    return complain(above)
