# SPDX-License-Identifier: BSD-3-Clause
"""Whoever uses a calibrated platform is told how good it is; a poor one is refused without --force."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.cli.app import main
from orrery.errors import InputError
from orrery.experiment.mapping import place
from orrery.experiment.room import check_room
from orrery.platform import core
from orrery.platform.find import BUILTIN
from orrery.platform.load import load
from orrery.platform.trusted import trusted, verdict_of

CALIBRATED = """
[calibration]
date = "2026-01-01"
host = "h"
mpi = "Some MPI"
command = "mpirun -np {n}"
mpicc = "mpicc"
nodes = NODES
ranks_per_node = 2
budget_s = 60.0
seed = 1
samples = 100
"""
REASONS = {
    "poor": ("residual", "between nodes: repeated messages differ by 1,961%", "measure anew while the nodes are quiet"),
    "usable": ("not measured", "messages inside a node were not measured", "--ppn 2"),
}


def platform(folder: Path, *grades: str, nodes: int = 2, verdict: str = "", judged: bool = True) -> str:
    """The built-in platform `default` with a calibration whose reasons have these grades."""
    text = (BUILTIN / "default.toml").read_text(encoding="utf-8") + CALIBRATED.replace("NODES", str(nodes))
    if judged:
        worst = "poor" if "poor" in grades else "usable" if grades else "good"
        text += f'\n[calibration.verdict]\ngrade = "{verdict or worst}"\n'
    for grade in grades:
        about, found, cure = REASONS[grade]
        text += f'\n[[calibration.verdict.reason]]\nabout = "{about}"\ngrade = "{grade}"\nfound = "{found}"\ncure = "{cure}"\n'
    file = folder / "measured.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_poor_platform_is_refused_with_what_makes_it_poor_and_the_cure(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        trusted(platform(tmp_path, "poor", "usable"))
    said = str(refused.value)
    assert "measured.toml: its calibration is poor: between nodes: repeated messages differ by 1,961%" in said
    assert "measure anew while the nodes are quiet" in said
    assert said.endswith("--force")
    assert "inside a node" not in said  # that makes it usable only
    assert "\n" not in said


@pytest.mark.parametrize(
    ("grades", "line"),
    [
        ((), "calibration good\n"),
        (("usable",), "calibration usable: messages inside a node were not measured\n"),
        (
            ("poor", "usable"),
            "calibration poor: between nodes: repeated messages differ by 1,961% (and 1 more: `orrery",
        ),
    ],
)
def test_the_verdict_is_one_line_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], grades: tuple[str, ...], line: str
) -> None:
    trusted(platform(tmp_path, *grades), force=True)
    said = capsys.readouterr()
    assert line in said.err
    assert (said.err.count("\n"), said.out) == (1, "")


def test_a_calibration_that_nobody_judged_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict_of(trusted(platform(tmp_path, judged=False))) is None
    assert "calibration not judged: `orrery calibrate --ingest FOLDER`" in capsys.readouterr().err


def test_nothing_is_said_of_platforms_that_were_not_calibrated(capsys: pytest.CaptureFixture[str]) -> None:
    trusted("default")
    assert capsys.readouterr().err == ""


def test_a_grade_that_is_not_that_of_its_worst_reason_is_a_mistake(tmp_path: Path) -> None:
    file = platform(tmp_path, "poor", verdict="good")
    line = Path(file).read_text(encoding="utf-8").splitlines().index('grade = "good"') + 1
    with pytest.raises(InputError, match=rf'measured.toml:{line}: calibration.verdict.grade = "good": .* make it poor'):
        load(file)


@pytest.mark.parametrize(
    "words",
    [
        ["collective", "bcast", "-n", "2", "-s", "8", "--json"],
        ["collective", "bcast", "-n", "2", "-s", "8", "--versus-sends", "--json"],
        ["benchmark", "bcast", "-n", "2", "-s", "8", "--json"],
        ["tune", "upgrade", "openmpi-4.1:mpich-4.0", "bcast", "-n", "2", "-s", "8", "--json"],
        ["validate", "--ingest", "times.csv", "--json"],
    ],
)
def test_commands_that_predict_ask_for_force_and_hand_the_verdict_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90"
    Path("times.csv").write_text(f"{head}\nbcast,2,8,barrier,10,20,21,22\n", encoding="utf-8")
    words = [*words, "--platform", platform(tmp_path, "poor")]
    monkeypatch.setattr("sys.argv", ["orrery", *words])
    assert main() == 2
    assert "--force" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["orrery", *words, "--force"])
    assert main() == 0
    assert json.loads(capsys.readouterr().out)["calibration"]["grade"] == "poor"


def test_runs_and_replays_ask_for_force_and_hand_the_verdict_on(sandbox: Sandbox) -> None:
    poor = ("--platform", platform(sandbox.folder, "poor"))
    ended = sandbox.run(2, "ring", options=poor)
    assert ended.code == 2
    assert "its calibration is poor" in ended.err
    assert ended.record == {}
    ended = sandbox.run(2, "ring", options=(*poor, "--force", "-o", "ring.trace"))
    assert ended.code == 0, ended.err
    assert ended.record["calibration"]["grade"] == "poor"
    assert any("poor, used with --force" in caution for caution in ended.record["cautions"])
    assert sandbox.replay("ring.trace", *poor).code == 2
    again = sandbox.replay("ring.trace", *poor, "--force")
    assert again.code == 0, again.err
    assert again.record["calibration"] == ended.record["calibration"]


def test_a_run_that_is_repeated_says_the_verdict_once(sandbox: Sandbox) -> None:
    options = ("--platform", platform(sandbox.folder, "usable"), "--compute", "none", "--repeat", "3")
    ended = sandbox.run(2, "ring", options=options)
    assert ended.code == 0, ended.err
    assert ended.err.count("calibration usable") == 1


def test_force_is_refused_where_no_platform_is_used(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.goal").write_text("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n", encoding="utf-8")
    ended = sandbox.orrery("replay", "--loggops", "", "it.goal", "--force")
    assert (ended.code, "--force: not with --loggops" in ended.err) == (2, True)


def test_a_network_that_was_not_measured_joins_no_nodes(tmp_path: Path) -> None:
    # The platform default has many nodes; with --nodes 1 one was measured.
    with pytest.raises(
        InputError, match=r"the network between nodes was not measured \(--nodes 1\).*--nodes 2 or more"
    ):
        load(platform(tmp_path, nodes=1))


def test_ranks_that_need_a_second_node_are_refused_where_no_network_was_measured(tmp_path: Path) -> None:
    plain = load(platform(tmp_path)).model_dump()
    plain["calibration"]["nodes"] = 1
    plain["clusters"] = [plain["clusters"][0] | {"nodes": 1, "cores": 4, "cabinets": []}]
    hardware = core.build(plain)
    check_room(plain, hardware, place(4, [4], "slot"), force=False)
    with pytest.raises(
        InputError, match=r"5 ranks would need a second node; .* Use 4 ranks at most, .*--nodes 2 or more"
    ):
        check_room(plain, hardware, place(5, [4], "slot"), force=False)
    check_room(plain, hardware, place(5, [4], "slot"), force=True)


def test_platform_show_has_the_verdict_with_reasons_and_cures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["orrery", "platform", "show", platform(tmp_path, "poor", "usable")])
    assert main() == 0
    shown = capsys.readouterr().out
    assert "repeated messages differ by 1,961%. Cure: measure anew while the nodes are quiet" in shown
    assert shown.index("1,961%") < shown.index("--ppn 2") < shown.index("nodes  ")
