# SPDX-License-Identifier: BSD-3-Clause
"""The start command with the options of Hydra and Open MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import Sandbox
from orrery.cli.mpiexec.line import StartCommand, line_of
from orrery.cli.mpiexec.vocabulary import IGNORED, REFUSED
from orrery.errors import InputError

TAKES = {"--platform": 1, "-p": 1, "--json": 0, "--timeout": 1}


def _line(*words: str) -> StartCommand:
    return line_of(list(words), TAKES)


def test_programs_have_ranks_variables_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTER", "outside")
    words = [
        "-genv",
        "ALL",
        "1",
        "-np",
        "3",
        "-env",
        "ONE",
        "2",
        "-wdir",
        str(tmp_path),
        "./a",
        "-n",
        "9",
        ":",
        "-n",
        "1",
    ]
    first, second = _line(*words, "-x", "OUTER", "-x", "B=b=c", "./b").programs
    assert (first.command, first.ranks, first.directory) == (["./a", "-n", "9"], 3, str(tmp_path))
    assert first.environment == {"ALL": "1", "ONE": "2"}
    assert (second.command, second.ranks, second.directory) == (["./b"], 1, "")
    assert second.environment == {"ALL": "1", "OUTER": "outside", "B": "b=c"}


@pytest.mark.parametrize(
    ("words", "policy"),
    [
        (["-ppn", "2"], "ppr:2"),
        (["--npernode", "2"], "ppr:2"),
        (["--map-by", "node"], "node"),
        (["--map-by", "core:OVERSUBSCRIBE"], "slot"),
        (["-map-by", "ppr:4:node"], "ppr:4"),
        (["-bynode"], "node"),
        (["-hosts", "a,b:3,a"], "slot@a:2,b:3"),
        (["--host", "a", "-ppn", "2"], "ppr:2@a:1"),
        (["-f", "HOSTS"], "slot@one:1,two:4"),
        (["--hostfile", "HOSTS", "--map-by", "node"], "node@one,two:4"),
        (["--rankfile", "ranks"], "file:ranks"),
        (["-bind-to", "user:0,2"], "slot/0,2"),
        (["-bind-to", "user:0+1,2+3", "-ppn", "2", "-hosts", "a,b"], "ppr:2@a:1,b:1/0+1,2+3"),
        ([], None),
    ],
)
def test_places_become_a_policy(tmp_path: Path, words: list[str], policy: str | None) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("one\ntwo slots=4\n", encoding="utf-8")
    assert _line(*(str(hosts) if word == "HOSTS" else word for word in words), "./a").places.policy() == policy


def test_files_name_programs_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "app"
    file.write_text("# two programs\n-n 2 ./a 'one word'\n\n-np 1 -env X 1 ./b :\n", encoding="utf-8")
    first, second = _line("--app", str(file)).programs
    assert (first.command, first.ranks, second.command, second.environment) == (
        ["./a", "one word"],
        2,
        ["./b"],
        {"X": "1"},
    )


def test_options_of_orrery_go_through() -> None:
    line = _line("-n", "2", "--platform=graphene", "-p", "other", "--json", "-l", "./a", "--platform", "x")
    assert line.words == ["--platform", "graphene", "-p", "other", "--json", "--label"]
    assert line.programs[0].command == ["./a", "--platform", "x"]


@pytest.mark.parametrize("name", sorted(IGNORED))
def test_what_has_no_meaning_is_ignored_with_a_word(name: str) -> None:
    count, why = IGNORED[name]
    values = ["value"] * count
    line = _line(f"-{name}", *values, "./a")
    assert line.said == [f"mpiexec: {' '.join([f'-{name}', *values])} is ignored: {why}"]
    assert line.programs[0].command == ["./a"]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_obeyed_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match=f"mpiexec --{name}: cannot be obeyed in a simulation; "):
        _line(f"--{name}", "./a")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "two", "./a"], "mpiexec -n two: expected a whole number above 0"),
        (["-n"], "mpiexec -n: a value is missing"),
        (["-n", "2"], "a program is missing"),
        (["--hostfil", "x", "./a"], 'did you mean "hostfile"?'),
        (["-x", "NO_SUCH_VARIABLE", "./a"], "the environment has no such variable"),
        (["-wdir", "/no/such", "./a"], "is no folder"),
        (["-s", "all", "./a"], "standard input goes to rank 0"),
        (["--map-by", "dist", "./a"], "expected one of slot, core"),
        (["--map-by", "slot:PE=2", "./a"], "--rankfile"),
        (["-bind-to", "user:a", "./a"], "--rankfile"),
        (["-launcher", "telnet", "./a"], "mpiexec -launcher telnet: expected one of ssh, rsh, slurm"),
        (["-branch-count", "0", "./a"], "mpiexec -branch-count 0: expected a whole number above 0"),
        (["-f", "/no/such", "./a"], "mpiexec -f /no/such: No such file"),
        (["--app", "/no/such"], "mpiexec --app /no/such: No such file"),
    ],
)
def test_mistakes_name_the_option(words: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        _line(*words)


def test_two_sources_of_places_are_refused() -> None:
    with pytest.raises(InputError, match="says where each rank is"):
        _line("--rankfile", "ranks", "-ppn", "2", "./a").places.policy()


SHOW = "echo $ONE $ALL $PWD"


def test_a_line_of_mpiexec_runs(sandbox: Sandbox) -> None:
    (sandbox.folder / "there").mkdir()
    program = sandbox.program("hello")
    words = [
        "-launcher",
        "ssh",
        "-ppn",
        "1",
        "--platform",
        "graphene",
        "-l",
        "-wdir",
        "there",
        "-np",
        "3",
        str(program),
    ]
    ran = sandbox.orrery("mpiexec", *words)
    assert ran.code == 0, ran.err
    assert "mpiexec: -launcher ssh is ignored: platform graphene has no [launch]" in ran.err
    assert "3 ranks on 3 hosts, 1 to a node" in ran.err
    assert ran.out.count("[") == 3


def test_programs_of_a_line_have_folders_and_variables_of_their_own(sandbox: Sandbox) -> None:
    for name in ("one", "two"):
        (sandbox.folder / name).mkdir()
        script = sandbox.folder / name / "show.sh"
        script.write_text(
            f'#!/bin/sh\necho "$MINE in $(basename "$PWD")"\nexec {sandbox.program("hello")}\n', encoding="utf-8"
        )
        script.chmod(0o755)
    words = ["-env", "MINE", "1", "-wdir", "one", "./show.sh", ":", "-env", "MINE", "2", "-wdir", "two", "./show.sh"]
    ran = sandbox.orrery("mpiexec", "-n", "1", *words)
    assert ran.code == 0, ran.err
    assert {"1 in one", "2 in two"} <= set(ran.out.splitlines())
