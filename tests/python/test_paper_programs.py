# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of papers that run a program of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from orrery.errors import InputError, OrreryError
from orrery.papers.experiment import PaperExperiment

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, ranks, bytes = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *data = calloc((size_t)bytes, 1);
    double begin = MPI_Wtime();
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    double end = MPI_Wtime();
    if (rank == 0) printf("bcast: %.9f s\\n%s\\n", end - begin, "CHECK");
    free(data);
    MPI_Finalize();
    return 0;
}
"""
EXPERIMENT = """
title = "A broadcast"
where = "figure 1"

[programs]
source = "bcast.c"
cases = { small = ["8"], large = ["1000000"] }
ranks = [4, 8]
platforms = ["xt4-cm", "xt4-ob1"]
mapping = "node"
quick = { ranks = [4], cases = { small = ["8"] } }

[[claim]]
text = "More bytes take longer"
ratio = [
  { case = "small", ranks = 8, platform = "xt4-cm", part = "total" },
  { case = "large", ranks = 8, platform = "xt4-cm", part = "total" },
]
"""


def _experiment(folder: Path, program: str = PROGRAM, text: str = EXPERIMENT) -> PaperExperiment:
    (folder / "bcast.c").write_text(program.replace("CHECK", "check: ok"), encoding="utf-8")
    (folder / "figure-1.toml").write_text(text, encoding="utf-8")
    return PaperExperiment.read(folder / "figure-1.toml")


def _nothing(_done: int, _whole: int) -> None:
    pass


def test_a_program_gives_a_time_for_each_case_rank_count_platform_and_part(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path)
    told: list[tuple[int, int]] = []
    rows = experiment.rows(lambda done, whole: told.append((done, whole)), quick=False)
    assert told == [(done, 8) for done in range(1, 9)]
    assert len(rows) == 16
    by_part = {(row["case"], row["ranks"], row["platform"], row["part"]): float(row["time_s"]) for row in rows}
    for (case, ranks, platform, part), time_s in by_part.items():
        if part == "bcast":
            assert 0 < time_s < by_part[case, ranks, platform, "total"]
    assert by_part["small", 8, "xt4-cm", "total"] < by_part["small", 8, "xt4-ob1", "total"]
    assert [claim.verdict for claim in experiment.check(rows)] == ["reproduced"]
    assert rows == experiment.rows(_nothing, quick=False), "the same to the last bit"


def test_a_part_may_be_by_size(tmp_path: Path) -> None:
    sized = PROGRAM.replace('printf("bcast: %.9f s', 'printf("bcast of 8 B: 2.5 s\\nbcast: %.9f s')
    rows = [row for row in _experiment(tmp_path, sized).rows(_nothing, quick=True) if row["platform"] == "xt4-cm"]
    assert [(row["part"], row.get("bytes")) for row in rows] == [("total", None), ("bcast", 8), ("bcast", None)]
    assert rows[1]["time_s"] == 2.5


def test_ranks_may_be_on_clusters_of_a_platform(tmp_path: Path) -> None:
    places = 'places = { near = ["orsay"], far = ["orsay", "rennes"] }\nquick'
    text = EXPERIMENT.replace('"xt4-cm", "xt4-ob1"', '"grid3"').replace("quick", places).replace("xt4-cm", "grid3")
    rows = _experiment(tmp_path, text=text).rows(_nothing, quick=True)
    times = {row["place"]: float(row["time_s"]) for row in rows if row["part"] == "bcast"}
    assert times["near"] < 1e-3
    assert times["far"] < 10e-3


def test_routines_are_parts_with_times_calls_and_shares_of_all_ranks(tmp_path: Path) -> None:
    text = EXPERIMENT.replace('mapping = "node"', 'mapping = "node"\nroutines = true\nof_ranks = [0, 3, 99]')
    rows = _experiment(tmp_path, text=text).rows(_nothing, quick=True)
    by_part = {str(row["part"]): row for row in rows if row["platform"] == "xt4-cm"}
    assert by_part["MPI_Bcast"]["calls"] == 4
    ranks = [name for name in by_part if name.startswith("MPI_Bcast of rank")]
    assert ranks == ["MPI_Bcast of rank 0", "MPI_Bcast of rank 3"]
    whole, inside = float(by_part["all"]["time_s"]), float(by_part["mpi"]["time_s"])
    assert whole == pytest.approx(inside + float(by_part["application"]["time_s"]))
    assert 0 < float(by_part["MPI_Bcast"]["time_s"]) <= inside
    assert by_part["mpi"]["percent"] == pytest.approx(100 * inside / whole)
    own = text.replace("of_ranks", 'own = ["MPI_Bcast"]\nof_ranks')
    parts = {str(row["part"]): row for row in _experiment(tmp_path, text=own).rows(_nothing, quick=True)}
    assert "MPI_Bcast" not in parts
    assert float(parts["mpi"]["time_s"]) < inside


def test_what_is_said_of_routines_needs_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="own and of_ranks act only with routines = true"):
        _experiment(tmp_path, text=EXPERIMENT.replace('mapping = "node"', 'mapping = "node"\nown = ["MPI_Bcast"]'))


def test_the_quick_form_of_a_program_leaves_out_what_it_says(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path)
    rows = experiment.rows(_nothing, quick=True)
    assert {(row["case"], row["ranks"]) for row in rows} == {("small", 4)}
    assert [claim.verdict for claim in experiment.check(rows)] == ["left out"]


def test_results_of_another_program_are_not_taken_for_those_of_this_one(tmp_path: Path) -> None:
    before = _experiment(tmp_path).digest(quick=False)
    assert _experiment(tmp_path).digest(quick=False) == before
    assert _experiment(tmp_path, PROGRAM.replace("calloc", "malloc")).digest(quick=False) != before
    (tmp_path / "more.h").write_text("", encoding="utf-8")
    assert _experiment(tmp_path).digest(quick=False) != before


@pytest.mark.parametrize(
    ("program", "error", "said"),
    [
        (
            PROGRAM.replace("CHECK", "check: 3 is not 4"),
            OrreryError,
            "bcast 8 with 4 ranks on xt4-cm: it did not print",
        ),
        (PROGRAM.replace("free(data)", "return 3"), OrreryError, "bcast 8 with 4 ranks on xt4-cm: .*3"),
        (PROGRAM.replace("free(data)", "free data"), InputError, "bcast.c: cannot be compiled.*error"),
    ],
)
def test_a_program_that_fails_ends_the_experiment(
    tmp_path: Path, program: str, error: type[OrreryError], said: str
) -> None:
    with pytest.raises(error, match=said):
        _experiment(tmp_path, program).rows(_nothing, quick=True)
