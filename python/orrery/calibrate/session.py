# SPDX-License-Identifier: BSD-3-Clause
"""One calibration from settings to raw samples: build, look, plan, measure; each step is taken up where it was left."""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from orrery.calibrate.compiled import build
from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.experiments import Line
from orrery.calibrate.launcher import Launcher
from orrery.calibrate.layout import check_layout, layout_of
from orrery.calibrate.plan import Request, plan, survey
from orrery.calibrate.results import Results, read
from orrery.calibrate.settings import CalibrationSettings
from orrery.calibrate.speed import Speed, speed_of
from orrery.errors import InputError

PROGRAM = "bench"
_SURVEY_TIMEOUT_S = 120.0
_GRACE_S = 60.0
"""For the experiment under way when the time is up, and for starting and ending."""
_PLANNED = "# what follows was planned with what the lines above found"

Progress = Callable[[str, int, int], None]
"""Told what is done, how many experiments are, and of how many."""


@dataclass(frozen=True)
class Files:
    """The folder of a calibration."""

    folder: Path

    @property
    def plan(self) -> Path:
        """Lines for orrery_bench."""
        return self.folder / "plan.txt"

    @property
    def results(self) -> Path:
        """Raw samples."""
        return self.folder / "results.csv"

    @property
    def about(self) -> Path:
        """How it was measured."""
        return self.folder / "about.json"

    @property
    def log(self) -> Path:
        """What the launcher said."""
        return self.folder / "launcher.log"


@dataclass(frozen=True)
class About:
    """What the raw samples do not say of themselves."""

    date: str
    host: str
    command: str
    mpicc: str
    nodes: int
    ppn: int
    cabinets: list[int]
    cores: int | None
    budget_s: float
    seed: int
    name: str


def about_of(settings: CalibrationSettings) -> About:
    """As of now and here."""
    return About(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        host=socket.gethostname(),
        command=settings.mpirun,
        mpicc=settings.mpicc,
        nodes=settings.nodes,
        ppn=settings.ppn,
        cabinets=settings.groups,
        cores=settings.cores,
        budget_s=settings.budget_s,
        seed=settings.seed,
        name=settings.name,
    )


def read_about(files: Files) -> About:
    """Raises InputError when the folder holds no calibration."""
    try:
        return About(**json.loads(files.about.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(
            f"{files.about}: {error.strerror}; expected the folder of a calibration (NAME.calibration)"
        ) from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{files.about}: {error}; is it of this version of orrery?") from None


def start_folder(settings: CalibrationSettings) -> Files:
    """A folder for a new calibration, or that of an interrupted one. Raises InputError when that one was another."""
    files, about = Files(settings.folder), about_of(settings)
    if settings.fresh and files.about.exists():
        shutil.rmtree(settings.folder)
    try:
        settings.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{settings.folder}: {error.strerror}") from None
    if files.about.exists():
        _check_same(read_about(files), about, files)
    else:
        files.about.write_text(json.dumps(asdict(about), indent=1) + "\n", encoding="utf-8")
    return files


def _check_same(before: About, now: About, files: Files) -> None:
    for key in ("nodes", "ppn", "cabinets", "command"):
        if getattr(before, key) != getattr(now, key):
            raise InputError(
                f"{files.folder} holds a calibration with another {key} ({getattr(before, key)}, now {getattr(now, key)}): "
                f"say --fresh to measure anew, or another -o"
            )


def measure(settings: CalibrationSettings, progress: Progress) -> Results:
    """All raw samples, measured now as far as they are not there.

    Raises:
        CalibrationError: the launcher failed, or the ranks are not where they should be; what was measured is kept.
        InputError: the compiler or the launcher cannot be used.
    """
    files = start_folder(settings)
    launcher = Launcher(settings.mpirun, settings.nodes, settings.ppn)
    progress("building", 0, 0)
    program = build(PROGRAM, settings.mpicc)
    began = time.monotonic()
    if not files.plan.exists():
        _write(files.plan, survey(launcher.ranks), 0)
    text = files.plan.read_text(encoding="utf-8")
    if _PLANNED not in text:
        _run(launcher, program, files, progress, seconds=_SURVEY_TIMEOUT_S, timeout_s=_SURVEY_TIMEOUT_S)
        found = read(files.plan, files.results)
        request = _request(found, settings)
        left_s = settings.budget_s - (time.monotonic() - began)
        lines = plan(Request(**{**asdict(request), "budget_s": left_s}), speed_of(found.curve("half", "survey")))
        _write(files.plan, lines, text.count("\n"))
    left_s = max(1.0, settings.budget_s - (time.monotonic() - began))
    timeout_s = left_s + _GRACE_S + 0.1 * settings.budget_s
    _run(launcher, program, files, progress, seconds=left_s, timeout_s=timeout_s)
    return read(files.plan, files.results)


def _request(found: Results, settings: CalibrationSettings) -> Request:
    """Pairs and groups of ranks from where they turned out to be; refuses before time is spent on it."""
    layout = layout_of(found)
    check_layout(layout, settings.nodes, settings.ppn)
    ranks = layout.first_ranks()
    groups, start = [], 0
    for size in settings.groups:
        groups.append(ranks[start : start + size])
        start += size
    return Request(ranks, layout.local_pair(), groups, settings.budget_s, settings.seed, layout.shared_kernel)


def assumed_plan(settings: CalibrationSettings) -> list[Line]:
    """A plan without having looked, for a batch job: as if ranks went node by node over Gigabit Ethernet."""
    ranks = [node * settings.ppn for node in range(settings.nodes)]
    groups, start = [], 0
    for size in settings.groups:
        groups.append(ranks[start : start + size])
        start += size
    local = (0, 1) if settings.ppn > 1 else None
    request = Request(ranks, local, groups, settings.budget_s, settings.seed)
    return survey(settings.nodes * settings.ppn) + plan(request, Speed())


def write_assumed(settings: CalibrationSettings) -> Files:
    """The folder of a calibration that a batch job will measure."""
    files = start_folder(settings)
    if not files.plan.exists():
        _write(files.plan, assumed_plan(settings), 0)
    return files


def _write(path: Path, lines: list[Line], before: int) -> None:
    with path.open("a", encoding="utf-8") as file:
        if before:
            file.write(f"{_PLANNED}\n")
        file.writelines(f"{line.text(number)}\n" for number, line in enumerate(lines, start=before))


def _run(
    launcher: Launcher, program: Path, files: Files, progress: Progress, *, seconds: float, timeout_s: float
) -> None:
    total = sum(not line.startswith("#") for line in files.plan.read_text(encoding="utf-8").splitlines())

    def watch() -> None:
        progress("measuring", _done(files.results), total)

    watch()
    if _done(files.results) == total:
        return
    arguments = [str(program), str(files.plan.resolve()), str(files.results.resolve()), f"{seconds:.0f}"]
    launcher.run(arguments, timeout_s=timeout_s, log=files.log, watch=watch)
    watch()
    if _done(files.results) == 0:
        raise CalibrationError(f"the ranks ended without measuring anything; what the launcher said is in {files.log}")


def _done(results: Path) -> int:
    return results.read_text(encoding="utf-8").count(",done,") if results.exists() else 0
