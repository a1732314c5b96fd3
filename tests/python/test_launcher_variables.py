# SPDX-License-Identifier: BSD-3-Clause
"""What launchers of other MPI libraries tell ranks by environment variables, Orrery tells them, too."""

from __future__ import annotations

import subprocess

import pytest

from harness import HUNG_S, Sandbox
from orrery import _core
from real_mpis import MPIS, RealMpi

_EXPECTED = {
    # Two ranks on each of two nodes, in order.
    "OMPI_COMM_WORLD_RANK": "0123",
    "OMPI_COMM_WORLD_SIZE": "4444",
    "OMPI_COMM_WORLD_LOCAL_RANK": "0101",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2222",
    "OMPI_COMM_WORLD_NODE_RANK": "0101",
    "PMI_RANK": "0123",
    "PMI_SIZE": "4444",
    "PMI_LOCAL_RANK": "0101",
    "PMI_LOCAL_SIZE": "2222",
    "MPI_LOCALRANKID": "0101",
    "MPI_LOCALNRANKS": "2222",
    "MV2_COMM_WORLD_RANK": "0123",
    "MV2_COMM_WORLD_SIZE": "4444",
    "MV2_COMM_WORLD_LOCAL_RANK": "0101",
    "MV2_COMM_WORLD_LOCAL_SIZE": "2222",
    "SLURM_PROCID": "0123",
    "SLURM_NTASKS": "4444",
    "SLURM_NPROCS": "4444",
    "SLURM_LOCALID": "0101",
    "SLURM_NODEID": "0011",
    "SLURM_NNODES": "2222",
}
_PLACED = ("run", "-n", "4", "--map", "ppr:2")


def test_the_table_is_what_these_tests_expect() -> None:
    assert [family + name for family, name in _core.launcher_variables()] == list(_EXPECTED)


def test_scripts_find_their_place(sandbox: Sandbox) -> None:
    words = " ".join(f"{name}=${name}" for name in _EXPECTED)
    script = f"echo $PMI_RANK {words}; exec {sandbox.program('hello')} > /dev/null"
    ended = sandbox.orrery(*_PLACED, "sh", "-c", script)
    assert ended.code == 0, ended.err
    said = {int(line.split()[0]): line.split()[1:] for line in ended.out.splitlines()}
    for rank in range(4):
        assert said[rank] == [f"{name}={values[rank]}" for name, values in _EXPECTED.items()]


@pytest.mark.parametrize("name", _EXPECTED)
def test_forked_ranks_find_their_place_after_mpi_init(sandbox: Sandbox, name: str) -> None:
    ended = sandbox.orrery(*_PLACED, "--launch", "fork", sandbox.program("places"), name)
    assert sorted(ended.out.splitlines()) == [f"{rank}: nothing {_EXPECTED[name][rank]}" for rank in range(4)]


def test_a_program_that_names_a_variable_is_started_once_for_each_rank(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(*_PLACED, "-o", "run.json", sandbox.program("places"))  # it has OMPI_COMM_WORLD_RANK in it
    assert sorted(ended.out.splitlines()) == [f"{rank}: {rank} {rank}" for rank in range(4)]
    assert ended.record["start"] == "exec"
    assert sandbox.run(4, "hello").record["start"] == "fork"


def test_what_an_outer_launcher_said_is_replaced_and_its_connections_are_gone(sandbox: Sandbox) -> None:
    outer = {"PMI_RANK": "7", "PMI_FD": "9", "PMIX_RANK": "7", "PMIX_SERVER_URI2": "x", "OMPI_COMM_WORLD_SIZE": "99"}
    sandbox.environment |= outer
    ended = sandbox.orrery(
        "run",
        "-n",
        "2",
        "sh",
        "-c",
        f"env | grep -E '^(PMI|OMPI_C)' | sort; exec {sandbox.program('hello')} > /dev/null",
    )
    lines = ended.out.splitlines()
    assert not any(line.startswith(("PMI_FD", "PMIX_")) for line in lines)
    assert lines.count("OMPI_COMM_WORLD_SIZE=2") == 2
    assert {line for line in lines if line.startswith("PMI_RANK=")} == {"PMI_RANK=0", "PMI_RANK=1"}


@pytest.mark.parametrize("mpi", MPIS)
def test_a_real_mpi_sees_no_launcher_in_them(sandbox: Sandbox, mpi: str) -> None:
    """A program that was compiled for a real MPI and is started by hand is alone, whatever these variables say."""
    program = RealMpi(mpi, sandbox).program("hello.c")
    told = {name: values[1] for name, values in _EXPECTED.items()}
    ended = subprocess.run(
        [program],
        env={**sandbox.environment, **told, "TMPDIR": str(sandbox.folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG_S,
    )
    assert (ended.returncode, ended.stdout) == (0, "rank 0 of 1\n"), ended.stderr
