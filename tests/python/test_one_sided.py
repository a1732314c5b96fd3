# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication of programs: order, locks, progress, errors, simulated time."""

from __future__ import annotations

from collections import Counter

import pytest

from harness import Sandbox

ROUNDS = 20


def _lines(out: str) -> dict[str, list[str]]:
    """What each line of tests/programs/one_sided.c says, by its first word."""
    return {words[0]: words[1:] for words in map(str.split, out.splitlines())}


@pytest.mark.parametrize("options", [(), ("--launch", "exec")])
def test_the_order_of_accesses_is_that_of_simulated_time(sandbox: Sandbox, options: tuple[str, ...]) -> None:
    ranks = 5
    runs = [sandbox.run(ranks, "one_sided", options=(*options, "--compute", "none")) for _ in range(2)]
    assert [run.code for run in runs] == [0, 0], runs[0].err
    assert runs[0].out == runs[1].out
    assert runs[0].record["simulated_s"] == runs[1].record["simulated_s"]
    assert runs[0].record["profile"] == runs[1].record["profile"]
    said = _lines(runs[0].out)
    every_rank = {str(rank): ROUNDS for rank in range(ranks)}
    assert Counter(said["tickets"]) == every_rank  # each ticket is given to one rank
    assert Counter(said["log"]) == every_rank  # no entry is lost: one holder of the lock at a time
    assert said["entered"] == [str(ranks * ROUNDS)]
    expected = sum(1 / (3 + i) for i in range(ranks * ROUNDS))
    assert float(said["sum"][0]) == pytest.approx(expected, rel=1e-14)  # in whatever order
    assert int(said["last"][0]) % ROUNDS == ROUNDS - 1  # the last of one rank is the last that it called


def test_a_rank_that_looks_at_its_window_lets_others_go_on(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "window_polling", options=("--timeout", "30"))
    assert (ended.code, ended.out) == (0, "seen 3\n"), ended.err


def test_locks_that_wait_for_each_other_are_a_deadlock(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "window_deadlock")
    assert ended.record["end"] == "deadlocked"
    for words in ("in a circle", "rank 0: MPI_Win_lock waits for rank 1", "rank 1: MPI_Win_lock waits for rank 0"):
        assert words in ended.record["cause"]


def test_wrong_calls_give_their_error_class(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "window_errors")
    assert (ended.code, ended.out) == (0, "checked\n"), ended.err
