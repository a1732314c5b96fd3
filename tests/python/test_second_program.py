# SPDX-License-Identifier: BSD-3-Clause
"""A rank is one MPI program: a second one is refused by its name."""

from __future__ import annotations

import pytest

from harness import Sandbox

LAUNCHES = pytest.mark.parametrize("launch", [(), ("--launch", "fork")], ids=["default", "fork"])


@LAUNCHES
def test_a_second_program_behind_the_first_is_refused_by_its_name(sandbox: Sandbox, launch: tuple[str, ...]) -> None:
    hello = sandbox.program("hello")
    ended = sandbox.orrery("run", "-n", "2", *launch, "sh", "-c", f"{hello}; {hello} again; sleep 100")
    assert ended.code == 1
    assert sorted(ended.out.splitlines()) == ["rank 0 of 2", "rank 1 of 2"]
    said = f"{hello} is the second MPI program that this rank starts, behind one that has called MPI_Finalize"
    assert f"the run failed: rank 0: {said}" in ended.err or f"the run failed: rank 1: {said}" in ended.err
    assert sandbox.left_behind() == []


@LAUNCHES
def test_a_second_program_beside_the_first_is_refused_by_its_name(sandbox: Sandbox, launch: tuple[str, ...]) -> None:
    mark = sandbox.folder / "mark"
    endless, hello = sandbox.program("endless"), sandbox.program("hello")
    script = f"{endless} {mark} & while [ ! -e {mark} ]; do sleep 0.05; done; {hello}; sleep 100"
    ended = sandbox.orrery("run", "-n", "2", *launch, "sh", "-c", script)
    assert ended.code == 1
    assert f"{hello} is the second MPI program that this rank starts, beside one that runs" in ended.err
    assert sandbox.left_behind() == []


@LAUNCHES
def test_what_a_shell_does_behind_the_program_is_done_and_its_status_counts(
    sandbox: Sandbox, launch: tuple[str, ...]
) -> None:
    script = f"{sandbox.program('hello')}; echo behind; exit 3"
    ended = sandbox.orrery("run", "-n", "2", *launch, "sh", "-c", script)
    assert ended.code == 3
    assert "behind" in ended.out.splitlines()
    assert "ended with status 3" in ended.err


def test_a_program_that_a_rank_becomes_after_mpi_finalize_is_refused_by_its_name(sandbox: Sandbox) -> None:
    hello = sandbox.program("hello")
    ended = sandbox.run(2, "becomes", "exec", hello)
    assert ended.code == 1
    assert ended.out == ""
    assert f"{hello} is the second MPI program that this rank starts, in place of one" in ended.err


@pytest.mark.parametrize(
    ("how", "routine"), [("init", "MPI_Init was called by"), ("call", "an MPI routine was called by")]
)
def test_a_process_that_a_rank_has_forked_is_no_rank(sandbox: Sandbox, how: str, routine: str) -> None:
    ended = sandbox.run(1, "becomes", how)
    assert ended.code == 1
    assert f"orrery: {routine} a process that rank 0 has forked after MPI_Init" in ended.err


def test_an_abort_below_a_shell_ends_the_run_though_the_shell_goes_on(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "run", "-n", "2", "sh", "-c", f"{sandbox.program('abort')} {sandbox.folder}/mark 5; sleep 100"
    )
    assert ended.code == 5
    assert "rank 1 called MPI_Abort with code 5" in ended.err
    assert sandbox.left_behind() == []
