# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are started by themselves, without `orrery run`."""

from __future__ import annotations

import subprocess

import pytest

from harness import HUNG_S, Sandbox


@pytest.mark.parametrize(
    ("argument", "code", "words"),
    [
        ([], 4, []),  # what main returns
        (["abort"], 7, ["MPI_Abort", "7"]),
        (["wait"], 1, ["not started by orrery run", "MPI_Recv", "tag=9"]),  # nobody will ever send that
    ],
)
def test_a_program_that_nobody_starts_runs_as_one_rank(
    sandbox: Sandbox, argument: list[str], code: int, words: list[str]
) -> None:
    ended = subprocess.run(
        [sandbox.program("alone"), *argument],
        env=sandbox.environment,
        cwd=sandbox.folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=HUNG_S,
    )
    assert ended.stdout == "rank 0 of 1\n", ended.stderr
    assert ended.returncode == code
    assert all(word in ended.stderr for word in words)
    assert bool(words) == bool(ended.stderr)
    assert sandbox.left_behind() == []
