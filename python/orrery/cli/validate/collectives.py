# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate collectives`."""

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
from orrery.cli.shown import show_json
from orrery.cli.validate.shared import (
    JsonOption,
    WhereOption,
    WrittenOption,
    columns,
    complain,
    models,
    write_record,
)
from orrery.errors import InputError, Interrupt
from orrery.output import Output
from orrery.progress import progress
from orrery.units import whole_number
from orrery.validate.settings import CollectiveValidation, MeasuringPlan
from orrery.verbs import every, setting

_HELP = """
Compare collective calls: each measured case is simulated as it was timed.

That is, with a barrier before every call, as many calls, and the longest local duration over the ranks; by each network
model that the platform has parameters for, side by side. Measured times come from files (--ingest), or are measured
now, on your MPI (--mpirun, --mpicc); ranks must then share nodes as --map has it on the platform, which they are asked
first.

Files are CSV, or what the OSU micro-benchmarks, IMB-MPI1, nccl-tests or rccl-tests print, as logs of jobs or JSON. Those give
means over the ranks and the calls, which are what is predicted then. How many ranks and nodes there were is taken from the
tables, or from the command lines in the log; where neither says it, from -n, --nodes and --ppn.

Ctrl-C shows what has been simulated by then; measured times are kept in the file of --keep, from which the same
command goes on.

\b
Examples:
  orrery validate collectives --platform cluster.toml --selector openmpi-4.1 --ingest times.csv --report errors.html
  orrery validate collectives --platform cluster.toml --selector mpich-5.0 --ingest osu_allreduce.txt -n 64 --ppn 8
  orrery validate collectives --platform cluster.toml --selector openmpi-4.1 -n 4,8,16 -s 4:1M --budget 4min \\
    --mpirun "mpirun -np {n} --hostfile hosts" --mpicc mpicc --keep times.csv bcast allreduce alltoall
  orrery validate collectives --platform cluster.toml --ingest all.csv --where testbed=v50 --where impl=openmpi --json
"""


@dataclass(frozen=True, kw_only=True)
class CollectivesOptions:
    """What is measured, and how it is predicted."""

    settings: Annotated[Mapping[str, Any], every(CollectiveValidation)]
    model: Annotated[list[str] | None, typer.Option("--model", metavar="hybrid|loggps|fluid")] = None
    """Network model; may be repeated; by default all."""
    ingest: Annotated[list[Path] | None, setting("--ingest", metavar="FILE")] = None
    """Measured times: CSV, or the output of the OSU micro-benchmarks, of IMB-MPI1, nccl-tests or rccl-tests; may be repeated."""
    where: WhereOption = None
    plan: Annotated[Mapping[str, Any], every(MeasuringPlan)]
    as_json: JsonOption = False
    every_case: Annotated[bool, typer.Option("--cases/--no-cases")] = True
    """Show each case, too."""
    output: WrittenOption = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    def validation(self, plan: MeasuringPlan) -> CollectiveValidation:
        """Return the validation of the files that were named, or of what the plan measures.

        Raises InputError for several numbers of ranks of files.
        """
        ranks = None
        if plan.ranks and not plan.mpirun and not (ranks := whole_number(plan.ranks)):
            raise InputError(
                f"-n {plan.ranks}: with --ingest, say one whole number above 0, for tables that do not say it"
            )
        return CollectiveValidation(
            models=models(self.model),
            ingest=(plan.times,) if plan.mpirun else tuple(self.ingest or ()),
            ranks=ranks,
            where=columns(self.where),
            **self.settings,
        )


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "collectives", CollectivesOptions, _collectives, help=_HELP)


def _collectives(_context: typer.Context, options: CollectivesOptions) -> int:
    plan = MeasuringPlan(**options.plan)
    if not (options.ingest or plan.mpirun):
        raise InputError(
            "nothing to compare with: --ingest FILE or --mpirun COMMAND; of programs: orrery validate program, trace, suite"
        )
    outputs = by_ending(options.output, (".json", *FIGURES), overwrite=options.overwrite, read=options.ingest or ())
    page = report_output(options.report, overwrite=options.overwrite, read=options.ingest or ())
    validation = options.validation(plan)
    if plan.mpirun:
        _measure(plan, validation)
    return _compare(validation, options, outputs, page)


def _measure(plan: MeasuringPlan, validation: CollectiveValidation) -> None:
    """Times of the user's MPI, now. Raises Interrupt for Ctrl-C, which says where those are that were measured by then."""
    from orrery.validate.measure import measure
    from orrery.validate.places import check_places

    hosts_of, mapping = validation.predictor.hosts_of, validation.mapping
    try:
        measure(plan, terminal.styling(sys.stderr), lambda layout: check_places(layout, hosts_of, mapping))
    except KeyboardInterrupt:
        kept = f"what was measured is in {plan.times}, and --ingest {plan.times} compares it"
        found = kept if plan.times.exists() else "nothing was measured yet"
        raise Interrupt(f"{found}; the same command goes on from there") from None


def _compare(
    validation: CollectiveValidation, options: CollectivesOptions, outputs: dict[str, Output], page: Output | None
) -> int:
    from orrery.page import document
    from orrery.report.validation import write_tables

    with progress() as advanced:
        found = validation.compare(advanced)
    if options.as_json:
        show_json(found)
    else:
        write_tables(found, terminal.styling(sys.stdout), every_case=options.every_case)
    write_record(found, outputs)
    for output in figure_of(outputs):
        from orrery.report.validation_plot import write_page

        write_page(found, output)
    above = validation.exceeded(found)
    if page is not None:
        from orrery.report.pages.validation import page_of_validation

        document.write_page(page_of_validation(found, above, bounded=validation.bounded), page)
    if found.missing:
        there, all_of_them = len(found.cases), len(found.cases) + found.missing
        return interrupted(f"{there} of {all_of_them} cases are there; the same command simulates all of them")
    return complain(above)
