# SPDX-License-Identifier: BSD-3-Clause
"""Runs and replays that are read without typer mean what typer would have read."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness import Sandbox
from orrery.cli import app, plain, replay, replaying, run, running
from orrery.errors import InputError


class CommandRequest(NamedTuple):
    """The arguments with which a command line starts a run or a replay."""

    settings: object
    output: list[Path]
    report: Path | None
    as_json: bool
    overwrite: bool


@pytest.fixture
def request_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], CommandRequest]:
    """Return a function that makes a call and gives the request that it leads to, which is not carried out."""
    found: list[CommandRequest] = []

    def keep(settings: object, output: list[Path] | None, report: Path | None = None, **flags: Any) -> int:
        found.append(CommandRequest(settings, output or [], report, flags["as_json"], flags.get("overwrite", False)))
        return 0

    for module, name in ((run, "run_and_report"), (running, "run_and_report"), (replay, "replay_and_report"),
                         (replaying, "replay_and_report")):  # fmt: skip
        monkeypatch.setattr(module, name, keep)

    def of(call: Callable[[], object]) -> CommandRequest:
        assert call() == 0
        return found.pop()

    return of


def _by_typer(words: Sequence[str]) -> object:
    return app.load(words)(list(words), prog_name="orrery", standalone_mode=False)


@pytest.mark.parametrize(
    "line",
    [
        "replay a.trace",
        "replay a.trace b.trace --start 0,1.5",
        "replay -p graphene a.trace --ideal --json",
        "replay --platform x.toml a.txt --map node --selector openmpi-5.0 --coll allreduce=ring",
        "replay a.txt --map random:3 --compute-scale 0 --bytes-scale 2 --flops 2e9 --model loggps",
        "replay -o out.json dir/../a.trace -o ./b.trace --overwrite",
        "replay a.trace --replicas 3 --seed 7 --exact",
        "run -n 2 ./a",
        "run -n 0016 a.out -n 3 --json -- -o x",
        "run --ranks 4 --platform graphene --map node --compute none ./a b",
        "run -np 4 --compute 0.5 --launch exec --timeout 30 --repeat 6 --label --json a.py",
        "run -o a.json -n 2 -o b.trace --overwrite --groups job.toml --groups-unmet warn --coll bcast=chain ./a",
        "run -n 2 --selector-rules r.toml --fold-heap 1MiB --spawn-limit 0 --sharing-error 0.001 --replicas 2 ./a",
        "run -n 2 ./a : -n 3 ./b -x",
    ],
)
def test_plain_words_are_read_as_typer_does(
    request_of: Callable[[Callable[[], object]], CommandRequest], line: str
) -> None:
    words = shlex.split(line)
    found = plain.command_of(words)
    assert found is not None
    assert request_of(found) == request_of(lambda: _by_typer(words))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "profile",
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
        "replay a.trace --replicas 0",
        "replay a.trace --replicas 3.5",
        "replay a.trace --report a.html",
        "replay a.trace --nonsense 3",
        "replay a.trace --overwrite",
        "replay a.trace --json a.json",
        "replay a.trace --coll ''",
        "replay ''",
        "replay -",
        "run",
        "run ./a",
        "run -n 2",
        "run -n 0 ./a",
        "run -n two ./a",
        "run -n2 ./a",
        "run -n 2 -n 3 ./a",
        "run -n 2 -- ./a",
        "run -n 2 --seed -1 ./a",
        "run -n 2 --sharing-error 1e-3 ./a",
        "run -n 2 --sharing-error 0.1 ./a",
        "run -n 2 --launch maybe ./a",
        "run -n 2 --json out.json ./a",
        "run -n 2 --help",
        "run -n 2 --report a.html ./a",
    ],
)
def test_whatever_is_not_plain_is_left_to_typer(line: str) -> None:
    assert plain.command_of(shlex.split(line)) is None


def test_an_option_that_the_environment_says_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPIEXEC_TIMEOUT", "5")
    assert plain.command_of(["run", "-n", "2", "./a"]) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("replay", "a.trace", "--compute-scale", "much"), '--compute-scale "much": expected a number 0 or more'),
        (("run", "-n", "2", "--groups-unmet", "warn", "./a"), "--groups-unmet: acts only with --groups"),
        (
            ("run", "-n", "2", "--exact", "--sharing-error", "0.001", "./a"),
            "--sharing-error: not with --exact, which sets it",
        ),
    ],
)
def test_mistakes_in_plain_words_are_told_as_ever(sandbox: Sandbox, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError) as found:
        plain.command_of([*words])
    assert str(found.value) == said
    ended = sandbox.orrery(*words)
    assert (ended.code, ended.out, ended.err) == (2, "", f"orrery: error: {said}\n")
    by_typer = sandbox.orrery(words[0], "--selector=default", *words[1:])  # an option that is not plain
    assert (by_typer.code, by_typer.out, by_typer.err) == (ended.code, ended.out, ended.err)


def test_a_plain_replay_prints_the_same_as_one_that_typer_has_read(sandbox: Sandbox) -> None:
    Path(sandbox.folder / "a.goal").write_text("num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n")
    said = []
    for words in (("-p", "graphene"), ("-pgraphene",)):
        ended = sandbox.orrery("replay", "a.goal", *words)
        assert ended.code == 0
        said.append([line for line in ended.out.splitlines() if not line.startswith("wall time")])
    assert said[0] == said[1]
