# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a calibration: resumed or new. Samples of earlier calibrations are kept under another name."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from orrery.calibrate.measure.about import About, about_of, read_about, write_about
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.written_plan import count_done, count_planned, is_planned
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError
from orrery.real_mpi.compiled import Said

_RESUME_KEYS = ("nodes", "ppn", "cabinets", "vms_per_host", "command", "mpicc", "seed")
"""Options on which samples depend. The others (budget, name, cores) may differ when a calibration is resumed."""


def start_folder(settings: CalibrationSettings, said: Said) -> Files:
    """Prepare the folder: resume an unfinished calibration with the same options, or start a new one.

    A folder with other options, or with a finished calibration, is renamed first, and `said` is called with its new name.
    Raises InputError if the folder has files of another origin or cannot be created.
    """
    files, about = Files(settings.folder), about_of(settings)
    _check_folder(files)
    if files.about.exists() and (why := _reason_to_restart(files, about, settings)):
        _put_aside(files, why, said)
    try:
        settings.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{settings.folder}: {error.strerror}") from None
    write_about(files, about)
    return files


def new_folder(files: Files, why: str, said: Said) -> None:
    """Make an empty folder for samples; earlier ones are kept under another name, which `said` is told with the reason.

    Raises InputError if the folder has files of another origin or cannot be created.
    """
    _check_folder(files)
    if files.about.exists():
        _put_aside(files, why, said)
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{files.folder}: {error.strerror}") from None


def _check_folder(files: Files) -> None:
    """Raise InputError if the folder has files that Orrery did not write."""
    if not files.folder.exists() or files.about.exists():
        return
    if not files.folder.is_dir():
        raise InputError(f"{files.folder}: is where samples go, and is no folder; name another file with -o")
    if present := sorted(files.folder.iterdir()):
        raise InputError(f"{present[0]}: is where samples go, and Orrery did not write it; name another file with -o")


def _reason_to_restart(files: Files, now: About, settings: CalibrationSettings) -> str:
    """Reason why the calibration in the folder cannot be resumed; empty if it can."""
    try:
        before = read_about(files)
    except InputError:
        return "it is of another version of orrery"
    for key in _RESUME_KEYS:
        if getattr(before, key) != getattr(now, key):
            return f"it had another {key} ({getattr(before, key)}, now {getattr(now, key)})"
    if settings.fresh:
        return "--fresh"
    return "it was finished" if _is_finished(files, settings.output) else ""


def _is_finished(files: Files, output: Path) -> bool:
    """Whether all experiments were measured and the platform file is newer than the samples."""
    if not is_planned(files) or count_done(files.results) < count_planned(files.plan):
        return False
    return output.exists() and output.stat().st_mtime_ns >= files.results.stat().st_mtime_ns


def _put_aside(files: Files, why: str, said: Said) -> None:
    """Rename the folder; remove it if it has only the samples of the survey and no files of another origin."""
    empty = not is_planned(files) or count_done(files.results) == 0
    if empty and all(files.writes(path) for path in files.folder.iterdir()):
        shutil.rmtree(files.folder)
        return
    names = (files.folder.with_name(f"{files.folder.name}.{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    files.folder.rename(aside)
    said(f"{files.folder} holds an earlier calibration, which does not go on: {why}. Its samples are now in {aside}")
