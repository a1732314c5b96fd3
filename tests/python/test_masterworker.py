# SPDX-License-Identifier: BSD-3-Clause
"""Master and workers on several levels (`orrery/masterworker.h`), simulated and on real MPIs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness import EXAMPLES, HUNG_S, PROGRAMS, Sandbox
from orrery.run.prefix import prefix
from real_mpis import MPIS, WHOLE_LINES, RealMpi, tool

ITEMS = 200
SLOW = 5
"""A rank that computes a hundred times as long for each item."""
_RANK = re.compile(r"rank (\d+) ([a-z-]+) below (-?\d+): (\d+) items")
_FAILED = re.compile(r"rank (\d+) failed: (\d+) at (\d+)")

Ranks = dict[int, tuple[str, int, int]]
"""By rank: its role, the one above, items that it computed."""


def ranks_of(output: str) -> Ranks:
    return {int(rank): (role, int(above), int(items)) for rank, role, above, items in _RANK.findall(output)}


def run(sandbox: Sandbox, ranks: int, *arguments: object) -> str:
    """What tests/programs/masterworker.c prints."""
    options = ("--platform", "graphene", "--map", "node", "--compute", "none")
    ended = sandbox.run(ranks, "masterworker", *map(str, arguments), options=options)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
@pytest.mark.parametrize("ranks", range(1, 10))
def test_each_item_is_done_once_on_any_number_of_ranks_and_levels(sandbox: Sandbox, ranks: int, levels: int) -> None:
    output = run(sandbox, ranks, ITEMS, levels)
    assert "right" in output.splitlines()
    found = ranks_of(output)
    assert set(found) == set(range(ranks))
    assert sum(items for _, _, items in found.values()) == ITEMS
    for rank, (role, above, items) in found.items():
        assert (role == "worker") == (items > 0) or ranks == 1
        assert rank == 0 or found[above][0] in ("super-master", "boss")


@pytest.mark.parametrize(("bosses", "workers"), [(1, 1), (7, 2), (50, 50), (3, 5), (1000, 1)])
@pytest.mark.parametrize("items", [0, 1, 100])
def test_chunks_of_any_size_do(sandbox: Sandbox, bosses: int, workers: int, items: int) -> None:
    assert "right" in run(sandbox, 9, items, 2, bosses, workers).splitlines()


def test_groups_have_bosses_and_who_is_alone_has_none(sandbox: Sandbox) -> None:
    # Outer groups: ranks 0 to 2, 3 to 5, 6 to 8; inner ones: pairs. Ranks 2 and 8 are left alone.
    found = ranks_of(run(sandbox, 9, ITEMS, 2))
    above = {rank: place[1] for rank, place in found.items()}
    assert above == {0: -1, 1: 0, 2: 1, 3: 1, 4: 0, 5: 4, 6: 4, 7: 6, 8: 0}


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_a_slow_worker_gets_less(sandbox: Sandbox, levels: int) -> None:
    output = run(sandbox, 9, ITEMS, levels, 4, 1, SLOW)
    assert "right" in output.splitlines()
    found = ranks_of(output)
    others = [items for rank, (role, _, items) in found.items() if role == "worker" and rank != SLOW]
    assert 1 <= found[SLOW][2] < min(others) / 2


def test_a_group_that_is_slow_gets_less(sandbox: Sandbox) -> None:
    found = ranks_of(run(sandbox, 8, ITEMS, 1, 4, 1, 2))
    fast = sum(items for _, above, items in found.values() if above == 4)
    assert fast > 2 * found[2][2]


@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("ranks", [1, 2, 4, 9])
def test_all_ranks_learn_what_failed(sandbox: Sandbox, ranks: int, levels: int) -> None:
    output = run(sandbox, ranks, ITEMS, levels, 20, 5, -1, 50)
    failed = _FAILED.findall(output)
    assert sorted(int(rank) for rank, _, _ in failed) == list(range(ranks))
    assert {(code, first) for _, code, first in failed} == {("42", "50")}
    assert sum(items for _, _, items in ranks_of(output).values()) < ITEMS


@pytest.mark.parametrize("late", range(1, 9))
@pytest.mark.parametrize("levels", [0, 1, 2, 3])
def test_a_rank_may_ask_for_its_first_items_when_others_have_sent_their_sums(
    sandbox: Sandbox, levels: int, late: int
) -> None:
    assert "right" in run(sandbox, 9, 20, levels, 20, 3, -1, -1, late).splitlines()


def test_jobs_that_cannot_be_are_refused_on_all_ranks(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "masterworker_wrong")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines().count("right") == 4


@pytest.mark.parametrize("compiler", ["mpicc", "mpicxx"])
def test_the_header_compiles_without_a_warning(tmp_path: Path, compiler: str) -> None:
    source = tmp_path / ("it.c" if compiler == "mpicc" else "it.cpp")
    source.write_text("#include <orrery/masterworker.h>\nint main(void) { return 0; }\n", encoding="utf-8")
    flags = ("-Wall", "-Wextra", "-Werror", "-pedantic", *(["-std=c99"] if compiler == "mpicc" else []))
    subprocess.run([prefix() / "bin" / compiler, *flags, source, "-o", tmp_path / "it"], check=True)


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(("ranks", "levels"), [(1, 2), (2, 1), (4, 0), (6, 1), (9, 2), (9, 3)])
def test_it_runs_on_a_real_mpi(sandbox: Sandbox, mpi: str, ranks: int, levels: int) -> None:
    real = RealMpi(mpi, sandbox)
    program = sandbox.built / f"masterworker.{mpi}"
    if not program.exists():
        flags = ("-O2", *WHOLE_LINES, "-idirafter", str(prefix() / "include"))
        source = PROGRAMS / "masterworker.c"
        subprocess.run([str(tool("mpicc", mpi)), *flags, source, "-o", program], check=True)
    more = ["--oversubscribe"] if mpi == "openmpi" else []
    for late in (-1, ranks - 1):
        arguments = (ITEMS, levels, 20, 3, -1, -1, late)
        line = [real.mpirun, *more, "-n", str(ranks), str(program), *map(str, arguments)]
        right(
            subprocess.run(line, env=sandbox.environment, capture_output=True, text=True, timeout=HUNG_S, check=False)
        )


def right(ended: subprocess.CompletedProcess[str]) -> None:
    """Each item was done once."""
    assert ended.returncode == 0, ended.stderr
    assert "right" in ended.stdout.splitlines()
    assert sum(items for _, _, items in ranks_of(ended.stdout).values()) == ITEMS


@pytest.mark.parametrize(("ranks", "levels"), [(1, 1), (2, 1), (5, 0), (7, 1), (9, 2)])
def test_the_example_of_python_finds_the_primes(sandbox: Sandbox, ranks: int, levels: int) -> None:
    pytest.importorskip("mpi4py")
    line = ("-n", str(ranks), sys.executable, str(EXAMPLES / "master_worker.py"), "20000", str(levels))
    ended = sandbox.orrery("run", "--platform", "graphene", "--map", "node", *line)
    assert ended.code == 0, ended.err
    assert "2262 primes below 20000, right" in ended.out
