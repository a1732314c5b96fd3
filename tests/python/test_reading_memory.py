# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that wait for others by reading memory in a loop, without any call of MPI."""

from __future__ import annotations

import pytest

from harness import Sandbox

_MESSAGES = 3000
"""More than a rank may be ahead of the simulation."""


def _times(out: str) -> dict[int, float]:
    return {int(line.split()[1]): float(line.split()[2]) for line in out.splitlines() if line.startswith("rank ")}


@pytest.mark.parametrize("how", ["window", "yield", "mapped", "file"])
def test_a_rank_that_reads_memory_until_another_writes_it_goes_on(sandbox: Sandbox, how: str) -> None:
    ended = sandbox.run(3, "reads_memory", how, str(_MESSAGES))
    assert ended.code == 0, ended.err
    times = _times(ended.out)
    # The flag is there before rank 1 has exchanged the last messages that it may be ahead of the simulation.
    assert times[0] > times[1] * (1 - 2 * 512 / _MESSAGES)
    if how != "file":  # whether a program that maps nothing is in system calls all the time is known after a while only
        assert "may share memory with them: if that was a loop that waits for a value" in ended.err


@pytest.mark.parametrize("how", ["window", "file"])
def test_where_computation_takes_no_time_the_loop_takes_some_and_the_report_says_so(sandbox: Sandbox, how: str) -> None:
    ended = sandbox.run(3, "reads_memory", how, str(_MESSAGES), options=("--compute", "none"))
    assert ended.code == 0, ended.err
    assert "most likely waited for others by reading memory in a loop" in ended.err


def test_a_trace_of_such_a_run_has_its_times(sandbox: Sandbox) -> None:
    ended = sandbox.run(3, "reads_memory", "window", str(_MESSAGES), options=("-o", "it.trace"))
    assert ended.code == 0, ended.err
    replayed = sandbox.replayed("it.trace")
    assert replayed["simulated_s"] == pytest.approx(ended.record["simulated_s"], rel=1e-6)
    assert replayed["messages"] == ended.record["messages"]


def test_a_rank_that_computes_is_not_said_to_wait(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "heat2d", "512", "20")
    assert ended.code == 0, ended.err
    assert "reading memory" not in ended.err
    assert "may share memory" not in ended.err
