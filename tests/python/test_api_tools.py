# SPDX-License-Identifier: BSD-3-Clause
"""Placing, tuning and watching from Python: what the command line finds, with its texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import orrery as o
from harness import Sandbox
from orrery.errors import InputError
from real_mpis import MPIS, RANKS, RealMpi

MATRIX = "source,target,messages,bytes\n" + "".join(f"{rank},{(rank + 8) % 16},100,1000000\n" for rank in range(16))
"""Each rank talks to the one that is eight away: two ranks on each node should be such a pair."""
PAIRS = """
ranks = 16
steps = 2

[[phase]]
kind = "alltoall"
bytes = "16KiB"
"""


pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(MATRIX, encoding="utf-8")
    return path


def test_ranks_are_placed_as_the_command_line_does(sandbox: Sandbox, matrix: Path) -> None:
    found = o.place(matrix, platform="graphene", seed=3)
    ended = sandbox.orrery("place", str(matrix), "-p", "graphene", "--seed", "3", "--json")
    said = json.loads(ended.out)
    assert found.record["hosts"] == said["hosts"] == found.hosts
    assert all(found.hosts[rank] == found.hosts[rank + 8] for rank in range(8))
    assert not found.kept
    assert found.gain is None  # nothing of a matrix is simulated
    assert found.table[0]["name"] == said["best"]["name"]
    assert "best is" in repr(found)
    assert "pairs.csv" in found._repr_html_()


def test_a_placement_is_written_as_launchers_take_it(matrix: Path, tmp_path: Path) -> None:
    found = o.place(matrix, platform="graphene")
    assert "--map file:" in found.write("pairs.ranks")
    assert "mpiexec -f" in found.write("hosts", "hydra-hostfile")
    assert (tmp_path / "hosts").read_text().count("\n") >= 8
    (tmp_path / "mine").write_text("of the user")
    with pytest.raises(InputError, match="mine"):
        found.write("mine")
    with pytest.raises(InputError, match='format "slurm": expected orrery, openmpi-rankfile'):
        found.write("other", "slurm")  # type: ignore[arg-type]


def test_a_replayed_placement_has_a_gain_or_keeps_what_is_given(tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(PAIRS, encoding="utf-8")
    found = o.place("all.toml", platform="graphene", mapping="node")
    assert found.kept == (found.gain is None)
    assert all(row["simulated_s"] is None or row["simulated_s"] > 0 for row in found.table)


def test_what_would_not_act_on_a_placement_is_refused(matrix: Path) -> None:
    with pytest.raises(InputError, match=r"x: .* is placed as it is, and a program needs ranks"):
        o.place([str(matrix), "x"])
    with pytest.raises(InputError, match="a matrix cannot be simulated"):
        o.place(matrix, selector="mpich-5.0")
    with pytest.raises(InputError, match="expected a trace, a matrix, or a program"):
        o.place([])


def test_a_library_is_tuned_as_the_command_line_does(sandbox: Sandbox, tmp_path: Path) -> None:
    asked = {"library": "openmpi-4.1", "platform": "graphene", "ranks": [4, 8], "sizes": [64, "64KiB"]}
    found = o.tune(["bcast", "allreduce"], **asked)  # type: ignore[arg-type]
    words = ("--library", "openmpi-4.1", "-p", "graphene", "-n", "4,8", "-s", "64,64KiB")
    ended = sandbox.orrery("tune", "bcast", "allreduce", *words, "--json")
    said = json.loads(ended.out)
    assert found.gain == said["gain"]
    assert found.rules.frame("rows") == said["rules"]
    assert [row["chosen"] for row in found.table] == [row["chosen"] for row in said["cells"]]
    assert found.measurements == (0, said["exhaustive"])
    assert len(found.table) == 8
    load = found.write("tuned")
    assert (tmp_path / "tuned" / "openmpi-rules.conf").exists()
    assert any("OMPI_MCA_coll_tuned_dynamic_rules_filename" in line or "mca" in line for line in load)
    assert "8 cells" in repr(found)
    assert "openmpi-4.1" in str(found)


def test_a_program_is_tuned_by_its_trace(tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(PAIRS, encoding="utf-8")
    o.replay("all.toml", platform="graphene", trace="all.trace")
    found = o.tune(library="mpich-5.0", platform="graphene", program="all.trace")
    assert found.program_s is not None
    without, tuned = found.program_s
    assert 0 < tuned <= without * 1.001
    assert [(row["collective"], row["ranks"], row["bytes"]) for row in found.table] == [("alltoall", 16, 16384)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "--library: which MPI is to be tuned"),
        ({"library": "openmpi-4.2"}, "openmpi-4.1"),
        ({"library": "openmpi-4.1", "check": True}, "check: acts only with mpirun"),
        ({"library": "openmpi-4.1", "share": 2.0}, "share 2.0: expected a number from 0 to 1"),
        ({"library": "openmpi-4.1", "program": "x.trace", "sizes": 8}, "sizes: chooses nothing with program"),
        ({"library": "openmpi-4.1", "ranks": 1}, "a message needs two ranks"),
        ({"library": "openmpi-4.1", "model": "hybird"}, 'model "hybird": expected'),
        ({"library": "openmpi-4.1", "own": "no"}, "own 'no': expected bool"),
        ({"library": "openmpi-4.1", "mapping": 3}, "mapping 3: expected str"),
        ({"library": "openmpi-4.1", "ranks": 2.5}, "ranks 2.5: expected int"),
        ({"library": "openmpi-4.1", "ranks": []}, r"ranks \[\]: expected int"),
        ({"library": "openmpi-4.1", "rounds": True}, "rounds True: expected a whole number"),
        ({"library": "openmpi-4.1", "least_gain": float("nan")}, "least_gain nan: expected a number, 0 or more"),
        ({"library": "openmpi-4.1", "budget_s": "2min"}, "budget_s '2min': expected a number, 1 or more"),
        ({"library": "openmpi-4.1", "kinds": 3}, "kinds 3: expected str"),
        ({"library": 4.1}, "library 4.1: expected str"),
    ],
)
def test_what_cannot_be_tuned_says_why(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        o.tune(platform="graphene", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("mpi", MPIS)
def test_a_run_on_a_real_mpi_is_watched(mpi: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    real = RealMpi(mpi, sandbox)
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, sandbox.environment[name])
    more = ["--oversubscribe"] if mpi == "openmpi" else []
    command = [real.mpirun, *more, "-n", str(RANKS), str(real.program("watched.c"))]
    found = o.watch(command, platform="graphene", mapping="slot", quiet=True)
    assert found.exit_code == 0
    assert {row["what"] for row in found.table} >= {"allreduce", "bcast"}
    assert found.record["ranks"] == RANKS
    assert f"{RANKS} ranks" in repr(found)
    assert "allreduce" in found._repr_html_()
    with pytest.raises(InputError, match="expected a list of words"):
        o.watch("mpirun ./cg")
    with pytest.raises(InputError, match="every_s 0: expected"):
        o.watch(["mpirun"], every_s=0)
