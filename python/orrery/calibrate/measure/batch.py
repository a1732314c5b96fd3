# SPDX-License-Identifier: BSD-3-Clause
"""Job script for batch systems. It needs the cluster's compiler and launcher, and only the C files of Orrery."""

from __future__ import annotations

from orrery import words
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.session import PROGRAM
from orrery.calibrate.settings import CalibrationSettings
from orrery.real_mpi.compiled import build_command


def job_script(settings: CalibrationSettings, files: Files) -> str:
    """Text of a script that builds and runs orrery_bench and prints the next command.

    After an interruption the same script can be submitted again: the measurement resumes where it stopped.
    """
    launcher = settings.launcher
    folder = files.folder.resolve()
    program = folder / "orrery_bench"
    arguments = [
        str(program),
        str(folder / files.plan.name),
        str(folder / files.results.name),
        f"{settings.budget_s:.0f}",
    ]
    now = ["orrery", "calibrate", "--ingest", folder, "-o", settings.output]
    minutes = int(settings.budget_s / 60) + 5
    lines = [
        "#!/bin/sh",
        f"#SBATCH --nodes={launcher.nodes} --ntasks-per-node={launcher.ppn} --exclusive --time={minutes}",
        f"#PBS -l select={launcher.nodes}:mpiprocs={launcher.ppn},place=scatter:excl,walltime={minutes // 60:02}:{minutes % 60:02}:00",
        "# Other batch systems: the same number of nodes, none of them shared with other jobs.",
        "set -e",
        words.command(build_command(PROGRAM, settings.mpicc, program)),
        words.command(launcher.command(arguments)),
        words.command(["printf", r"%s\n", f"Now: {words.command(now)}"]),
    ]
    return "\n".join(lines) + "\n"
