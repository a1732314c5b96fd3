# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.files import ForceOption, output_option
from orrery.cli.options import parse_budget
from orrery.cli.said import refuse_all
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, Output, checked

if TYPE_CHECKING:
    from orrery.calibrate.session import Files
    from orrery.calibrate.settings import CalibrationSettings

_HELP = """
Measure a real cluster's MPI and write the platform file that simulates it.

Builds a small C program with your mpicc, starts it with your launcher on --nodes nodes, and measures what messages
cost, alone and together, for --budget minutes. Out come FILE.toml for `orrery run --platform`, FILE.html with
raw points, fit and residuals, and the folder FILE.calibration with all raw samples. The nodes should carry no
other work meanwhile; use the MPI, its settings and its binding of ranks that your programs use.

The launcher's command line has places to fill: {n} ranks, {nodes} nodes, {ppn} ranks on each node. The program
follows, or stands where {program} is. With --ppn 2, messages inside a node are measured as well.

Interrupted? The same command goes on from there (--fresh begins anew). No launcher outside of a batch job?
--dry-run prints a job script, --ingest makes the files from what the job has measured.

\b
Examples:
  orrery calibrate --nodes 16 --mpirun "mpirun -np {n} --hostfile hosts --map-by ppr:{ppn}:node" -o mine.toml
  orrery calibrate --nodes 8 --ppn 2 --mpirun "srun -N {nodes} --ntasks-per-node={ppn}" --budget 5 -o mine.toml
  orrery calibrate --nodes 16 --cabinets 8,8 --mpirun "mpiexec -n {n} -ppn 1 -f hosts" --mpicc mpicc.mpich -o m.toml
  orrery calibrate --nodes 32 --mpirun "srun -n {n}" --dry-run -o mine.toml > job.sh
  orrery calibrate --ingest mine.calibration -o mine.toml
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("calibrate", help=_HELP, short_help="Measure a real cluster and write its platform file.")(_calibrate)


def _calibrate(
    context: typer.Context,
    *,
    output: Annotated[
        Path, output_option("The platform file to write; FILE.html and the folder FILE.calibration come beside it.")
    ] = Path("cluster.toml"),
    force: ForceOption = False,
    mpirun: Annotated[
        str, typer.Option("--mpirun", metavar="COMMAND", help="How to start MPI programs, with {n}, {nodes}, {ppn}.")
    ] = "mpirun -np {n}",
    mpicc: Annotated[str, typer.Option("--mpicc", metavar="COMMAND", help="The compiler of that MPI.")] = "mpicc",
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=2, help="Nodes to measure.")] = None,
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
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what an earlier run has measured.")] = False,
    accept_bimodal: Annotated[
        bool, typer.Option("--accept-bimodal", help="Fit the quicker group of a ping-pong whose times fall into two.")
    ] = False,
    most_regimes: Annotated[
        int, typer.Option("--most-regimes", metavar="N", min=1, max=20, help="Between two changes of protocol.")
    ] = 6,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything that was found as JSON; SI units.")] = False,
) -> int:
    from orrery.calibrate.settings import CalibrationSettings, parse_cabinets

    outputs = _outputs(output, force=force)
    budget_s = parse_budget(budget)
    if ingest is not None:
        from orrery.calibrate.session import Files

        if dry_run:
            raise InputError("--dry-run and --ingest are two steps: first the one, and when the job has run, the other")
        refuse_all(context, _MEASURING, "not with --ingest, which uses what was measured and starts nothing")
        return _publish(Files(ingest), outputs, accept_bimodal=accept_bimodal, most=most_regimes, as_json=as_json)
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
    _check_folder(settings.folder, fresh=fresh)
    files = _script(settings) if dry_run else _measure(settings)
    if dry_run:
        return 0
    return _publish(files, outputs, accept_bimodal=accept_bimodal, most=most_regimes, as_json=as_json)


_MEASURING = ("mpirun", "mpicc", "nodes", "ppn", "cabinets", "cores", "budget", "seed", "name", "fresh")
"""Options of the measurement, which `--ingest` does not do."""


def _outputs(output: Path, *, force: bool) -> tuple[Output, Output]:
    """The platform file and its page, before anything is measured."""
    if output == STANDARD_OUTPUT:
        raise InputError("-o -: there are a page and samples beside the platform file; name a file")
    return checked(output, force=force), checked(output.with_suffix(".html"), force=force)


def _check_folder(folder: Path, *, fresh: bool) -> None:
    """Raises InputError where samples would be written among files of somebody else, or these removed by --fresh."""
    from orrery.calibrate.session import Files

    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder}: is where samples go, and is no folder; name another file with -o")
    files = Files(folder)
    own = {getattr(files, name) for name, value in vars(Files).items() if isinstance(value, property)}
    strange = sorted(set(folder.iterdir()) - own)
    if strange and (fresh or not files.about.exists()):
        raise InputError(f"{strange[0]}: is where samples go, and Orrery did not write it; name another file with -o")


def _script(settings: CalibrationSettings) -> Files:
    from orrery.calibrate.batch import job_script
    from orrery.calibrate.session import write_assumed

    files = write_assumed(settings)
    sys.stdout.write(job_script(settings, files))
    return files


def _measure(settings: CalibrationSettings) -> Files:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from orrery.calibrate.session import Files, measure

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("starting", total=None)
            measure(
                settings,
                lambda what, done, total: bar.update(task, description=what, completed=done, total=total or None),
            )
    except KeyboardInterrupt:
        sys.stderr.write(
            f"orrery: interrupted: what was measured is in {settings.folder}; the same command goes on from there, --fresh "
            f"begins anew, and --ingest {settings.folder} makes the files from what there is\n"
        )
        raise
    return Files(settings.folder)


def _publish(files: Files, outputs: tuple[Output, Output], *, accept_bimodal: bool, most: int, as_json: bool) -> int:
    import json

    from orrery.calibrate.publish import outcome_of, summary, write_platform
    from orrery.calibrate.results import read
    from orrery.calibrate.session import read_about
    from orrery.report.calibration import write_report
    from orrery.report.calibration_text import describe

    about = read_about(files)
    outcome = outcome_of(read(files.plan, files.results), about, accept_bimodal=accept_bimodal, most_regimes=most)
    output, page = outputs
    write_platform(outcome, about, output)
    write_report(outcome, about, page)
    if as_json:
        typer.echo(json.dumps(summary(outcome, about), indent=1))
    else:
        typer.echo(describe(outcome, output.path, page.path, files.folder), nl=False)
    return 0
