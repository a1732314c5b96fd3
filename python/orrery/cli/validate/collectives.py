# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate collectives`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import interrupted
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.said import refuse_all, said, spelling
from orrery.cli.validate.collectives_options import CollectivesOptions
from orrery.cli.validate.shared import complain, write_json, write_record
from orrery.errors import InputError, Interrupt
from orrery.output import Output
from orrery.progress import progress
from orrery.verbs import budget

if TYPE_CHECKING:
    from orrery.validate.measure import Plan
    from orrery.validate.settings import CollectiveValidation

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

_OF_MEASURING = ("kinds", "mpirun", "mpicc", "sizes", "budget", "keep")
_OF_READING = ("nodes", "ppn")


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "collectives", CollectivesOptions, _collectives, help=_HELP)


def _collectives(context: typer.Context, options: CollectivesOptions) -> int:
    given = said(context)
    if not given & {"ingest", "mpirun"}:
        raise InputError(
            "nothing to compare with: --ingest FILE or --mpirun COMMAND; of programs: orrery validate program, trace, suite"
        )
    if "ingest" in given:
        refuse_all(context, _OF_MEASURING, f"acts not with {spelling(context, 'ingest')}")
    else:
        refuse_all(context, _OF_READING, "acts on measured files (--ingest)")
    outputs = by_ending(options.output, (".json", *FIGURES), overwrite=options.overwrite, read=options.ingest or ())
    page = report_output(options.report, overwrite=options.overwrite, read=options.ingest or ())
    plan = options.plan(budget(options.budget))
    validation = options.validation(plan)
    if options.mpirun:
        _measure(plan, validation)
    return _compare(validation, options, outputs, page)


def _measure(plan: Plan, validation: CollectiveValidation) -> None:
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
        write_json(found.as_json())
    else:
        write_tables(found, terminal.styling(sys.stdout), every_case=options.every_case)
    write_record(found.as_json(), outputs)
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
