# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate`: measure, fit, write; or one of the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from orrery.cli.calibrate.measuring import measured, write_script
from orrery.cli.calibrate.options import OF_FITTING, OF_LAUNCHING, OF_MEASURING, CalibrateOptions
from orrery.cli.calibrate.publishing import publish
from orrery.cli.command import add_command
from orrery.cli.outputs import report_output
from orrery.cli.said import refuse_all, said, say
from orrery.errors import InputError
from orrery.verbs import budget

if TYPE_CHECKING:
    from pathlib import Path

    from orrery.calibrate.measure import Files

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

Somebody else's figures: --ingest also takes files with what osu_latency or IMB-MPI1 PingPong printed. That gives latencies
and rates, and a verdict that says what is not known from them.

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
  orrery calibrate --ingest osu_latency.txt --ppn 1 --cores 64 --nodes 32 -o theirs.toml
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "calibrate",
        CalibrateOptions,
        _calibrate,
        help=_HELP,
        short_help="Measure a real cluster and write its platform file.",
    )


def _calibrate(context: typer.Context, options: CalibrateOptions) -> int:
    from orrery.report.calibration_files import checked_outputs

    page = report_output(options.report, overwrite=options.overwrite)
    outputs = checked_outputs(options.output, page, overwrite=options.overwrite)
    budget(options.budget)
    if options.ingest:
        if options.dry_run:
            raise InputError("--dry-run and --ingest are two steps: first the one, and when the job has run, the other")
        return publish(_ingested(context, options, tuple(options.ingest)), outputs, options)
    settings = options.settings()
    if options.dry_run:
        refuse_all(context, OF_FITTING, "not with --dry-run, which fits nothing yet; say it with --ingest")
        write_script(settings)
        return 0
    return publish(measured(settings), outputs, options)


def _ingested(context: typer.Context, options: CalibrateOptions, paths: tuple[Path, ...]) -> Files:
    """The samples of a folder, or those that files of other benchmarks give."""
    from orrery.calibrate.measure import Files, samples_of_logs

    if all(path.is_file() for path in paths):
        refuse_all(context, OF_LAUNCHING, "not with --ingest, which measures nothing")
        return samples_of_logs(options.log_settings(paths, ppn_said="ppn" in said(context)), say)
    if len(paths) > 1:
        raise InputError(
            f"--ingest {paths[1]}: several are read only if all are files; a folder of samples is read by itself"
        )
    refuse_all(context, OF_MEASURING, "not with --ingest, which measures nothing: the samples say how they were")
    files = Files(paths[0])
    _rename(files, options.name, options.cores)
    return files


def _rename(files: Files, name: str | None, cores: int | None) -> None:
    """What samples do not depend on may be said again."""
    from dataclasses import asdict, replace

    from orrery.calibrate.measure import read_about, write_about

    about = read_about(files)
    again = {key: value for key, value in (("name", name), ("cores", cores)) if value is not None}
    if any(asdict(about)[key] != value for key, value in again.items()):
        write_about(files, replace(about, **again))  # type: ignore[arg-type]
