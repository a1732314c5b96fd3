# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery` says about itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

import orrery
from harness import ORRERY
from orrery.cli import app


def _orrery(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ORRERY, *arguments], check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    "command", ["", "run", "profile", "platform", "platform show", "platform keys", "platform schema", "prefix"]
)
def test_help_teaches_with_examples(command: str) -> None:
    done = _orrery(*command.split(), "--help")
    assert done.returncode == 0
    assert "orrery " in done.stdout
    assert done.stderr == ""


def test_help_of_run_names_every_option_and_choice() -> None:
    text = " ".join(_orrery("run", "--help").stdout.split())
    for option in ("-n", "--platform", "--model", "--map", "--launch", "--clock", "--compute", "--coll", "--label"):
        assert option in text
    for choice in ("hybrid|loggps|fluid", "slot|node", "fork|exec", "simulated|host", "steady|raw|none|FACTOR"):
        assert choice in text


def test_the_version_is_that_of_the_package() -> None:
    assert _orrery("--version").stdout == f"orrery {orrery.__version__}\n"


def test_help_names_the_version_and_the_completion_of_words_which_works() -> None:
    text = _orrery("--help").stdout
    assert all(option in text for option in ("--version", "--install-completion", "--show-completion"))
    environment = {**os.environ, "_ORRERY_COMPLETE": "complete_bash", "COMP_WORDS": "orrery rep", "COMP_CWORD": "1"}
    done = subprocess.run([ORRERY], check=False, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["replay"]


def test_the_prefix_holds_an_mpi() -> None:
    prefix = Path(_orrery("prefix").stdout.strip())
    assert (prefix / "bin" / "mpicc").is_file()
    assert (prefix / "include" / "mpi.h").is_file()
    assert list((prefix / "lib").glob("libmpi_abi.so*"))


def test_the_built_in_platforms_are_listed() -> None:
    listed = json.loads(_orrery("platform", "list", "--json").stdout)
    assert {"default", "graphene", "grid2", "grid3", "xt4-cm"} <= {platform["name"] for platform in listed}
    assert all(Path(platform["file"]).is_file() for platform in listed)


@pytest.mark.parametrize("name", ["default", "graphene", "grid2"])
def test_a_platform_is_shown_as_approved(name: str, approved: Callable[[str, str], None]) -> None:
    first, rest = _orrery("platform", "show", name).stdout.split("\n", 1)
    assert first.endswith(f"/{name}.toml")
    approved(f"platform-{name}.txt", rest)


def test_a_shown_platform_in_json_has_every_value() -> None:
    shown = json.loads(_orrery("platform", "show", "graphene", "--json").stdout)
    assert shown["cluster"][0]["cabinet"][1]["nodes"] == 35
    assert shown["network"]["between_nodes"][3]["protocol"] == "detached"


def test_a_command_that_does_not_exist_is_one_line() -> None:
    done = _orrery("rnu")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "rnu" in done.stderr


def test_running_out_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    commands = typer.Typer()

    @commands.command()
    def hungry() -> None:
        raise MemoryError

    monkeypatch.setattr(sys, "argv", ["orrery"])
    assert app.main(commands) == 1
    assert capsys.readouterr().err.startswith("orrery: error: out of memory")


def test_a_run_loads_nothing_that_it_does_not_need() -> None:
    """`orrery run` must start quickly: what is slow to load and not needed stays out."""
    code = "import sys, orrery.cli.app, orrery.run.session, orrery.report.summary; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "rich", "rich.console", "asyncio"} & set(loaded)
