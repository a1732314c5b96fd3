# SPDX-License-Identifier: BSD-3-Clause
"""The line of a summary that says on what ranks spend their time, and the table below without what rounds to nothing."""

from __future__ import annotations

import pytest

from harness import Sandbox
from orrery.record.document import Profile, Row
from orrery.report.time_spent import percents, slowest_rank, time_spent


def _row(name: str, exclusive_s: float, rank: int | None = None, inclusive_s: float = 0.0) -> Row:
    return Row(
        rank=rank, phase=None, name=name, percent_time=0.0, exclusive_s=exclusive_s, inclusive_s=inclusive_s or exclusive_s,
        calls=1, subrs=0, messages=0, bytes=0,
    )  # fmt: skip


def _ranks(*computing_s: float) -> list[Row]:
    return [_row(".application", time_s, rank, 1.0) for rank, time_s in enumerate(computing_s)]


def test_shares_of_computation_of_the_two_longest_routines_and_of_the_rest() -> None:
    rows = [_row(".application", 3.0), _row("MPI_Send()", 0.2), _row("MPI_Recv()", 0.5), _row("MPI_Wait()", 0.3)]
    said = "computation 75%, MPI_Recv 13%, MPI_Wait 7%, rest 5%"  # of 12.5 and 7.5 one is rounded up: the sum is 100
    assert time_spent(Profile(rows, _ranks(0.75, 0.75, 0.75, 0.75))) == said


@pytest.mark.parametrize(
    ("shares", "found"),
    [
        ([0.738, 0.107, 0.0555, 0.0995], [74, 11, 5, 10]),  # each by itself: 74, 11, 6, 10, which are 101
        ([0.334, 0.333, 0.333], [34, 33, 33]),  # each by itself: 33, 33, 33, which are 99
        ([0.9, 0.094], [90, 9]),  # a rest that is too small to be named
        ([1.0], [100]),
    ],
)
def test_percents_of_a_whole_sum_to_a_hundred(shares: list[float], found: list[int]) -> None:
    assert percents(shares) == found


@pytest.mark.parametrize(
    ("computing_s", "said"),
    [((0.5, 0.5, 0.5, 0.9), "rank 3 computes 50% longer than the average"), ((0.8, 0.8, 0.8, 0.85), "")],
)
def test_the_slowest_rank_is_named_where_others_wait_for_it(computing_s: tuple[float, ...], said: str) -> None:
    assert slowest_rank(Profile([], _ranks(*computing_s))) == said


def test_nothing_is_said_of_no_time() -> None:
    assert time_spent(Profile([], [])) == ""
    assert time_spent(Profile([_row(".application", 0.0)], _ranks(0.0, 0.0))) == ""


def test_routines_that_round_to_nothing_are_counted_and_are_in_the_record(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "4", "-o", "it.json", sandbox.program("halo"), "64", "30")
    assert ended.code == 0, ended.err
    assert " 0.0  " not in ended.err
    assert "MPI_Comm_size()" not in ended.err
    assert " more took less than 0.05 %: -o FILE.json, orrery profile\n" in ended.err
    assert "MPI_Comm_size()" in sandbox.orrery("profile", "it.json").out
    (spent,) = (line for line in ended.err.splitlines() if line.startswith("time goes to"))
    assert len(spent) <= 100
