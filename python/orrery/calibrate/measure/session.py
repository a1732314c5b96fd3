# SPDX-License-Identifier: BSD-3-Clause
"""The measurement of a calibration: build the program, survey, plan, measure. An interrupted measurement can be resumed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise, zip_longest
from pathlib import Path

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.folder import start_folder
from orrery.calibrate.measure.layout import check_layout, layout_of
from orrery.calibrate.measure.places import check_places
from orrery.calibrate.measure.plan import PlanRequest, plan, survey
from orrery.calibrate.measure.results import CalibrationResults, read
from orrery.calibrate.measure.speed import Speed, speed_of
from orrery.calibrate.measure.written_plan import append, append_plan, count_done, count_planned, is_planned
from orrery.calibrate.settings import CalibrationSettings
from orrery.real_mpi.compiled import Said, build
from orrery.real_mpi.launcher import Launcher

PROGRAM = "bench"
_SURVEY_TIMEOUT_S = 120.0
_GRACE_S = 60.0
"""Seconds in addition to the budget: for start and end, and for the experiment that runs when the budget is used up."""

Progress = Callable[[str, int, int], None]
"""Function that is called with the current step, the number of finished experiments, and the number of all experiments."""


def measure(settings: CalibrationSettings, progress: Progress, said: Said) -> CalibrationResults:
    """Raw samples of all experiments; those that an interrupted measurement left out are measured.

    Raises:
        LaunchError: the launcher failed; samples of finished experiments are kept.
        CalibrationError: the ranks do not run on the nodes that were asked for, or measured nothing.
        InputError: the compiler, the launcher or the folder cannot be used.
    """
    files = start_folder(settings, said)
    launcher = settings.launcher
    progress("building", 0, 0)
    program = build(PROGRAM, settings.mpicc, said=said)
    began = time.monotonic()
    if is_planned(files):
        check_places(launcher, program, files)
    else:
        _survey(launcher, program, files, progress)
        found = read(files.plan, files.results)
        request = _request(found, settings)
        left_s = settings.budget_s - (time.monotonic() - began)
        append_plan(files.plan, plan(replace(request, budget_s=left_s), speed_of(found.curve("half", "survey"))))
    left_s = max(1.0, settings.budget_s - (time.monotonic() - began))
    timeout_s = left_s + _GRACE_S + 0.1 * settings.budget_s
    _run(launcher, program, files, progress, seconds=left_s, timeout_s=timeout_s)
    return read(files.plan, files.results)


def _survey(launcher: Launcher, program: Path, files: Files, progress: Progress) -> None:
    """Run the survey, always from its beginning: an earlier attempt that failed may have run on other nodes."""
    files.plan.unlink(missing_ok=True)
    files.results.unlink(missing_ok=True)
    append(files.plan, survey(launcher.ranks))
    _run(launcher, program, files, progress, seconds=_SURVEY_TIMEOUT_S, timeout_s=_SURVEY_TIMEOUT_S)


def _request(found: CalibrationResults, settings: CalibrationSettings) -> PlanRequest:
    """Ranks and groups from the layout of the survey. Raises CalibrationError for a wrong layout, before more is measured."""
    layout = layout_of(found)
    check_layout(layout, settings.launcher.nodes, settings.launcher.ppn)
    return _request_of(settings, layout.first_ranks(), layout.local_ranks(), shared_kernel=layout.shared_kernel)


def _request_of(
    settings: CalibrationSettings, ranks: list[int], local: list[int], *, shared_kernel: bool = False
) -> PlanRequest:
    groups, virtual = _groups(ranks, settings), settings.vms_per_host is not None
    return PlanRequest(
        first_ranks=_host_by_host(groups) if virtual else ranks,
        local_ranks=local,
        groups=groups,
        budget_s=settings.budget_s,
        seed=settings.seed,
        shared_kernel=shared_kernel,
        virtual=virtual,
    )


def _host_by_host(groups: list[list[int]]) -> list[int]:
    """One rank of each host, then another one of each: neighbours are on different hosts."""
    return [rank for ranks in zip_longest(*groups) for rank in ranks if rank is not None]


def _groups(ranks: list[int], settings: CalibrationSettings) -> list[list[int]]:
    """First ranks of the nodes, by cabinet or site."""
    ends = list(accumulate(settings.groups, initial=0))
    return [ranks[start:end] for start, end in pairwise(ends)]


def write_assumed(settings: CalibrationSettings, said: Said) -> Files:
    """Folder and plan of a calibration that a batch job will measure.

    There is no survey yet, so the plan assumes that consecutive ranks fill one node after the other, and the speed of Gigabit
    Ethernet. Raises InputError if the folder cannot be used.
    """
    files = start_folder(settings, said)
    if is_planned(files):
        return files
    launcher = settings.launcher
    ranks = list(range(0, launcher.ranks, launcher.ppn))
    local = list(range(launcher.ppn)) if launcher.ppn > 1 else []
    request = _request_of(settings, ranks, local)
    files.plan.unlink(missing_ok=True)
    append(files.plan, survey(launcher.ranks))
    append_plan(files.plan, plan(request, Speed()))
    return files


def _run(
    launcher: Launcher, program: Path, files: Files, progress: Progress, *, seconds: float, timeout_s: float
) -> None:
    """Measure all experiments of the plan that are not done yet. Raises LaunchError and CalibrationError."""
    total = count_planned(files.plan)

    def watch() -> int:
        done = count_done(files.results)
        progress("measuring", done, total)
        return done

    watch()
    if count_done(files.results) == total:
        return
    arguments = [str(program), str(files.plan.resolve()), str(files.results.resolve()), f"{seconds:.0f}"]
    launcher.run(arguments, timeout_s=timeout_s, log=files.log, watch=watch)
    watch()
    if count_done(files.results) == 0:
        raise CalibrationError(f"the ranks ended without measuring anything; what the launcher said is in {files.log}")
