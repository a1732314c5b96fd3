# SPDX-License-Identifier: BSD-3-Clause
"""What a program does before MPI_Init belongs to each rank alone, as under the launchers of other MPIs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import HUNG_S, ORRERY, Sandbox
from skips import needs

RANKS = 4


@pytest.fixture
def numbers(sandbox: Sandbox) -> None:
    (sandbox.folder / "numbers").write_text("".join(f"{i}\n" for i in range(20000)))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("file", "opened "),
        ("standard input", "opened "),
        ("map", "mapped shared memory"),
        ("pipe", "opened pipe:"),
        ("child", "started processes"),
        ("thread", "started threads"),
        ("timer", "set a timer"),
        ("clock", "read a clock"),
        ("number", "asked for its process number"),
        ("random", "drawn random numbers of the system"),
        ("device", "drawn random numbers of the system"),
        ("name", "made a temporary file"),
    ],
)
@pytest.mark.usefixtures("numbers")
def test_each_rank_has_what_it_made_before_mpi_init_for_itself(sandbox: Sandbox, act: str, words: str) -> None:
    ended = sandbox.run(RANKS, "before_init", act)
    assert (ended.code, ended.out.splitlines()[:RANKS]) == (0, ["own"] * RANKS), ended.err
    assert ended.record["start"] == "exec"
    assert words in ended.record["shared_by_fork"]
    assert any(words in caution and "started afresh" in caution for caution in ended.record["cautions"])


@pytest.mark.parametrize("act", ["nothing", "closed"])
@pytest.mark.usefixtures("numbers")
def test_ranks_of_a_program_that_keeps_nothing_are_forked(sandbox: Sandbox, act: str) -> None:
    ended = sandbox.run(RANKS, "before_init", act)
    assert (ended.code, ended.record["start"], ended.record["shared_by_fork"]) == (0, "fork", "")


@pytest.mark.parametrize("label", [(), ("--label",)])
def test_each_rank_does_once_what_the_program_does_before_mpi_init(sandbox: Sandbox, label: tuple[str, ...]) -> None:
    ended = sandbox.run(RANKS, "before_init", "output", options=label)
    assert ended.code == 0, ended.err
    lines = [line.split() for line in ended.out.splitlines() if line.endswith(("before", "own"))]
    assert sorted(line[-1] for line in lines) == ["before"] * RANKS + ["own"] * RANKS
    if label:
        assert sorted(line[0] for line in lines) == sorted(f"[{rank}]" for rank in range(RANKS) for _ in range(2))


@pytest.mark.usefixtures("numbers")
def test_who_asks_for_a_fork_is_told_what_ranks_share(sandbox: Sandbox) -> None:
    ended = sandbox.run(RANKS, "before_init", "map", options=("--launch", "fork"))
    assert (ended.code, ended.record["start"]) == (0, "fork")
    assert "shared" in ended.out
    (caution,) = [text for text in ended.record["cautions"] if "--launch fork" in text]
    assert "mapped shared memory" in caution
    assert "leave out --launch fork" in caution


def test_threads_cannot_be_forked_even_if_that_is_asked_for(sandbox: Sandbox) -> None:
    ended = sandbox.run(RANKS, "before_init", "thread", options=("--launch", "fork"))
    assert ended.code == 1
    assert "has started threads before MPI_Init" in ended.err
    assert "leave out --launch fork" in ended.err


def test_a_descriptor_that_the_shell_has_handed_down_is_no_reason(sandbox: Sandbox) -> None:
    program = sandbox.program("before_init")
    done = subprocess.run(
        ["sh", "-c", f"exec 7>kept; {ORRERY} run -n 3 -o run.json {program} nothing"],
        check=False,
        capture_output=True,
        text=True,
        cwd=sandbox.folder,
        env=sandbox.environment,
        timeout=HUNG_S,
    )
    assert done.returncode == 0, done.stderr
    assert '"start": "fork"' in (sandbox.folder / "run.json").read_text()


def test_a_rank_that_crashes_among_those_that_were_started_afresh_ends_the_run(sandbox: Sandbox) -> None:
    source = sandbox.folder / "early.c"
    source.write_text(
        "#include <mpi.h>\n#include <signal.h>\n#include <unistd.h>\nint main(void) { int rank; (void)getpid();"
        " MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 2) raise(SIGSEGV);"
        " MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n"
    )
    program = _built(sandbox, source)
    ended = sandbox.orrery("run", "-n", "4", str(program))
    assert ended.code == 128 + 11
    assert "rank 2 was killed by SIGSEGV" in ended.err
    assert sandbox.orphans() == []


def test_a_random_device_of_cxx_gives_each_rank_another_seed(sandbox: Sandbox) -> None:
    source = sandbox.folder / "seeds.cpp"
    source.write_text(
        "#include <mpi.h>\n#include <cstdio>\n#include <random>\nint main() { std::random_device device;"
        ' const unsigned seed = device(); MPI_Init(nullptr, nullptr); std::printf("seed %u\\n", seed);'
        " return MPI_Finalize(); }\n"
    )
    program = _built(sandbox, source, "mpicxx")
    ended = sandbox.orrery("run", "-n", "4", str(program))
    assert len({line for line in ended.out.splitlines() if line.startswith("seed")}) == 4, ended.out


@needs("gfortran")
def test_a_file_that_fortran_has_begun_to_read_is_each_ranks_own(sandbox: Sandbox) -> None:
    (sandbox.folder / "numbers").write_text("".join(f"{i}\n" for i in range(5000)))
    source = sandbox.folder / "reads.f90"
    source.write_text(
        "program reads\nuse mpi\ninteger :: i, n, e, wrong\nopen(10, file='numbers')\nread(10, *) n\ncall MPI_Init(e)\n"
        "wrong = 0\ndo i = 1, 4999\nread(10, *, iostat=e) n\nif (e /= 0 .or. n /= i) wrong = wrong + 1\nend do\n"
        "print '(a,i0)', 'wrong ', wrong\ncall MPI_Finalize(e)\nend program\n"
    )
    program = _built(sandbox, source, "mpifort")
    ended = sandbox.orrery("run", "-n", "3", str(program))
    assert [line for line in ended.out.splitlines() if line.startswith("wrong")] == ["wrong 0"] * 3, ended.err


def _built(sandbox: Sandbox, source: Path, wrapper: str = "mpicc") -> Path:
    prefix = Path(subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True).stdout.strip())
    binary = source.with_suffix("")
    subprocess.run([prefix / "bin" / wrapper, source, "-o", binary], check=True, cwd=sandbox.folder)
    return binary
