# SPDX-License-Identifier: BSD-3-Clause
"""The Cray XT4 and the programs that stand for those of the paper: what they compute, and what they refuse."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.papers.library import paper
from orrery.run.prefix import prefix
from skips import needs

FOLDER = paper("xt4").experiments[0].file.parent


@needs("netpipe")
@pytest.mark.parametrize("platform", ["xt4-cm", "xt4-ob1", "xt4-cray"])
def test_netpipe_measures_the_curve_of_the_experiment(sandbox: Sandbox, platform: str) -> None:
    curve = {
        int(row["bytes"]): float(row["time_s"])
        for row in next(experiment for experiment in paper("xt4").experiments if experiment.name == "figure-3").rows(
            _nothing, quick=True
        )
        if row["platform"] == platform
    }
    options = ("--platform", platform, "--map", "node", "--compute", "none")
    # Five messages there and back for each size: the clock of NetPIPE counts microseconds, so that a time is right to 0.1 us.
    ran = sandbox.orrery("run", "-n", "2", *options, "NPopenmpi", "-p", "0", "-n", "5", "-u", "1048576", "-o", "curve")
    assert ran.code == 0, ran.err
    lines = (sandbox.folder / "curve").read_text(encoding="utf-8").splitlines()
    measured = {int(size): float(time_s) for size, _rate, time_s in (line.split() for line in lines)}
    common = sorted(curve.keys() & measured.keys())
    assert common[0] == 1
    assert common[-1] == 1 << 20
    assert len(common) > 5
    for size in common:
        assert measured[size] == pytest.approx(curve[size], rel=0.005, abs=0.11e-6), size


def _nothing(_done: int, _whole: int) -> None:
    pass


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for source in FOLDER.glob("*.c"):
        compiler = [str(prefix() / "bin" / "mpicc"), "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*compiler, str(source), "-o", str(folder / source.stem), "-lm"], check=True)
    return folder


@pytest.mark.parametrize("ranks", [1, 2, 6])
@pytest.mark.parametrize(
    "command", [["pop", "1", "60", "48", "3"], ["vh1", "2", "12"], ["gtc", "3", "500", "128"], ["s3d", "2", "12"]]
)
def test_a_program_computes_the_same_on_any_number_of_ranks(
    sandbox: Sandbox, programs: Path, command: list[str], ranks: int
) -> None:
    ran = sandbox.orrery("run", "-n", str(ranks), str(programs / command[0]), *command[1:])
    assert ran.code == 0, ran.out + ran.err
    assert "check: ok" in ran.out.splitlines()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["vh1", "1", "13"], "cells that rows and columns do not divide"),
        (["gtc", "1", "100", "128", "4"], "ranks that are no multiple of the sections"),
        # Four cells for a wave are too few for the eighth order.
        (["s3d", "20", "4"], "distance from the wave"),
    ],
)
def test_a_program_says_what_is_wrong(sandbox: Sandbox, programs: Path, command: list[str], said: str) -> None:
    ran = sandbox.orrery("run", "-n", "6", str(programs / command[0]), *command[1:])
    assert ran.code != 0
    assert f"check: failed: {said}" in ran.out
