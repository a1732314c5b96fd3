# SPDX-License-Identifier: BSD-3-Clause
"""`orrery run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import _core
from orrery.cli.options import option
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
from orrery.run.settings import Clock, RunSettings, Start, parse_compute, parse_timeout

_HELP = """
Run an MPI program on a simulated cluster.

With --replicas N the program runs once and is recorded, and the record is replayed N - 1 times: what it
reads, writes and prints happens once.

The program's output passes through as it is; the report goes to standard error, so that
`orrery run ... > out.txt` keeps only what the program wrote. The run is remembered:
`orrery profile` shows its profile again.

\b
Exit code: the program's own; 128 + signal for a crash; the code of MPI_Abort; 1 for a deadlock;
130 for Ctrl-C; 124 after --timeout; 127 for a program that is not there; 2 for other input
that cannot be used.

\b
Examples:
  orrery run -n 16 ./ring                       on the built-in platform "default"
  orrery run -n 64 --platform graphene ./cg     on another: see `orrery platform list`
  orrery run -n 64 --map node ./cg              one rank to each node in turn
  orrery run -n 64 --coll allreduce=ring ./cg   what another algorithm would cost
  orrery run -n 8 --compute none ./ring         communication only: the same times in every run
  orrery run -n 64 --replicas 20 ./cg           an interval instead of a figure, on a platform with noise
  orrery run -n 64 --trace cg.trace ./cg        record it: see `orrery replay --help`
  orrery run -n 8 --json run.json ./ring -v 3   options after the program are the program's
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
    ranks: Annotated[int, option(RunSettings, "ranks", "-n", "--ranks", metavar="N", parser=_count)],
    platform: Annotated[str, option(RunSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = "default",
    model: ModelOption = None,
    mapping: MappingOption = "slot",
    start: Annotated[Start, option(RunSettings, "start", "--start", metavar="auto|fork|exec")] = "auto",
    clock: Annotated[Clock, option(RunSettings, "clock", "--clock", metavar="simulated|host")] = "simulated",
    compute: Annotated[str, option(RunSettings, "compute", "--compute", metavar="cpu|none|FACTOR")] = "cpu",
    selector: Annotated[
        str, option(RunSettings, "selector", "--selector", metavar="NAME", values=_core.selectors())
    ] = "default",
    coll: CollOption = "",
    rules: RulesOption = None,
    label: Annotated[bool, option(RunSettings, "label", "--label")] = False,
    spawn_limit: Annotated[int, option(RunSettings, "spawn_limit", "--spawn-limit", metavar="N", min=0)] = 256,
    replicas: ReplicasOption = 1,
    vary: VaryOption = "noise",
    seed: SeedOption = 0,
    force: ForceOption = False,
    timeout: Annotated[
        str | None, option(RunSettings, "timeout_s", "--timeout", metavar="SECONDS", envvar="MPIEXEC_TIMEOUT")
    ] = None,
    json_file: Annotated[Path | None, option(RunSettings, "json_file", "--json", metavar="FILE")] = None,
    trace: Annotated[Path | None, option(RunSettings, "trace", "--trace", metavar="FILE")] = None,
) -> int:
    settings = RunSettings(
        command=[program, *(arguments or [])],
        ranks=ranks,
        platform=platform,
        model=model,
        mapping=mapping,
        start=start,
        clock=clock,
        compute=parse_compute(compute),
        selector=selector,
        coll=coll,
        rules=rules,
        label=label,
        spawn_limit=spawn_limit,
        replicas=replicas,
        vary=vary,
        seed=seed,
        force=force,
        timeout_s=None if timeout is None else parse_timeout(timeout),
        json_file=json_file,
        trace=trace,
    )
    return _simulate(settings)


def _simulate(settings: RunSettings) -> int:
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary
    from orrery.report.table import profile_table
    from orrery.run.record import remember
    from orrery.run.session import simulate

    record = simulate(settings)
    if settings.json_file is not None:
        record.write(settings.json_file)
    if record.end == "not_started":
        sys.stderr.write(f"orrery: error: {record.cause}\n")
        return record.exit_code
    report = f"\n{summary(record)}\n{profile_table(record.profile.summed)}"
    if record.algorithms:
        report += f"\n{algorithm_table(record.algorithms)}"
    if record.cause:
        report += f"\norrery: the run failed: {record.cause}\n"
    sys.stderr.write(report)
    remember(record)
    return record.exit_code
