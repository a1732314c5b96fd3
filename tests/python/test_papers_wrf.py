# SPDX-License-Identifier: BSD-3-Clause
"""WRF's pattern: the calls of em_b_wave.c are those of the paper's tables; and two relatives of WRF that run as they are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from harness import Sandbox
from needs import NEEDS
from orrery.papers.compiled import compiled
from orrery.papers.library import FOLDER
from skips import needs

STEPS = 720
TABLES = {
    2: {"MPI_Isend": 63_380, "MPI_Irecv": 63_380, "MPI_Wait": 126_760},
    4: {"MPI_Isend": 386_040, "MPI_Irecv": 386_040, "MPI_Wait": 772_080},
    8: {"MPI_Isend": 898_840, "MPI_Wait": 1_797_680},
    16: {"MPI_Isend": 1_786_160, "MPI_Wait": 3_572_320},
}
"""Calls of all ranks in tables 6 to 13; from 8 ranks on TAU stopped to count MPI_Irecv on some."""
OF_A_RANK = {
    "MPI_Bcast": 10_882,
    "MPI_Gather": 6_686,
    "MPI_Gatherv": 6_615,
    "MPI_Scatterv": 71,
    "MPI_Allgather": 4,
    "MPI_Allreduce": 2,
    "MPI_Comm_split": 2,
    "MPI_Comm_dup": 1,
}
"""Calls of one rank, alike for all numbers of ranks."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(FOLDER / "wrf" / "em_b_wave.c", tmp_path_factory.mktemp("wrf"))


def _calls(sandbox: Sandbox, program: Path, ranks: int, steps: int) -> dict[tuple[int | None, str], int]:
    line = ("--platform", "futuregrid-physical", "--map", "node", "--compute", "none")
    ended = sandbox.orrery("run", "-n", str(ranks), *line, "-o", "run.json", str(program), str(steps), "1")
    assert ended.code == 0, ended.err
    assert "check: ok" in ended.out.splitlines()
    profile = ended.record["profile"]
    rows = [*profile["summed"], *profile["per_rank"]]
    return {(row["rank"], row["name"].removesuffix("()")): row["calls"] for row in rows}


@pytest.mark.parametrize("ranks", list(TABLES))
def test_the_calls_of_all_four_sizes_are_those_of_the_tables(sandbox: Sandbox, program: Path, ranks: int) -> None:
    begin, after_one, after_two = (_calls(sandbox, program, ranks, steps) for steps in (0, 1, 2))

    def after_all(rank: int | None, name: str) -> int:
        each = after_one[rank, name] - begin[rank, name]
        assert after_two[rank, name] == after_one[rank, name] + each, "every step is alike"
        return begin[rank, name] + STEPS * each

    begin.update({(rank, name): 0 for rank, name in after_one if (rank, name) not in begin})
    assert {name: after_all(None, name) for name in TABLES[ranks]} == TABLES[ranks]
    if ranks == 16:
        at_walls = [after_all(rank, "MPI_Irecv") for rank in (*range(4), *range(12, 16))]
        assert sum(at_walls) == 766_320, "what TAU counts on the ranks with fewer than 100,001 calls"
        assert min(after_all(rank, "MPI_Irecv") for rank in range(4, 12)) > 100_001


def test_output_and_the_start_take_the_calls_of_the_tables(sandbox: Sandbox, program: Path) -> None:
    frames = 21
    begin, after_one = (_calls(sandbox, program, 2, steps) for steps in (0, 1))
    for name, calls in OF_A_RANK.items():
        assert begin[1, name] + (frames - 1) * (after_one[1, name] - begin[1, name]) == calls, name


@needs("veros")
def test_an_ocean_model_of_pypi_runs_as_it_is(sandbox: Sandbox) -> None:
    sandbox.environment["MPI4PY_MPIABI"] = "mpich"
    veros = str(NEEDS["veros"].program())
    subprocess.run([veros, "copy-setup", "acc"], check=True, cwd=sandbox.folder, capture_output=True)
    line = ("run", "acc/acc.py", "--backend", "numpy", "-n", "2", "2", "-s", "runlen", "86400", "--diskless-mode")
    ended = sandbox.orrery("run", "-n", "4", "--platform", "futuregrid-physical", "-o", "run.json", veros, *line)
    assert ended.code == 0, ended.err
    assert "Integration done" in ended.out
    calls = {row["name"]: row["calls"] for row in ended.record["profile"]["summed"]}
    assert calls["MPI_Sendrecv_c()"] > 100, "halos"


@needs("ectrans")
def test_transforms_of_a_weather_model_of_debian_run_as_they_are(sandbox: Sandbox) -> None:
    sandbox.environment |= {"OMP_NUM_THREADS": "1", "ECTRANS_USE_MPI": "1"}
    program = ("ectrans-benchmark-dp", "-t", "47", "--niter", "2", "--norms")
    ended = sandbox.orrery("run", "-n", "4", "--platform", "futuregrid-physical", "-o", "run.json", *program)
    assert ended.code == 0, ended.err
    found = re.search(r"max error combined = += +(\S+)", ended.out)
    assert found is not None
    assert float(found[1]) < 1e-14, "there and back is where it began"
    assert ended.record["interface"] == "openmpi"
