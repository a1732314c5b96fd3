# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate`: measure, fit, write; or one of the steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.calibrate.settings import FITS_NOTHING, CalibrationSettings
from orrery.cli.calibrate.measuring import measured, write_script
from orrery.cli.calibrate.publishing import publish
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, report_setting
from orrery.cli.outputs import report_output
from orrery.cli.said import say
from orrery.verbs import setting

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


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions(CalibrationSettings):
    """What is measured, how it is fitted, and what else is written."""

    report: Annotated[Path | None, report_setting(beside=FITS_NOTHING)] = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, setting("--json", beside=FITS_NOTHING)] = False
    """Print everything that was found as JSON; SI units."""


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


def _calibrate(_context: typer.Context, options: CalibrateOptions) -> int:
    from orrery.calibrate.measure import ingested
    from orrery.report.calibration_files import checked_outputs

    page = report_output(options.report, overwrite=options.overwrite)
    outputs = checked_outputs(options.output, page, overwrite=options.overwrite)
    if options.dry_run:
        write_script(options)
        return 0
    files = ingested(options, say) if options.ingest else measured(options)
    return publish(files, outputs, options, as_json=options.as_json)
