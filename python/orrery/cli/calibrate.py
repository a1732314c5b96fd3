# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.options import parse_budget
from orrery.cli.said import refuse_all
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, Output, checked

if TYPE_CHECKING:
    from orrery.calibrate.measure import CalibrationSettings, Files

_HELP = """
Measure a real cluster's MPI and write the platform file that simulates it.

Builds a small C program with your mpicc, starts it with your launcher on --nodes nodes, and measures what messages
cost, alone and together, for --budget minutes. Out come FILE.toml for `orrery run --platform`, FILE.html with
raw points, fit and residuals, and the folder FILE.calibration with all raw samples. The nodes should carry no
other work meanwhile; use the MPI, its settings and its binding of ranks that your programs use.

The launcher's command line has places to fill: {n} ranks, {nodes} nodes, {ppn} ranks on each node. The program
follows, or stands where {program} is. With --ppn 2, messages inside a node are measured as well. With --nodes 1
and several ranks, those alone are: a workstation.

The calibration ends with a verdict, which stands first in both files. Good: nothing stands against it. Usable: the
reasons say what is uncertain. Poor: predictions would be wrong; the file is written, but run, replay, collective and
validate refuse it without --force. Every reason names its cure.

Interrupted? The same command goes on from there (--fresh begins anew). With other options, or once it is finished, the
command measures anew, and puts the earlier samples aside. No launcher outside of a batch job? --dry-run prints a job
script, --ingest makes the files from what the job has measured.

\b
Exit code: 0; 3 when the verdict is poor; 1 when the launcher failed, ranks were not where they
should be, or too little was measured for any fit; 2 for input that cannot be used; 130 for Ctrl-C.

\b
Examples:
  orrery calibrate --nodes 16 --mpirun "mpirun -np {n} --hostfile hosts --map-by ppr:{ppn}:node" -o mine.toml
  orrery calibrate --nodes 8 --ppn 2 --mpirun "srun -N {nodes} --ntasks-per-node={ppn}" --budget 5 -o mine.toml
  orrery calibrate --nodes 16 --cabinets 8,8 --mpirun "mpiexec -n {n} -ppn 1 -f hosts" --mpicc mpicc.mpich -o m.toml
  orrery calibrate --nodes 1 --ppn 4 -o workstation.toml
  orrery calibrate --nodes 32 --mpirun "srun -n {n}" --dry-run -o mine.toml > job.sh
  orrery calibrate --ingest mine.calibration -o mine.toml
"""

_POOR = 3
"""Exit code."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("calibrate", help=_HELP, short_help="Measure a real cluster and write its platform file.")(_calibrate)


_OF_MEASURING = ("mpirun", "mpicc", "nodes", "ppn", "cabinets", "budget", "seed", "fresh")
_OF_FITTING = ("accept_bimodal", "most_regimes", "as_json")


def _calibrate(
    context: typer.Context,
    *,
    output: Annotated[
        Path, output_option("The platform file to write; FILE.html and the folder FILE.calibration come beside it.")
    ] = Path("cluster.toml"),
    overwrite: OverwriteOption = False,
    mpirun: Annotated[
        str, typer.Option("--mpirun", metavar="COMMAND", help="How to start MPI programs, with {n}, {nodes}, {ppn}.")
    ] = "mpirun -np {n}",
    mpicc: Annotated[str, typer.Option("--mpicc", metavar="COMMAND", help="The compiler of that MPI.")] = "mpicc",
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1, help="Nodes to measure.")] = None,
    ppn: Annotated[int, typer.Option("--ppn", metavar="N", min=1, help="Ranks on each node.")] = 1,
    cabinets: Annotated[
        str | None, typer.Option("--cabinets", metavar="N,N,...", help="Nodes of each cabinet or site, in rank order.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option("--cores", metavar="N", min=1, help="Cores of a node, if not as its system says.")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="For measuring, such as 5min or 90s; a number: minutes.")
    ] = "9min",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the message sizes that are drawn.")] = 1,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Of the platform.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the plan; print a job script instead of measuring.")
    ] = False,
    ingest: Annotated[
        Path | None, typer.Option("--ingest", metavar="FOLDER", help="Use what was measured there; start nothing.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure anew; samples of an earlier run are put aside.")
    ] = False,
    accept_bimodal: Annotated[
        bool,
        typer.Option(
            "--accept-bimodal",
            help="A ping-pong whose times fall into two groups makes no poor calibration, only a usable one.",
        ),
    ] = False,
    most_regimes: Annotated[
        int, typer.Option("--most-regimes", metavar="N", min=1, max=20, help="Between two changes of protocol.")
    ] = 6,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything that was found as JSON; SI units.")] = False,
) -> int:
    from orrery.calibrate.measure import CalibrationSettings, parse_cabinets

    outputs = _outputs(output, overwrite=overwrite)
    budget_s = parse_budget(budget)
    if ingest is not None:
        from orrery.calibrate.measure import Files

        if dry_run:
            raise InputError("--dry-run and --ingest are two steps: first the one, and when the job has run, the other")
        refuse_all(context, _OF_MEASURING, "not with --ingest, which measures nothing: the samples say how they were")
        files = Files(ingest)
        _rename(files, name, cores)
        return _publish(files, outputs, accept_bimodal=accept_bimodal, most=most_regimes, as_json=as_json)
    if nodes is None:
        raise InputError("--nodes is missing: how many nodes shall be measured? (and --ppn: ranks on each)")
    settings = CalibrationSettings(
        output=output,
        mpirun=mpirun,
        mpicc=mpicc,
        nodes=nodes,
        ppn=ppn,
        cabinets=parse_cabinets(cabinets, nodes) if cabinets else (),
        cores=cores,
        budget_s=budget_s,
        seed=seed,
        name=name or output.stem,
        folder=output.with_suffix(".calibration"),
        fresh=fresh,
    )
    if dry_run:
        refuse_all(context, _OF_FITTING, "not with --dry-run, which fits nothing yet; say it with --ingest")
        _script(settings)
        return 0
    files = _measure(settings)
    return _publish(files, outputs, accept_bimodal=accept_bimodal, most=most_regimes, as_json=as_json)


def _outputs(output: Path, *, overwrite: bool) -> tuple[Output, Output]:
    """The platform file and its page, before anything is measured."""
    if output == STANDARD_OUTPUT:
        raise InputError("-o -: there are a page and samples beside the platform file; name a file")
    return checked(output, overwrite=overwrite), checked(output.with_suffix(".html"), overwrite=overwrite)


def _rename(files: Files, name: str | None, cores: int | None) -> None:
    """What samples do not depend on may be said again."""
    from dataclasses import asdict, replace

    from orrery.calibrate.measure import read_about, write_about

    about = read_about(files)
    said = {key: value for key, value in (("name", name), ("cores", cores)) if value is not None}
    if any(asdict(about)[key] != value for key, value in said.items()):
        write_about(files, replace(about, **said))  # type: ignore[arg-type]


def _script(settings: CalibrationSettings) -> None:
    from orrery.calibrate.measure import job_script, write_assumed

    files = write_assumed(settings, _say)
    sys.stdout.write(job_script(settings, files))


def _measure(settings: CalibrationSettings) -> Files:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from orrery.calibrate.measure import Files, measure

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("starting", total=None)
            measure(
                settings,
                lambda what, done, total: bar.update(task, description=what, completed=done, total=total or None),
                lambda text: bar.console.print(f"orrery: {text}", markup=False, highlight=False, soft_wrap=True),
            )
    except KeyboardInterrupt:
        _say(
            f"interrupted: what was measured is in {settings.folder}; the same command goes on from there, --fresh begins "
            f"anew, and --ingest {settings.folder} makes the files from what there is"
        )
        raise
    return Files(settings.folder)


def _publish(files: Files, outputs: tuple[Output, Output], *, accept_bimodal: bool, most: int, as_json: bool) -> int:
    import json

    from orrery.calibrate.measure import read, read_about
    from orrery.calibrate.uncertainty import judge, outcome_of
    from orrery.calibrate.write import summary, write_platform
    from orrery.report.calibration import write_report
    from orrery.report.calibration_text import describe

    about = read_about(files)
    outcome = outcome_of(read(files.plan, files.results), about, most_regimes=most)
    verdict = judge(outcome, accept_bimodal=accept_bimodal)
    output, page = outputs
    write_platform(outcome, about, verdict, output)
    write_report(outcome, about, verdict, page)
    if as_json:
        typer.echo(json.dumps(summary(outcome, about, verdict), indent=1))
    else:
        typer.echo(describe(outcome, verdict, output.path, page.path, files.folder), nl=False)
    if verdict.grade != "poor":
        return 0
    _say(
        f"the calibration is poor: {output.path} is written, but commands refuse it without --force; {page.path} shows why"
    )
    return _POOR


def _say(text: str) -> None:
    sys.stderr.write(f"orrery: {text}\n")
