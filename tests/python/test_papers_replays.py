# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of papers that replay programs, traces and workloads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import PLAIN_HYBRID
from orrery.errors import InputError, OrreryError
from orrery.papers.claims import Claim, Verdict
from orrery.papers.experiment import PaperExperiment
from orrery.papers.rows import Row

# Half a second of computation, then a message of 1,000,000 bytes: at 1 GB/s a millisecond more.
_PROGRAM = """
#include <mpi.h>
#include <orrery.h>
#include <stdlib.h>
static char data[1000000];
int main(int argc, char **argv) {
  int self;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  ORRERY_COMPUTE(atof(argv[1]));
  if (self == 0) MPI_Send(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (self == 1) MPI_Recv(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return argc == 2 ? 0 : 3;
}
"""
_WORKLOAD = """
ranks = 4
[[phase]]
kind = "compute"
compute_s = "2s"
"""
# 1 us from node to node, 1 GB/s; transfers take up to some times as long.
_PLATFORM = PLAIN_HYBRID.replace("[[network.between", "[network]\nrate_noise = 0.5\n[[network.between")
_EXPERIMENT = """
title = "a program and a workload"
where = "nowhere"
[replays]
platforms = ["plain/plain.toml"]
models = ["fluid"]
"""


def _experiment(folder: Path, more: str) -> PaperExperiment:
    (folder / "program.c").write_text(_PROGRAM, encoding="utf-8")
    for name, text in (("plain", _PLATFORM), ("work", _WORKLOAD)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / f"{name}.toml").write_text(text, encoding="utf-8")
    file = folder / "figure-1.toml"
    file.write_text(_EXPERIMENT + more, encoding="utf-8")
    return PaperExperiment.read(file)


def _rows(experiment: PaperExperiment, *, quick: bool = False) -> list[Row]:
    return experiment.rows(lambda _done, _whole: None, quick=quick)


def test_programs_and_workloads_are_replayed_and_times_are_those_that_they_declare(tmp_path: Path) -> None:
    rows = _rows(
        _experiment(
            tmp_path,
            """
            [[replays.of]]
            program = "program.c"
            arguments = ["0.5"]
            ranks = [2, 3]
            quick_ranks = [2]
            parts = 10
            settings = { name = "mine" }
            [[replays.of]]
            file = "work/work.toml"
            """,
        )
    )
    assert [(row.get("name"), row["ranks"]) for row in rows] == [("mine", 2), ("mine", 3), (None, 4)]
    assert [row["time_s"] for row in rows] == pytest.approx([5.01001, 5.01001, 2.0])
    assert {row["platform"] for row in rows} == {"plain"}


def test_the_quick_form_runs_fewer_ranks_and_leaves_streams_out(tmp_path: Path) -> None:
    experiment = _experiment(
        tmp_path,
        """
        [[replays.of]]
        program = "program.c"
        arguments = ["0.5"]
        ranks = [2, 3]
        quick_ranks = [3]
        [[replays.of]]
        file = "work/work.toml"
        quick = false
        """,
    )
    assert [row["ranks"] for row in _rows(experiment, quick=True)] == [3]


def test_replicas_give_an_interval_and_a_claim_asks_whether_it_holds_a_value(tmp_path: Path) -> None:
    experiment = _experiment(
        tmp_path,
        """
        replicas = 20
        [[replays.of]]
        program = "program.c"
        arguments = ["0.5"]
        ranks = [2]
        """,
    )
    hybrid = experiment.content.replays
    assert hybrid is not None
    row = hybrid.model_copy(update={"models": ["hybrid"]}).rows(tmp_path, lambda _done, _whole: None)[0]
    low, middle, high = (float(row[name]) for name in ("low_s", "time_s", "high_s"))
    assert 0.5 < low < middle < high < 0.51

    def verdict(paper: float) -> Verdict:
        return Claim(text="it is so", interval={"ranks": 2}, paper=paper).check([row], "nowhere").verdict

    assert [verdict(low), verdict(high), verdict(high * 1.001), verdict(0.5)] == [
        "reproduced",
        "reproduced",
        "not reproduced",
        "not reproduced",
    ]


def test_a_value_may_be_the_most(tmp_path: Path) -> None:
    rows: list[Row] = [{"ranks": 2, "time_s": 1.0}]
    for most, expected in ((1.4, "reproduced"), (0.9, "not reproduced")):
        claim = Claim(text="it is so", value={}, paper=most, at_most=True)
        assert claim.check(rows, str(tmp_path)).verdict == expected


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[[replays.of]]\nprogram = "program.c"', "a program has them"),
        ('[[replays.of]]\nfile = "a.trace"\nranks = [2]', "a program has them"),
        ("[[replays.of]]\nranks = [2]", "expected one of file, program"),
    ],
)
def test_a_stream_is_a_file_or_a_program_with_ranks(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _experiment(tmp_path, more)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": "#include <mpi.h>", "new": "#include <no-such.h>"}, r"cannot be compiled.*no-such\.h"),
        ({"old": "argc == 2 ? 0 : 3", "new": "3"}, "program 0.5 with 2 ranks: rank . ended with status 3"),
    ],
)
def test_a_program_that_cannot_be_recorded_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    experiment = _experiment(tmp_path, '[[replays.of]]\nprogram = "program.c"\narguments = ["0.5"]\nranks = [2]\n')
    (tmp_path / "program.c").write_text(_PROGRAM.replace(change["old"], change["new"]), encoding="utf-8")
    with pytest.raises(OrreryError, match=said):
        _rows(experiment)


def test_a_changed_program_is_run_again(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path, '[[replays.of]]\nprogram = "program.c"\narguments = ["0.5"]\nranks = [2]\n')
    before = experiment.digest(quick=False)
    (tmp_path / "program.c").write_text(_PROGRAM + "\n", encoding="utf-8")
    assert experiment.digest(quick=False) != before


def test_platforms_have_the_tables_that_an_experiment_adds(tmp_path: Path) -> None:
    experiment = _experiment(
        tmp_path,
        """
        [replays.tables.transport]
        connection_setup_s = 1.0
        [[replays.of]]
        program = "program.c"
        arguments = ["0.5"]
        ranks = [2]
        """,
    )
    replays = experiment.content.replays
    assert replays is not None
    [row] = replays.model_copy(update={"models": ["hybrid"]}).rows(tmp_path, lambda _done, _whole: None)
    assert 1.5 < float(row["time_s"]) < 1.6
    assert row["platform"] == "plain"
