# SPDX-License-Identifier: BSD-3-Clause
"""Replays that are read without typer mean what typer would have read."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery.cli import app, plain, replay
from orrery.errors import InputError
from orrery.replay.settings import ReplaySettings


@pytest.fixture
def by_typer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What typer makes of the words, which it does not replay."""
    found: list[plain.PlainReplay] = []

    def keep(
        settings: ReplaySettings, output: list[Path], report: Path | None, *, as_json: bool, overwrite: bool
    ) -> int:
        assert report is None  # rare options: typer reads them
        assert not overwrite
        found.append(plain.PlainReplay(settings, output, as_json))
        return 0

    monkeypatch.setattr(replay, "replay_and_report", keep)

    def read(words: Sequence[str]) -> plain.PlainReplay:
        assert app.load(words)(list(words), prog_name="orrery", standalone_mode=False) == 0
        return found[-1]

    return read


@pytest.mark.parametrize(
    "line",
    [
        "replay a.trace",
        "replay a.trace b.trace --start 0,1.5",
        "replay -p graphene a.trace --ideal --json",
        "replay --platform x.toml a.txt --map node --selector openmpi-5.0 --coll allreduce=ring",
        "replay a.txt --map random:3 --compute-scale 0 --bytes-scale 2 --flops 2e9 --model loggps",
        "replay -o out.json dir/../a.trace -o ./b.trace",
    ],
)
def test_a_plain_replay_is_read_as_typer_does(by_typer: Any, line: str) -> None:
    words = shlex.split(line)
    found = plain.replay_of(words)
    assert found is not None
    assert found == by_typer(words)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "run -n 2 a.out",
        "replay",
        "replay --help",
        "replay a.trace -h",
        "replay --ideal",
        "replay -- a.trace",
        "replay a.trace --platform=graphene",
        "replay a.trace -pgraphene",
        "replay a.trace --platform",
        "replay a.trace --platform --ideal",
        "replay a.trace --map node --map slot",
        "replay a.trace -p one --platform two",
        "replay a.trace --ideal --ideal",
        "replay a.trace --model nonsense",
        "replay a.trace --replicas 3",
        "replay a.trace --nonsense 3",
        "replay a.trace --coll ''",
        "replay ''",
        "replay -",
    ],
)
def test_whatever_is_not_plain_is_left_to_typer(line: str) -> None:
    assert plain.replay_of(shlex.split(line)) is None


def test_mistakes_in_plain_words_are_told_as_ever(sandbox: Sandbox) -> None:
    with pytest.raises(InputError, match="--compute-scale"):
        plain.replay_of(["replay", "a.trace", "--compute-scale", "much"])
    for words in (("--compute-scale", "much"), ("--compute-scale=much",)):
        ended = sandbox.orrery("replay", "a.trace", *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == 'orrery: error: --compute-scale "much": expected a number 0 or more\n'


def test_a_plain_replay_prints_the_same_as_one_that_typer_has_read(sandbox: Sandbox) -> None:
    Path(sandbox.folder / "a.goal").write_text("num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n")
    said = []
    for words in (("-p", "graphene"), ("-pgraphene",)):
        ended = sandbox.orrery("replay", "a.goal", *words)
        assert ended.code == 0
        said.append([line for line in ended.out.splitlines() if not line.startswith("wall time")])
    assert said[0] == said[1]
