# SPDX-License-Identifier: BSD-3-Clause
"""What commands load before they do anything: it is most of the time that small ones take."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness import Sandbox

_GOAL = "num_ranks 2\nrank 0 {\nsend 100b to 1 tag 1\n}\nrank 1 {\nrecv 100b from 0 tag 1\n}\n"
_HEAVY = {
    "numpy",
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


def test_a_schedule_under_loggops_loads_next_to_nothing(sandbox: Sandbox, schedule: str) -> None:
    loaded = _loaded(sandbox, "replay", "--loggops", "", schedule)
    assert "orrery._loggops" in loaded
    assert not loaded & (
        _HEAVY | {"typer", "pydantic", "orrery._core", "typing", "re", "json", "pathlib", "dataclasses"}
    )


def test_replays_load_nothing_that_they_do_not_need(sandbox: Sandbox, schedule: str) -> None:
    _loaded(sandbox, "replay", schedule)  # the platform is checked once
    assert not _loaded(sandbox, "replay", schedule) & _HEAVY


def test_runs_load_nothing_that_they_do_not_need(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    assert not _loaded(sandbox, "run", "-n", "2", ring) & _HEAVY


@pytest.mark.parametrize("options", [("--loggops", "L=2000,o=100"), ("--loggops=",), ("--loggops", "", "--print-json")])
def test_what_is_read_without_typer_does_the_same_as_with_it(
    sandbox: Sandbox, schedule: str, options: tuple[str, ...]
) -> None:
    said = [
        re.sub("[0-9,]+ per second|wall.*", "", sandbox.orrery("replay", *more, schedule, *options).out)
        for more in ((), ("--map", "slot"))  # which the quick reader does not know
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
