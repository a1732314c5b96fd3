# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a calibration: what goes on, and what is put aside so that it stands in nobody's way."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from orrery.calibrate.measure import Files, layout_now, read_about
from orrery.calibrate.measure.folder import start_folder
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError
from orrery.real_mpi import launcher
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher

FIRST_LOOK = "hosts0 hosts\n"
PLAN = f"{FIRST_LOOK}# what follows was planned with what the lines above found\np1 ping group=net a=0 b=1 bytes=8\n"
LOOKED = "hosts0,done,0,0,0,0,1\n"
MEASURED = f"{LOOKED}p1,send,0,1,8,0,1e-6\np1,done,0,0,0,0,1\n"


def _settings(folder: Path) -> CalibrationSettings:
    return CalibrationSettings(output=folder / "x.toml", nodes=4, budget_s=60.0)


def _attempt(settings: CalibrationSettings, plan: str = PLAN, results: str = LOOKED) -> Files:
    """What an earlier attempt left."""
    files = start_folder(settings, pytest.fail)
    files.plan.write_text(plan, encoding="utf-8")
    files.results.write_text(results, encoding="utf-8")
    return files


def test_an_unfinished_calibration_with_the_same_options_goes_on(tmp_path: Path) -> None:
    files = _attempt(_settings(tmp_path))
    start_folder(_settings(tmp_path), pytest.fail)
    assert files.results.read_text(encoding="utf-8") == LOOKED


def test_what_samples_do_not_depend_on_may_change_while_a_calibration_goes_on(tmp_path: Path) -> None:
    files = _attempt(_settings(tmp_path))
    start_folder(replace(_settings(tmp_path), cores=8, name="y", budget_s=600.0), pytest.fail)
    about = read_about(files)
    assert (about.cores, about.name, about.budget_s) == (8, "y", 600.0)
    assert files.results.exists()


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("nodes", 2, "another nodes (4, now 2)"),
        ("ppn", 2, "another ppn"),
        ("mpirun", "srun -n {n}", "another command"),
        ("mpicc", "mpicc.mpich", "another mpicc"),
        ("cabinets", (2, 2), "another cabinets"),
        ("seed", 2, "another seed"),
        ("fresh", True, "--fresh"),
    ],
)
def test_samples_of_another_attempt_are_put_aside_and_said_to_be(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    _attempt(_settings(tmp_path))
    told: list[str] = []
    files = start_folder(replace(_settings(tmp_path), **{key: value}), told.append)  # type: ignore[arg-type]
    assert len(told) == 1
    assert said in told[0]
    assert "x.calibration.1" in told[0]
    assert not files.results.exists()
    aside = Files(tmp_path / "x.calibration.1")
    assert aside.results.read_text(encoding="utf-8") == LOOKED
    assert read_about(aside).nodes == 4


def test_a_second_attempt_is_put_beside_the_first(tmp_path: Path) -> None:
    for number in (1, 2):
        _attempt(_settings(tmp_path))
        start_folder(replace(_settings(tmp_path), fresh=True), lambda _: None)
        assert (tmp_path / f"x.calibration.{number}" / "results.csv").exists()


@pytest.mark.parametrize(("plan", "results"), [(FIRST_LOOK, LOOKED), ("", ""), (PLAN, "")])
def test_an_attempt_that_measured_nothing_leaves_no_trace(tmp_path: Path, plan: str, results: str) -> None:
    _attempt(_settings(tmp_path), plan, results)
    start_folder(replace(_settings(tmp_path), nodes=2), pytest.fail)
    assert [path.name for path in tmp_path.iterdir()] == ["x.calibration"]


def test_a_finished_calibration_is_measured_anew(tmp_path: Path) -> None:
    _attempt(_settings(tmp_path), results=MEASURED)
    start_folder(_settings(tmp_path), pytest.fail)  # no platform file yet: only the fit is missing
    _settings(tmp_path).output.write_text("", encoding="utf-8")
    told: list[str] = []
    start_folder(_settings(tmp_path), told.append)
    assert "it was finished" in told[0]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    settings.folder.mkdir()
    (settings.folder / "thesis.tex").write_text("", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"thesis.tex: is where samples go, and Orrery did not write it; name another file with -o"
    ):
        start_folder(settings, pytest.fail)


def test_an_attempt_that_measured_nothing_is_put_aside_where_it_holds_files_of_somebody(tmp_path: Path) -> None:
    _attempt(_settings(tmp_path), "", "")
    (tmp_path / "x.calibration" / "thesis.tex").write_text("mine", encoding="utf-8")
    told: list[str] = []
    start_folder(replace(_settings(tmp_path), nodes=2), told.append)
    assert (tmp_path / "x.calibration.1" / "thesis.tex").read_text(encoding="utf-8") == "mine"
    assert "x.calibration.1" in told[0]


def test_a_folder_for_places_that_holds_files_of_somebody_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "times.places"
    folder.mkdir()
    (folder / "thesis.tex").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"thesis.tex: is where ranks say their places"):
        layout_now(Launcher("false {n}", 2), Path("bench"), folder)


def test_one_rank_is_refused_as_it_exchanges_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="say --ppn 2 or more for a node by itself"):
        replace(_settings(tmp_path), nodes=1)


def test_compiling_is_said_before_it_is_done_and_only_then(tmp_path: Path) -> None:
    # A compiler that takes the command line of mpicc and makes an empty program.
    compiler = tmp_path / "mycc"
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = -show ] && { echo mycc; exit; }\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n',
        encoding="utf-8",
    )
    compiler.chmod(0o755)
    told: list[str] = []
    for _ in range(2):
        build("capture", str(compiler), tmp_path / "cache", said=told.append)
    assert len(told) == 2  # nothing of the second time, when it is there
    assert f"compiling the capture library for this MPI with {compiler}" in told[0]
    assert told[1].startswith("compiled in ")


class _Program:
    """A program that runs for some looks at it."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def wait(self, timeout: float) -> int:
        if self.left == 0:
            return 0
        self.left -= 1
        raise subprocess.TimeoutExpired("program", timeout)


@pytest.mark.parametrize(("steps", "ends"), [(1, False), (10, False), (100, True)])
def test_a_program_that_gets_further_has_its_time_again_for_each_step(steps: int, ends: bool) -> None:  # noqa: FBT001
    """It runs for 200 s, and has 5 s for each of its steps."""
    program = _Program(800)
    code = launcher._wait(program, 5.0, lambda: program.left * steps // 800)  # type: ignore[arg-type]
    assert (code == 0) is ends
