# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a calibration: one that goes on, or a new one; samples of earlier attempts are put aside."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from orrery.calibrate.measure.about import About, about_of, read_about, write_about
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.settings import CalibrationSettings
from orrery.calibrate.measure.written_plan import count_done, count_planned, is_planned
from orrery.errors import InputError
from orrery.real_mpi.compiled import Said

_OF_SAMPLES = ("nodes", "ppn", "cabinets", "command", "mpicc", "seed")
"""Options that samples depend on. The others (budget, name, cores) may change while a calibration goes on."""


def start_folder(settings: CalibrationSettings, said: Said) -> Files:
    """The folder of a calibration: that of an unfinished one of the same options, which goes on, or a new one.

    An attempt with other options, or one that is finished, stands in nobody's way: its samples are put aside, and `said` is told
    where. Raises InputError for a folder that is no calibration's, or cannot be made.
    """
    files, about = Files(settings.folder), about_of(settings)
    _check_folder(files)
    if files.about.exists() and (why := _why_anew(files, about, settings)):
        _put_aside(files, why, said)
    try:
        settings.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{settings.folder}: {error.strerror}") from None
    write_about(files, about)
    return files


def _check_folder(files: Files) -> None:
    """Raises InputError where samples would be written among files of somebody else."""
    if not files.folder.exists() or files.about.exists():
        return
    if not files.folder.is_dir():
        raise InputError(f"{files.folder}: is where samples go, and is no folder; name another file with -o")
    if present := sorted(files.folder.iterdir()):
        raise InputError(f"{present[0]}: is where samples go, and Orrery did not write it; name another file with -o")


def _why_anew(files: Files, now: About, settings: CalibrationSettings) -> str:
    """Why what is there does not go on; empty if it does."""
    try:
        before = read_about(files)
    except InputError:
        return "it is of another version of orrery"
    for key in _OF_SAMPLES:
        if getattr(before, key) != getattr(now, key):
            return f"it had another {key} ({getattr(before, key)}, now {getattr(now, key)})"
    if settings.fresh:
        return "--fresh"
    return "it was finished" if _is_finished(files, settings.output) else ""


def _is_finished(files: Files, output: Path) -> bool:
    """Whether all of the plan was measured, and the platform file was written from it."""
    if not is_planned(files) or count_done(files.results) < count_planned(files.plan):
        return False
    return output.exists() and output.stat().st_mtime_ns >= files.results.stat().st_mtime_ns


def _put_aside(files: Files, why: str, said: Said) -> None:
    """Rename the folder; one without samples but those of the first look is removed, unless it holds files of somebody else."""
    empty = not is_planned(files) or count_done(files.results) == 0
    if empty and all(files.writes(path) for path in files.folder.iterdir()):
        shutil.rmtree(files.folder)
        return
    names = (files.folder.with_name(f"{files.folder.name}.{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    files.folder.rename(aside)
    said(f"{files.folder} holds an earlier calibration, which does not go on: {why}. Its samples are now in {aside}")
