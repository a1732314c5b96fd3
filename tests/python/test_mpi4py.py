# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py from PyPI, unchanged: its wheel holds a module for MPICH's binary interface and one for Open MPI's."""

from __future__ import annotations

import re
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


_RAISES = """
import sys
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
print("begins", file=sys.stderr)
[1, 2][{}]
"""


def _ranks(words: str) -> list[int]:
    """The ranks that words such as `ranks 0-2, 5` name."""
    parts = [part.strip(",").split("-") for part in words.split()[1:]]
    return [rank for part in parts for rank in range(int(part[0]), int(part[-1]) + 1)]


@pytest.mark.parametrize("before_mpi", [False, True])
def test_a_traceback_of_all_ranks_is_shown_once_with_their_numbers_before_the_cause(
    sandbox: Sandbox, *, before_mpi: bool
) -> None:
    program = sandbox.folder / "raises.py"
    lines = _RAISES.format(5).strip().splitlines()
    program.write_text("\n".join([lines[0], *lines[-2:]] if before_mpi else lines) + "\n", encoding="utf-8")
    ended = run(sandbox, 4, str(program))
    assert ended.code == 1
    assert ended.err.count("Traceback (most recent call last):") == 1, ended.err
    # On a very busy host a rank may come when the others have been shown: it is then named by a line of its own.
    named = re.findall(r"^(ranks? [-0-9, ]+): (?:Traceback|as before, IndexError)", ended.err, re.MULTILINE)
    assert sorted(rank for words in named for rank in _ranks(words)) == [0, 1, 2, 3]
    assert ended.err.count("begins\n") == 4
    cause = ended.err.index("orrery: the run failed:")
    assert ended.err.index("IndexError: list index out of range") < cause
    assert "no MPI program" not in ended.err


def test_what_mpi4py_says_after_a_traceback_of_several_ranks_does_not_repeat_it(sandbox: Sandbox) -> None:
    program = sandbox.folder / "raises.py"
    program.write_text(_RAISES.format(5).strip() + "\n", encoding="utf-8")
    ended = run(sandbox, 4, "-m", "mpi4py", str(program))
    assert ended.code == 1
    assert ended.err.count("IndexError: list index out of range") == 1, ended.err
    assert re.search(r"^rank \d: MPI_Abort was called", ended.err, re.MULTILINE), ended.err


def test_tracebacks_that_differ_are_shown_each(sandbox: Sandbox) -> None:
    program = sandbox.folder / "raises.py"
    program.write_text(_RAISES.format("{2: 'two'}.get(rank, 5)").strip() + "\n", encoding="utf-8")
    ended = run(sandbox, 4, str(program))
    assert ended.code == 1
    assert re.search(r"^rank 2: Traceback", ended.err, re.MULTILINE), ended.err
    assert "TypeError: list indices must be integers" in ended.err
    assert "IndexError: list index out of range" in ended.err
    assert ended.err.count("Traceback (most recent call last):") == 2


def test_with_labels_each_line_of_a_traceback_has_its_rank(sandbox: Sandbox) -> None:
    program = sandbox.folder / "raises.py"
    program.write_text(_RAISES.format(5).strip() + "\n", encoding="utf-8")
    ended = sandbox.orrery("run", "-n", "2", "--label", sys.executable, str(program))
    assert all(f"[{rank}] IndexError: list index out of range\n" in ended.err for rank in range(2)), ended.err
