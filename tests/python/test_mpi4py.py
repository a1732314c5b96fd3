# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py from PyPI, unchanged: its wheel holds a module for MPICH's binary interface and one for Open MPI's."""

from __future__ import annotations

import sys

import pytest

from harness import PROGRAMS, Ended, Sandbox

pytest.importorskip("mpi4py")


def run(sandbox: Sandbox, ranks: int, *arguments: str) -> Ended:
    """Python in `ranks` processes."""
    return sandbox.orrery("run", "-n", str(ranks), "-o", "run.json", sys.executable, *arguments)


@pytest.fixture(params=["mpich", "openmpi"])
def interface(request: pytest.FixtureRequest, sandbox: Sandbox) -> str:
    """The module that Python will import."""
    name: str = request.param
    sandbox.environment["MPI4PY_MPIABI"] = name
    return name


def test_its_hello_world_greets_from_every_rank(interface: str, sandbox: Sandbox) -> None:
    ended = run(sandbox, 5, "-m", "mpi4py.bench", "helloworld")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert [line.split(" on ")[0] for line in lines] == [f"Hello, World! I am process {rank} of 5" for rank in range(5)]
    assert ended.record["interface"] == interface


def test_its_ring_test_runs(interface: str, sandbox: Sandbox) -> None:
    ended = run(sandbox, 4, "-m", "mpi4py.bench", "ringtest", "-n", "1000", "-l", "10")
    assert ended.code == 0, ended.err
    assert "4 processes" in ended.out
    assert ended.record["interface"] == interface


def test_a_program_gets_right_answers(interface: str, sandbox: Sandbox) -> None:
    program = PROGRAMS / "mpi4py_program.py"
    ended = run(sandbox, 3, str(program), str(sandbox.folder / "numbers"))
    assert ended.code == 0, ended.err
    assert ended.out.count("fine") == 3
    assert ended.record["interface"] == interface
