# SPDX-License-Identifier: BSD-3-Clause
"""Plain command lines mean what typer says that they mean."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import Any

import pytest
import typer

from orrery.cli import app, quick

_PLAIN = [
    "run -n 4 ./ring",
    "run -n 16 --platform graphene --map node ./ring -v 3 --n=2 -- -x",
    "run --ranks=4 --model loggps --compute 0.5 --label --json out.json ./a --label",
    "run -n 2 --start exec --clock host --spawn-limit 0 --coll allreduce=ring,bcast=binomial ./a",
    "replay a.trace b.trace --start 0,1.5 --ideal",
    "replay --print-json lu.txt --flops 2e9 --platform p.toml",
    "replay a.goal --loggops= --match recorded",
    "collective allreduce bcast -n 16,64 -s 8:1MiB --algorithm ring --algorithm rabenseifner --csv",
    "collective reduce --root 3 -n 8 --fanout 4 --operation commutative --immediate",
    "profile --per-rank",
    "profile",
]

_LEFT_TO_TYPER = [
    "run ./ring",
    "run -n four ./ring",
    "run -n 4",
    "run -n 4 --nosuch ./ring",
    "run -n 4 --model quick ./ring",
    "run -n 4 --label=yes ./ring",
    "run -n 4 --spawn-limit -1 ./ring",
    "run -n4 ./ring",
    "run --help",
    "collective bcast -n 4 --root three",
    "profile one two three",
]


def _command(words: list[str]) -> Any:
    return next(one for one in app.load(words).registered_commands if one.name == words[0])


def _quickly(words: list[str]) -> dict[str, Any]:
    command = _command(words)
    interspersed = (command.context_settings or {}).get("allow_interspersed_args", True)
    return quick.arguments(command.callback, words[1:], interspersed=interspersed)


def _by_typer(words: list[str]) -> dict[str, Any]:
    command = _command(words)
    seen: dict[str, Any] = {}

    @functools.wraps(command.callback)
    def look(**arguments: Any) -> None:
        seen.update(arguments)

    alone = typer.Typer(add_completion=False)
    alone.command(context_settings=command.context_settings)(look)
    alone(args=words[1:], standalone_mode=False)
    return seen


@pytest.mark.parametrize("line", _PLAIN)
def test_a_plain_command_line_means_what_typer_says(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPIEXEC_TIMEOUT", raising=False)
    assert _quickly(line.split()) == _by_typer(line.split())


@pytest.mark.parametrize("line", _LEFT_TO_TYPER)
def test_mistakes_and_help_are_left_to_typer(line: str) -> None:
    with pytest.raises(quick.UnusualError):
        _quickly(line.split())


def test_a_variable_of_the_environment_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPIEXEC_TIMEOUT", "5")
    with pytest.raises(quick.UnusualError):
        _quickly(["run", "-n", "4", "./ring"])


def test_a_plain_command_loads_no_validator() -> None:
    """Loading pydantic takes as long as simulating a small program."""
    code = (
        "import sys; sys.argv = ['orrery', 'profile', 'nosuch.json']\n"
        "from orrery.cli.app import main; main(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "nosuch.json" in done.stderr
    assert "pydantic" not in done.stdout.split()
