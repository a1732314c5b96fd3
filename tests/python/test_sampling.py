# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that a program samples (orrery.h): executed a few times, then skipped, and what the report says of it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from harness import HUNG_S, ORRERY, PROGRAMS, Ended, Sandbox

RANKS, STEPS = 8, 100
_LINE = {
    scope: next(
        number
        for number, line in enumerate((PROGRAMS / "sampled.c").read_text().splitlines(), 1)
        if f"ORRERY_SAMPLE_{scope}(times, precision)" in line
    )
    for scope in ("LOCAL", "GLOBAL")
}


def _run(sandbox: Sandbox, *arguments: object, options: tuple[str, ...] = ()) -> Ended:
    options = ("--compute", "none", *options)
    ended = sandbox.run(RANKS, "sampled", str(STEPS), *(str(argument) for argument in arguments), options=options)
    assert ended.code == 0, ended.err
    return ended


def _block(ended: Ended) -> dict[str, Any]:
    (block,) = ended.record["sampled"]
    found: dict[str, Any] = block
    return found


def test_each_rank_executes_a_block_so_many_times_and_counts_its_mean_from_then_on(sandbox: Sandbox) -> None:
    ended = _run(sandbox, "local", 5, 0)
    assert ended.out == f"executed {RANKS * 5}\n"
    block = _block(ended)
    assert (block["file"].rsplit("/", 1)[-1], block["line"], block["scope"]) == ("sampled.c", _LINE["LOCAL"], "rank")
    assert (block["executed"], block["skipped"]) == (RANKS * 5, RANKS * (STEPS - 5))
    assert (block["mean_s"], block["half_width_s"]) == (pytest.approx(0.1), pytest.approx(0, abs=1e-12))
    # Nothing varies: the run is as long as the whole one.
    assert ended.record["simulated_s"] == pytest.approx(STEPS * 0.1, rel=0.01)
    whole = _run(sandbox, "local", 5, 0, options=("--whole",))
    assert ended.record["simulated_s"] == pytest.approx(whole.record["simulated_s"], rel=1e-9)


def test_all_ranks_together_execute_a_global_block_so_many_times(sandbox: Sandbox) -> None:
    ended = _run(sandbox, "global", 5, 0)
    assert ended.out == "executed 5\n"
    block = _block(ended)
    assert (block["line"], block["scope"]) == (_LINE["GLOBAL"], "all")
    assert (block["executed"], block["skipped"]) == (5, RANKS * STEPS - 5)
    assert ended.record["simulated_s"] == pytest.approx(STEPS * 0.1, rel=0.01)


def test_with_a_precision_a_block_is_executed_until_its_mean_is_known(sandbox: Sandbox) -> None:
    """Twice where nothing varies; where it does, until t s / sqrt(n) is the part that was asked for."""
    assert _run(sandbox, "local", 1, 0.01).out == f"executed {RANKS * 2}\n"
    rough, fine = (_run(sandbox, "local", 2, precision, 0.05) for precision in (0.05, 0.02))
    assert RANKS * 2 < _block(rough)["executed"] < _block(fine)["executed"] < RANKS * STEPS


@pytest.mark.parametrize("scope", ["local", "global"])
@pytest.mark.parametrize("spread", [0.02, 0.1])
def test_the_run_of_the_whole_program_is_within_the_interval_of_the_sampled_one(
    sandbox: Sandbox, scope: str, spread: float
) -> None:
    sampled = _run(sandbox, scope, 10, 0, spread).record
    whole = _run(sandbox, scope, 10, 0, spread, options=("--whole",)).record
    interval = sampled["sampled_time"]
    assert interval["low_s"] <= whole["simulated_s"] <= interval["high_s"]
    # It says something: it is no wider than some spreads, and the time of the sampled run alone is off, as ranks no longer wait
    # for the slowest. (Who executes a global block, and so its mean, is another one in each run.)
    assert interval["high_s"] - interval["low_s"] < 12 * spread * sampled["simulated_s"]
    assert scope == "global" or whole["simulated_s"] > (1 + spread / 2) * sampled["simulated_s"]
    assert whole["sampled_time"] is None
    assert (whole["sampled"][0]["executed"], whole["sampled"][0]["skipped"]) == (RANKS * STEPS, 0)


def test_the_report_says_what_was_skipped_and_warns(sandbox: Sandbox) -> None:
    ended = _run(sandbox, "local", 10, 0, 0.05)
    said = " ".join(ended.err.split())
    assert f"sampled.c:{_LINE['LOCAL']}: executed 80 times, " in said
    assert "skipped 720 times; each rank for itself" in said
    assert "had nothing been skipped, with 95% confidence" in said
    assert "values that the program prints may be wrong" in said


def test_of_a_block_that_was_executed_once_no_interval_is_given(sandbox: Sandbox) -> None:
    ended = _run(sandbox, "local", 1, 0)
    assert (_block(ended)["half_width_s"], ended.record["sampled_time"]) == (None, None)
    assert "executed once, so how far its mean is off is not known" in " ".join(ended.err.split())


def test_measured_computation_is_sampled_too(sandbox: Sandbox) -> None:
    """A block of heat2d's kind, of which a tenth is executed: the interval has the whole run, the host's noise left out."""
    program = sandbox.folder / "busy"
    source = sandbox.folder / "busy.c"
    source.write_text(_BUSY)
    mpicc = subprocess.run([ORRERY, "prefix"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([f"{mpicc}/bin/mpicc", "-O1", source, "-o", program], check=True)
    ended = sandbox.orrery("run", "-n", "1", "-o", "run.json", str(program))
    assert ended.code == 0, ended.err
    block = _block(ended)
    assert (block["executed"], block["skipped"]) == (10, 90)
    assert block["mean_s"] > 1e-4
    assert ended.record["simulated_s"] == pytest.approx(100 * block["mean_s"], rel=0.1)


@pytest.mark.parametrize("how", ["mpi", "break"])
def test_a_block_that_calls_mpi_or_does_not_come_to_its_end_ends_the_run(sandbox: Sandbox, how: str) -> None:
    ended = sandbox.run(RANKS, "sampled", str(STEPS), how, "2", "0", options=("--compute", "none"))
    assert ended.code == 1
    assert "MPI was called in the sampled block" in ended.record["cause"]
    assert "sampled.c:" in ended.record["cause"]


def test_started_without_orrery_all_is_executed(sandbox: Sandbox) -> None:
    program = sandbox.program("sampled")
    done = subprocess.run(
        [program, "20", "local", "2", "0"], capture_output=True, text=True, timeout=HUNG_S, check=True
    )
    assert done.stdout == "executed 20\n"


_BUSY = """#include <mpi.h>
#include <orrery.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int step = 0; step < 100; ++step) {
    ORRERY_SAMPLE_LOCAL(10) {
      for (volatile int i = 0; i < 1000000; ++i) {
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
"""
