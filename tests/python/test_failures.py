# SPDX-License-Identifier: BSD-3-Clause
"""What failed or is not complete says so first, and with its exit code."""

from __future__ import annotations

import pytest

from harness import Sandbox


@pytest.fixture
def trace(sandbox: Sandbox) -> bytes:
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    return (sandbox.folder / "it.trace").read_bytes()


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_a_trace_that_was_cut_off_is_never_replayed_as_if_it_were_whole(
    sandbox: Sandbox, trace: bytes, share: float
) -> None:
    (sandbox.folder / "cut.trace").write_bytes(trace[: int(len(trace) * share)])
    ended = sandbox.replay("cut.trace")
    assert ended.code == 1
    first = ended.err.splitlines()[0]
    assert first.startswith("orrery: the replay failed: the trace is not complete: the calls of ")
    assert "expected" not in ended.out
    assert (ended.record["end"], ended.record["expected"], ended.record["exit_code"]) == ("cut_off", None, 1)
    shown = sandbox.orrery("profile", "cut.trace")
    assert (shown.code, shown.out.split()[:2]) == (1, ["cut", "off"])


def test_the_whole_trace_is_replayed_without_a_word(sandbox: Sandbox, trace: bytes) -> None:
    (sandbox.folder / "whole.trace").write_bytes(trace)
    ended = sandbox.replay("whole.trace")
    assert (ended.code, ended.err, ended.record["end"]) == (0, "", "completed")
    assert sandbox.orrery("profile", "whole.trace").code == 0


def test_a_failed_run_says_why_before_what_is_known(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "deadlock", str(sandbox.folder / "mark"))
    lines = ended.err.splitlines()
    assert lines[0] == "orrery: the run failed: These ranks wait for each other in a circle:"
    assert lines.index("") < [line.split(" ")[0] for line in lines].index("simulated")
    assert sum("the run failed" in line for line in lines) == 1
    shown = sandbox.orrery("profile")
    assert shown.code == 1
    assert shown.out.startswith("the run failed: These ranks wait ")


def test_of_a_run_that_failed_before_it_began_nothing_else_is_said(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "3", "sh", "-c", "exit 3")
    assert ended.code == 3
    assert ended.err.strip() == "orrery: the run failed: sh ended with status 3 before it called MPI_Init"
