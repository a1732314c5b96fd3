# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that a program starts during its run, and sessions."""

from __future__ import annotations

import pytest

from harness import Sandbox


def _lines(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line)


def test_started_ranks_have_a_world_of_their_own_and_meet_their_parents(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "spawn", "3", options=("--compute", "none"))
    assert ended.code == 0, ended.err
    lines = _lines(ended.out)
    # The platform "default" has nodes of several cores: ranks 2 to 4 are dealt on after ranks 0 and 1.
    children = [line for line in lines if line.startswith("child")]
    assert [line.split(", on")[0] for line in children] == [
        f"child {rank} of 3, 2 parents in MPI_COMM_PARENT, program 0" for rank in range(3)
    ]
    assert all(line.endswith("sum 3") for line in children)
    assert [line for line in lines if not line.startswith("child")] == [
        "spawn took about 0.1 s, codes 0",  # spawn_cost_s of the platform
        "sum 33, rank 0 of 5 when merged",  # 10 + 11 + 12
        "unknown program: MPI_ERR_SPAWN",
    ]


def test_a_run_with_started_ranks_takes_the_same_simulated_time_each_time(sandbox: Sandbox) -> None:
    runs = [sandbox.run(2, "spawn", "3", options=("--compute", "none")) for _ in range(3)]
    times = {ended.record["simulated_s"] for ended in runs}
    assert len(times) == 1


@pytest.mark.parametrize(
    ("fate", "code", "cause"),
    [("crash", 139, "rank 3 was killed by SIGSEGV"), ("exit", 3, "rank 3 ended with status 3"), ("abort", 7, "rank 3")],
)
def test_a_started_rank_that_fails_ends_the_run(sandbox: Sandbox, fate: str, code: int, cause: str) -> None:
    ended = sandbox.run(2, "spawn", "2", fate)
    assert ended.code == code
    assert cause in ended.record["cause"]


def test_more_ranks_than_there_is_room_for_are_refused(sandbox: Sandbox) -> None:
    ended = sandbox.run(1, "spawn", "3", options=("--spawn-limit", "2"))
    assert ended.code != 0
    assert "room for 2 more" in ended.record["cause"]


@pytest.mark.parametrize("start", ["fork", "exec"])
def test_sessions_need_no_init_and_can_be_begun_again(sandbox: Sandbox, start: str) -> None:
    ended = sandbox.run(4, "sessions", options=("--launch", start))
    assert ended.code == 0, ended.err
    assert ended.out == "initialized 0, sums 8 8\n"  # 4 ranks, twice


def test_ranks_join_over_a_socket_that_they_connect_by_the_name_of_a_simulated_host(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "join", options=("--map", "node"))
    assert ended.code == 0, ended.err
    assert ended.out == "joined with 1 of 1\n"
