# SPDX-License-Identifier: BSD-3-Clause
"""Samples that are there already."""

from __future__ import annotations

from dataclasses import replace

from orrery.calibrate.measure.about import read_about, write_about
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.from_logs import samples_of_logs
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError
from orrery.real_mpi.compiled import Said


def ingested(settings: CalibrationSettings, said: Said) -> Files:
    """Return the samples of a folder, or those that files of other benchmarks give.

    What samples do not depend on may be said again: the platform's name, and cores.

    Raises InputError for what holds no samples, and for settings that act on nothing there.
    """
    if all(path.is_file() for path in settings.ingest):
        return samples_of_logs(settings, said)
    folder, *more = settings.ingest
    if more:
        raise InputError(
            f"--ingest {more[0]}: several are read only if all are files; a folder of samples is read by itself"
        )
    if settings.nodes is not None or settings.ppn is not None:
        raise InputError(f"--nodes, --ppn: not with --ingest {folder}: the samples say how they were measured")
    files = Files(folder)
    about = read_about(files)
    now = replace(about, name=settings.name or about.name, cores=settings.cores or about.cores)
    if now != about:
        write_about(files, now)
    return files
