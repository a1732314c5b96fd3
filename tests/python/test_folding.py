# SPDX-License-Identifier: BSD-3-Clause
"""Memory that ranks share instead of having it, from the source of the program to the report."""

from __future__ import annotations

import subprocess

import pytest

from harness import ORRERY, Ended, Sandbox

MIB = 1 << 20
RANKS, EACH = 8, 32


def _run(sandbox: Sandbox, *options: str) -> Ended:
    ended = sandbox.run(RANKS, "folded", str(EACH), options=("--compute", "none", *options))
    assert ended.code == 0, ended.err
    return ended


def test_ranks_share_what_they_ask_for_and_the_report_says_how_much_that_was(sandbox: Sandbox) -> None:
    """8 ranks ask for 32 MiB twice, 512 MiB; two blocks of 2 MiB stand for them."""
    ended = _run(sandbox)
    folded = ended.record["folded"]
    assert (folded["asked_bytes"], folded["held_bytes"]) == (2 * RANKS * EACH * MIB, 4 * MIB)
    assert (ended.record["peak_rss_bytes"] or 0) < 256 * MIB
    said = " ".join(ended.err.split())
    assert "4 MiB stand for 512 MiB that ranks share" in said
    assert "what is in it is overwritten by others" in said
    assert ended.out != f"{RANKS} of {RANKS} ranks read what they have written\n"


def test_the_times_of_messages_are_those_of_the_whole_program(sandbox: Sandbox) -> None:
    folded, whole = _run(sandbox), _run(sandbox, "--whole")
    assert whole.out == f"{RANKS} of {RANKS} ranks read what they have written\n"
    assert whole.record["folded"] is None
    assert folded.record["simulated_s"] == whole.record["simulated_s"]


@pytest.mark.parametrize("each", [1])
def test_started_without_orrery_memory_is_the_processs_own(sandbox: Sandbox, each: int) -> None:
    done = subprocess.run([sandbox.program("folded"), str(each)], capture_output=True, text=True, check=True)
    assert done.stdout == "1 of 1 ranks read what they have written\n"


def test_without_data_long_messages_of_numbers_leave_what_was_there_and_all_else_arrives(sandbox: Sandbox) -> None:
    options = ("--compute", "none", "-p", "graphene", "--map", "node")
    whole = sandbox.run(4, "contents", options=options)
    assert whole.code == 0, whole.err
    assert whole.out.count("numbers arrived, integers arrived") == 8
    without = sandbox.run(4, "contents", options=(*options, "--data", "none"))
    assert without.code == 0, without.err
    lines = without.out.splitlines()
    assert [line.rpartition(": ")[2] for line in lines[:4]] == ["numbers kept, integers arrived"] * 4
    assert [line.rpartition(": ")[2] for line in lines[4:]] == ["numbers arrived, integers arrived"] * 4
    assert without.record["simulated_s"] == whole.record["simulated_s"]
    assert "messages carried no floating-point numbers but short ones" in " ".join(without.err.split())


_ARRAYS = """#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BYTES = 16 << 20 };
int main(int argc, char** argv) {
  double* before = malloc(BYTES); /* of all ranks, if they are forked */
  MPI_Init(&argc, &argv);
  int rank, kept = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* numbers = calloc(BYTES, 1);
  long* integers = malloc(BYTES);
  char* small = malloc(1000);
  for (int i = 0; i < BYTES / 8; ++i) before[i] = numbers[i] = 0.5 + rank;
  for (int i = 0; i < BYTES / 8; ++i) integers[i] = 7 + rank;
  memset(small, rank, 1000);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 1000; ++i) kept &= small[i] == rank;
  numbers = realloc(numbers, 2 * BYTES);
  numbers = realloc(numbers, 1000);
  void* aligned;
  kept &= posix_memalign(&aligned, 64, BYTES) == 0 && (uintptr_t)aligned % 64 == 0;
  int all;
  MPI_Allreduce(&kept, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "small blocks are kept" : "small blocks are lost");
  free(aligned);
  free(integers);
  free(numbers);
  free(small);
  free(before);
  MPI_Finalize();
}
"""


@pytest.mark.parametrize("launch", ["fork", "exec"])
def test_large_blocks_of_the_heap_are_folded_and_what_is_in_them_is_looked_at(sandbox: Sandbox, launch: str) -> None:
    program = _compiled(sandbox, _ARRAYS)
    options = ("--compute", "none", "--launch", launch, "--fold-heap", "1MiB", "-o", "run.json")
    ended = sandbox.orrery("run", "-n", str(RANKS), *options, program)
    assert ended.code == 0, ended.err
    assert ended.out == "small blocks are kept\n"
    folded = ended.record["folded"]
    # What there is before MPI_Init, 16 MiB, is folded in all ranks; then the first has its own. The others have two blocks more;
    # while one grows, it is there twice, as 16 and 32 MiB.
    assert (RANKS * 16 + (RANKS - 1) * 32) * MIB <= folded["asked_bytes"] <= (RANKS * 16 + (RANKS - 1) * 64) * MIB
    assert folded["held_bytes"] == 2 * MIB
    suspected = [place for place in folded["places"] if place["suspected"] > 0]
    assert [(place["blocks"], place["suspected"] == place["words"]) for place in suspected] == [
        (1, True)
    ]  # the integers
    said = " ".join(ended.err.split())
    assert "keeps integers or addresses in it" in said


def test_without_the_option_the_heap_is_the_c_librarys(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "4", "--compute", "none", "-o", "run.json", _compiled(sandbox, _ARRAYS))
    assert ended.code == 0, ended.err
    assert ended.record["folded"] is None


@pytest.mark.parametrize(("size", "said"), [("much", "expected a size"), ("1KiB", "name a size of 64KiB or more")])
def test_sizes_that_cannot_be_folded_are_refused(sandbox: Sandbox, size: str, said: str) -> None:
    ended = sandbox.orrery("run", "-n", "2", "--fold-heap", size, sandbox.program("ring"))
    assert ended.code == 2
    assert said in ended.err


def _compiled(sandbox: Sandbox, source: str) -> str:
    program = sandbox.folder / "arrays"
    (sandbox.folder / "arrays.c").write_text(source)
    mpicc = subprocess.run([ORRERY, "prefix"], capture_output=True, text=True, check=True).stdout.strip() + "/bin/mpicc"
    subprocess.run([mpicc, "-O1", sandbox.folder / "arrays.c", "-o", program], check=True)
    return str(program)
