# SPDX-License-Identifier: BSD-3-Clause
"""One calibration from settings to raw samples: build, look, plan, measure; each step is taken up where it was left."""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate, count, pairwise
from pathlib import Path

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.measure.experiments import Line, plain
from orrery.calibrate.measure.layout import Layout, check_layout, layout_of
from orrery.calibrate.measure.plan import Request, plan, survey
from orrery.calibrate.measure.results import Results, read
from orrery.calibrate.measure.settings import CalibrationSettings
from orrery.calibrate.measure.speed import Speed, speed_of
from orrery.errors import InputError
from orrery.real_mpi.compiled import Said, build
from orrery.real_mpi.launcher import Launcher

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

    @property
    def places(self) -> Path:
        """A folder for asking ranks where they are; removed when they have said it."""
        return self.folder / "places"

    def writes(self, path: Path) -> bool:
        """Whether a file or folder is one of these."""
        return path in (self.plan, self.results, self.about, self.log, self.places)


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


def write_about(files: Files, about: About) -> None:
    """Raises InputError when it cannot be written."""
    try:
        files.about.write_text(json.dumps(asdict(about), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{files.about}: {error.strerror}") from None


_OF_SAMPLES = ("nodes", "ppn", "cabinets", "command", "mpicc", "seed")
"""Options that samples depend on. The others (budget, name, cores) may change while a calibration goes on."""


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
    if not _is_planned(files) or _done(files.results) < _total(files.plan):
        return False
    return output.exists() and output.stat().st_mtime_ns >= files.results.stat().st_mtime_ns


def _put_aside(files: Files, why: str, said: Said) -> None:
    """Rename the folder; one without samples but those of the first look is removed, unless it holds files of somebody else."""
    empty = not _is_planned(files) or _done(files.results) == 0
    if empty and all(files.writes(path) for path in files.folder.iterdir()):
        shutil.rmtree(files.folder)
        return
    names = (files.folder.with_name(f"{files.folder.name}.{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    files.folder.rename(aside)
    said(f"{files.folder} holds an earlier calibration, which does not go on: {why}. Its samples are now in {aside}")


def measure(settings: CalibrationSettings, progress: Progress, said: Said) -> Results:
    """All raw samples, measured now as far as they are not there.

    Raises:
        LaunchError: the launcher failed; what was measured is kept.
        CalibrationError: the ranks are not where they should be.
        InputError: the compiler or the launcher cannot be used.
    """
    files = start_folder(settings, said)
    launcher = Launcher(settings.mpirun, settings.nodes, settings.ppn)
    progress("building", 0, 0)
    program = build(PROGRAM, settings.mpicc, said=said)
    began = time.monotonic()
    if _is_planned(files):
        _check_places(launcher, program, files)
    else:
        _look(launcher, program, files, progress)
        found = read(files.plan, files.results)
        request = _request(found, settings)
        left_s = settings.budget_s - (time.monotonic() - began)
        _add(files.plan, plan(replace(request, budget_s=left_s), speed_of(found.curve("half", "survey"))))
    left_s = max(1.0, settings.budget_s - (time.monotonic() - began))
    timeout_s = left_s + _GRACE_S + 0.1 * settings.budget_s
    _run(launcher, program, files, progress, seconds=left_s, timeout_s=timeout_s)
    return read(files.plan, files.results)


def _is_planned(files: Files) -> bool:
    """Whether more than a first look was planned."""
    return files.plan.exists() and _PLANNED in files.plan.read_text(encoding="utf-8")


def _look(launcher: Launcher, program: Path, files: Files, progress: Progress) -> None:
    """The first look, always from the beginning: an attempt that failed may have found other nodes."""
    files.plan.unlink(missing_ok=True)
    files.results.unlink(missing_ok=True)
    _write(files.plan, survey(launcher.ranks))
    _run(launcher, program, files, progress, seconds=_SURVEY_TIMEOUT_S, timeout_s=_SURVEY_TIMEOUT_S)


def _check_places(launcher: Launcher, program: Path, files: Files) -> None:
    """Before a calibration goes on: whether its ranks are placed as before, by a host list that may have changed."""
    layout = layout_now(launcher, program, files.places)
    check_layout(layout, launcher.nodes, launcher.ppn)


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
    _write(files.plan, [plain("hosts", 0.01)])
    arguments = [str(program), str(files.plan.resolve()), str(files.results.resolve())]
    launcher.run(arguments, timeout_s=_SURVEY_TIMEOUT_S, log=files.log)
    layout = layout_of(read(files.plan, files.results))
    shutil.rmtree(folder, ignore_errors=True)
    return layout


def _request(found: Results, settings: CalibrationSettings) -> Request:
    """Pairs and groups of ranks from where they turned out to be; refuses before time is spent on it."""
    layout = layout_of(found)
    check_layout(layout, settings.nodes, settings.ppn)
    ranks = layout.first_ranks()
    return Request(
        ranks, layout.local_ranks(), _groups(ranks, settings), settings.budget_s, settings.seed, layout.shared_kernel
    )


def _groups(ranks: list[int], settings: CalibrationSettings) -> list[list[int]]:
    """First ranks of nodes by cabinet."""
    ends = list(accumulate(settings.groups, initial=0))
    return [ranks[start:end] for start, end in pairwise(ends)]


def write_assumed(settings: CalibrationSettings, said: Said) -> Files:
    """The folder of a calibration that a batch job will measure, with a plan made without having looked: as if ranks went node
    by node over Gigabit Ethernet.
    """
    files = start_folder(settings, said)
    if _is_planned(files):
        return files
    ranks = [node * settings.ppn for node in range(settings.nodes)]
    local = list(range(settings.ppn)) if settings.ppn > 1 else []
    request = Request(ranks, local, _groups(ranks, settings), settings.budget_s, settings.seed)
    files.plan.unlink(missing_ok=True)
    _write(files.plan, survey(settings.nodes * settings.ppn))
    _add(files.plan, plan(request, Speed()))
    return files


def _write(path: Path, lines: list[Line], first: int = 0) -> None:
    """Append lines; the number of the first one makes their names."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line.text(number)}\n" for number, line in enumerate(lines, start=first))


def _add(path: Path, lines: list[Line]) -> None:
    """Behind a first look."""
    first = _total(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{_PLANNED}\n")
    _write(path, lines, first)


def _run(
    launcher: Launcher, program: Path, files: Files, progress: Progress, *, seconds: float, timeout_s: float
) -> None:
    total = _total(files.plan)

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


def _total(plan: Path) -> int:
    return sum(not line.startswith("#") for line in plan.read_text(encoding="utf-8").splitlines())


def _done(results: Path) -> int:
    return results.read_text(encoding="utf-8").count(",done,") if results.exists() else 0
