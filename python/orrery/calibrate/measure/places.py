# SPDX-License-Identifier: BSD-3-Clause
"""Placement of ranks by a launcher, found by a short run."""

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
    """Layout of the ranks that `launcher` starts, from a run of the experiment `hosts`.

    Args:
        launcher: starts the ranks.
        program: path of orrery_bench.
        folder: temporary folder for the files of the run; created, and removed afterwards.
    Raises:
        LaunchError: the launcher or the program failed.
        InputError: `folder` exists with files that Orrery did not write.
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
    """Check the layout before a calibration is resumed, because the host list may have changed. Raises CalibrationError."""
    layout = layout_now(launcher, program, files.places)
    check_layout(layout, launcher.nodes, launcher.ppn)
