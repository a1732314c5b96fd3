# SPDX-License-Identifier: BSD-3-Clause
"""Where a launcher puts its ranks, asked of the ranks."""

from __future__ import annotations

import shutil
from pathlib import Path

from orrery.calibrate.measure.experiments import plain
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.layout import Layout, check_layout, layout_of
from orrery.calibrate.measure.results import read
from orrery.calibrate.measure.written_plan import append
from orrery.errors import InputError
from orrery.real_mpi.launcher import Launcher

_SURVEY_TIMEOUT_S = 120.0


def layout_now(launcher: Launcher, program: Path, folder: Path) -> Layout:
    """Where a launcher puts its ranks, asked of the ranks. Raises LaunchError when it fails.

    `program`: orrery_bench; `folder`: for its files, which is made, and removed once they were read. Raises InputError where it
    holds others.
    """
    files = Files(folder)
    if folder.exists() and (strange := [path for path in sorted(folder.iterdir()) if not files.writes(path)]):
        raise InputError(f"{strange[0]}: is where ranks say their places, and Orrery did not write it; move it away")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    append(files.plan, [plain("hosts", 0.01)])
    arguments = [str(program), str(files.plan.resolve()), str(files.results.resolve())]
    launcher.run(arguments, timeout_s=_SURVEY_TIMEOUT_S, log=files.log)
    layout = layout_of(read(files.plan, files.results))
    shutil.rmtree(folder, ignore_errors=True)
    return layout


def check_places(launcher: Launcher, program: Path, files: Files) -> None:
    """Before a calibration goes on: whether its ranks are placed as before, by a host list that may have changed."""
    layout = layout_now(launcher, program, files.places)
    check_layout(layout, launcher.nodes, launcher.ppn)
