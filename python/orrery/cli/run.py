# SPDX-License-Identifier: BSD-3-Clause
"""`orrery run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import _core
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.options import option
from orrery.cli.recorded import WRITES, Written
from orrery.cli.replaced import check_words
from orrery.cli.simulating import (
    CollOption,
    ForceOption,
    MappingOption,
    ModelOption,
    ReplicasOption,
    RulesOption,
    SeedOption,
    VaryOption,
)
from orrery.errors import InputError
from orrery.run.programs import programs_of
from orrery.run.settings import Clock, Launch, RunSettings, parse_compute, parse_timeout

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
  orrery run -n 8 --compute none ./ring         communication only: the same times in every run
  orrery run -n 64 --replicas 20 ./cg           an interval from the platform's noise, where it has some
  orrery run -n 2 ./ocean : -n 1 ./air          two programs in one run
  orrery run -n 4 model.py                      a Python program (mpi4py)
  orrery run -n 8 -o run.json ./ring -v 3       options after the program are the program's
"""


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise typer.BadParameter(f'"{text}", expected a whole number above 0')
    return int(text)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("run", help=_HELP, context_settings={"allow_interspersed_args": False})(_run)


def _run(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="Program to run.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Its arguments.")] = None,
    *,
    ranks: Annotated[
        int,
        typer.Option(
            "-n", "-np", "--ranks", metavar="N", parser=_count, help="Number of ranks: the size of MPI_COMM_WORLD."
        ),
    ],
    platform: Annotated[str, option(RunSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = "default",
    model: ModelOption = None,
    mapping: MappingOption = "slot",
    launch: Annotated[Launch, option(RunSettings, "launch", "--launch", metavar="auto|fork|exec")] = "auto",
    clock: Annotated[Clock, option(RunSettings, "clock", "--clock", metavar="simulated|host")] = "simulated",
    compute: Annotated[str, option(RunSettings, "compute", "--compute", metavar="cpu|none|FACTOR")] = "cpu",
    selector: Annotated[
        str, option(RunSettings, "selector", "--selector", metavar="NAME", values=_core.selectors())
    ] = "default",
    coll: CollOption = "",
    rules: RulesOption = None,
    label: Annotated[bool, option(RunSettings, "label", "--label")] = False,
    spawn_limit: Annotated[int, option(RunSettings, "spawn_limit", "--spawn-limit", metavar="N", min=0)] = 256,
    repeat: Annotated[int, option(RunSettings, "repeat", "--repeat", metavar="N", min=1)] = 1,
    replicas: ReplicasOption = 1,
    vary: VaryOption = "noise",
    seed: SeedOption = 0,
    force: ForceOption = False,
    timeout: Annotated[
        str | None, option(RunSettings, "timeout_s", "--timeout", metavar="SECONDS", envvar="MPIEXEC_TIMEOUT")
    ] = None,
    output: Annotated[list[Path] | None, output_option(WRITES)] = None,
    overwrite: OverwriteOption = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the record as JSON, instead of the report; the program's output goes to standard error.",
        ),
    ] = False,
) -> int:
    if as_json and (said := check_words("run", "--json", program)):
        raise InputError(said)
    written = Written.of(output, overwrite=overwrite)
    settings = RunSettings(
        programs=programs_of(ranks, [program, *(arguments or [])]),
        platform=platform,
        model=model,
        mapping=mapping,
        launch=launch,
        clock=clock,
        compute=parse_compute(compute),
        selector=selector,
        coll=coll,
        rules=rules,
        label=label,
        spawn_limit=spawn_limit,
        repeat=repeat,
        replicas=replicas,
        vary=vary,
        seed=seed,
        force=force,
        timeout_s=None if timeout is None else parse_timeout(timeout),
        output_aside=as_json,
    )
    return _simulate(settings, written, as_json=as_json)


def _simulate(settings: RunSettings, written: Written, *, as_json: bool) -> int:
    from orrery.record.document import to_json
    from orrery.report.simulation import text
    from orrery.run.session import simulate

    record = written.simulate(settings, simulate)
    if record.end == "not_started":
        sys.stderr.write(f"orrery: error: {record.cause}\n")
        return record.exit_code
    report = f"\n{text(record)}"
    if as_json:
        sys.stdout.write(to_json(record, indent=1) + "\n")
        report = ""
    if record.cause:
        report += f"\norrery: the run failed: {record.cause}\n"
    sys.stderr.write(report)
    written.keep(record)
    return record.exit_code
