# SPDX-License-Identifier: BSD-3-Clause
"""What commands load before they do anything: it is most of the time that small ones take."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness import ORRERY, Sandbox

_GOAL = "num_ranks 2\nrank 0 {\nsend 100b to 1 tag 1\n}\nrank 1 {\nrecv 100b from 0 tag 1\n}\n"
_HEAVY = {
    "numpy",
    "matplotlib",
    "plotly",
    "lxml",
    "rich",
    "scipy",
    "polars",
    "pyarrow",
    "duckdb",
    "dask",
    "asyncio",
    "orrery.calibrate",
    "orrery.platform.schema",  # for platforms that were not checked before
}


@pytest.fixture
def schedule(sandbox: Sandbox) -> str:
    path = sandbox.folder / "a.goal"
    path.write_text(_GOAL)
    return str(path)


def _loaded(sandbox: Sandbox, *words: str) -> set[str]:
    """Modules that `orrery WORDS` has loaded when it is over; what pip's script loads before is not ours."""
    command = [sys.executable, "-X", "importtime", "-c", "from orrery.__main__ import main; main()", *words]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=sandbox.folder, env=sandbox.environment
    )
    assert done.returncode == 0, done.stderr[-1000:]
    times = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in times}


def _alone(sandbox: Sandbox) -> Path:
    """A copy of the program in a folder in which there is no Python."""
    if ORRERY.read_bytes()[:4] != b"\x7fELF":
        pytest.skip(f"{ORRERY} is not the compiled program that an installation has")
    folder = sandbox.folder / "alone here"
    folder.mkdir()
    return Path(shutil.copy(ORRERY, folder))


def test_a_schedule_under_loggops_needs_no_python(sandbox: Sandbox, schedule: str) -> None:
    program = _alone(sandbox)
    done = subprocess.run([program, "replay", "--loggops", "", schedule, "--json"], capture_output=True, check=True)
    # o of the sender; and L, and o and 99 G of the receiver.
    assert json.loads(done.stdout)["end_ns"] == [1500, 1500 + 2500 + 1500 + 99 * 6]


def test_without_its_python_the_program_says_what_is_missing(sandbox: Sandbox) -> None:
    program = _alone(sandbox)
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"neither orrery-python nor Python in {program.parent}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_in_an_environment_that_was_moved_the_program_finds_its_python(sandbox: Sandbox) -> None:
    program = _alone(sandbox)
    (program.parent / "orrery-python").write_text("#!/nowhere/python\n")
    (program.parent / "orrery-python").chmod(0o755)
    (program.parent / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (program.parent / "python3").chmod(0o755)
    link = sandbox.folder / "elsewhere"
    link.symlink_to(program)
    done = subprocess.run([link, "--version"], capture_output=True, text=True, check=True, cwd=sandbox.folder)
    assert done.stdout.startswith("orrery ")


def test_what_is_printed_to_a_full_disk_is_missed(sandbox: Sandbox, schedule: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [_alone(sandbox), "replay", "--loggops", "", schedule], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"standard output: No space left" in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("replay", "a.goal"), ("replay", "a.goal", "-pdefault"), ("platform", "list")])
def test_a_full_disk_is_one_line(sandbox: Sandbox, schedule: str, words: tuple[str, ...], unbuffered: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [ORRERY, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
            cwd=Path(schedule).parent,
            env=sandbox.environment | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert (done.returncode, done.stderr) == (1, "orrery: error: standard output: No space left on device\n")


def test_a_closed_output_is_no_place_for_files(sandbox: Sandbox, schedule: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{ORRERY} replay {schedule} -o record.json >&-"],
        capture_output=True,
        check=False,
        text=True,
        cwd=sandbox.folder,
        env=sandbox.environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((sandbox.folder / "record.json").read_text())["ranks"] == 2


def test_replays_load_nothing_that_they_do_not_need(sandbox: Sandbox, schedule: str) -> None:
    _loaded(sandbox, "replay", schedule)  # the platform is checked once
    assert not _loaded(sandbox, "replay", schedule) & {*_HEAVY, "typer", "pydantic", "orrery.run.session"}


def test_runs_load_nothing_that_they_do_not_need(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    _loaded(sandbox, "run", "-n", "2", ring)
    assert not _loaded(sandbox, "run", "-n", "2", ring) & _HEAVY


@pytest.mark.parametrize("options", [("--loggops", "L=2000,o=100"), ("--loggops=",), ("--loggops", "", "--json")])
def test_what_is_done_without_python_is_the_same_as_with_it(
    sandbox: Sandbox, schedule: str, options: tuple[str, ...]
) -> None:
    said = [
        re.sub(
            "[0-9,]+ per second|wall.*",
            "",
            subprocess.run(
                [program, "replay", schedule, *options], capture_output=True, text=True, check=True, cwd=sandbox.folder
            ).stdout,
        )
        for program in (ORRERY, ORRERY.with_name("orrery-python"))
    ]
    assert said[0] == said[1] != ""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("nowhere.goal", "--loggops", ""), "nowhere.goal: No such file"),
        (("a.goal", "--loggops", "X=1"), 'X=1": expected one of L, o, g, G, O, S'),
        (("a.goal", "--loggops"), "requires an argument"),
        (("a.goal", "--loggops", "", "--nonsense"), "--nonsense"),
        (("a.goal", "a.goal", "--loggops", ""), "expected one GOAL schedule"),
        (("--loggops", ""), "TRACE"),
    ],
)
def test_mistakes_beside_loggops_are_one_line(
    sandbox: Sandbox, schedule: str, words: tuple[str, ...], complaint: str
) -> None:
    assert Path(schedule).name == "a.goal"
    ended = sandbox.orrery("replay", *words)
    assert (ended.code, ended.out) == (2, "")
    assert complaint in ended.err
    assert ended.err.count("\n") == 1
