# SPDX-License-Identifier: BSD-3-Clause
"""`orrery run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.outputs import profile_output
from orrery.cli.recorded import WRITES
from orrery.cli.replaced import check_words
from orrery.cli.running import run_and_report
from orrery.errors import InputError
from orrery.run.programs import MpiProgram, programs_of
from orrery.run.settings import RunSettings
from orrery.units import whole_number
from orrery.verbs import every, setting

_HELP = """
Run an MPI program on a simulated cluster.

The program's output passes through as it is; the report goes to standard error, so that
`orrery run ... > out.txt` keeps only what the program wrote. With --json the record is all that goes to
standard output, and the program's output goes to standard error. The last run of each folder is remembered:
`orrery profile` shows its profile again.

Computation is measured on this host, so two runs differ: --repeat N runs the program N times and gives the
median with an interval. To compare algorithms or platforms, record once and replay: then computation is common.
With --replicas N the program runs once and is recorded, and the record is replayed N - 1 times.

Several programs in one MPI_COMM_WORLD have ":" between them, each with its own -n; other options come before
the first. Python files (.py) and scripts run, too.

Signals are passed on as by mpiexec: USR1 and USR2 to the ranks; TERM, INT (Ctrl-C) and HUP to those that handle them,
which have five seconds to end. If none does, or at the second one, the run ends at once, with its report.

\b
Exit code: the program's own; 128 + signal for a crash; the code of MPI_Abort; 1 for a deadlock;
130 for Ctrl-C; 124 after --timeout; 127 for a program that is not there; 2 for other input
that cannot be used.

\b
Examples:
  orrery run -n 16 ./ring                       on the built-in platform "default"
  orrery run -n 64 --platform graphene ./cg     on another: see `orrery platform list`
  orrery run -n 64 --map node ./cg              one rank to each node in turn
  orrery run -n 64 --repeat 6 ./cg              the median of six runs, and an interval
  orrery run -n 64 -o cg.trace ./cg             record it: see `orrery replay --help`
  orrery replay cg.trace --coll allreduce=ring  what another algorithm would cost, on the same computation
  orrery run -n 64 --report cg.html ./cg        a page: timeline, waiting, who sends to whom
  orrery run -n 8 --compute none ./ring         communication only: the same times in every run
  orrery run -n 64 --replicas 20 ./cg           an interval from the platform's noise, where it has some
  orrery run -n 2 ./ocean : -n 1 ./air          two programs in one run
  orrery run -n 8 --groups job.toml ./climate   groups of ranks that the program asks for
  orrery run -n 4 model.py                      a Python program (mpi4py)
  orrery run -n 8 -o run.json ./ring -v 3       options after the program are the program's
"""


def _count(text: str) -> int:
    if not (value := whole_number(text)):
        raise typer.BadParameter(f'"{text}", expected a whole number above 0')
    return value


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The program, how it is run, and what is written."""

    program: Annotated[str, typer.Argument(metavar="PROGRAM")]
    """Program to run."""
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS")] = None
    """Its arguments."""
    ranks: Annotated[int, typer.Option("-n", "-np", "--ranks", metavar="N", parser=_count)]
    """Number of ranks: the size of MPI_COMM_WORLD."""
    settings: Annotated[Mapping[str, Any], every(RunSettings)]
    groups_out: Annotated[Path | None, setting("--groups-out", metavar="FILE", needs="groups")] = None
    """Write the job profile there, with its blanks filled in: the ranks of each group, its nodes, clusters and sites, and what the
    network gives inside of groups and between them. XML if its name ends in .xml, else TOML."""
    output: Annotated[list[Path] | None, output_option(WRITES)] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print the record as JSON, instead of the report; the program's output goes to standard error."""

    def run(self, programs: list[MpiProgram] | None) -> RunSettings:
        """Raises InputError for what cannot be run so. `programs`: those to run instead of what the words say."""
        groups = self.settings["groups"]
        filled = (
            None
            if self.groups_out is None
            else profile_output(self.groups_out, overwrite=self.overwrite, read=[groups])
        )
        return RunSettings(
            programs=programs or programs_of(self.ranks, [self.program, *(self.arguments or [])]),
            output_aside=self.as_json,
            groups_out=filled,
            **self.settings,
        )


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "run", RunOptions, _run, help=_HELP, context_settings={"allow_interspersed_args": False})


def _run(context: typer.Context, options: RunOptions) -> int:
    if options.as_json and (said := check_words("run", "--json", options.program)):
        raise InputError(said)
    return run_and_report(
        options.run(context.obj),
        options.output,
        options.report,
        as_json=options.as_json,
        overwrite=options.overwrite,
    )
