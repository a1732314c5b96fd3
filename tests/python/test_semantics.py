# SPDX-License-Identifier: BSD-3-Clause
"""What the standard promises programs, whatever the network and the algorithms: tests/programs check it themselves."""

from __future__ import annotations

import pytest

from harness import Sandbox

RIGHT = "all as they should be\n"


@pytest.mark.parametrize("selector", ["default", "openmpi-4.1", "openmpi-5.0", "mpich-4.0", "mpich-5.0"])
def test_ranks_may_give_one_signature_with_different_datatypes(sandbox: Sandbox, selector: str) -> None:
    # 20,000 bytes on 10 ranks: a broadcast is a scatter and an allgather, or cut into segments.
    ended = sandbox.run(10, "signatures", options=("--selector", selector))
    assert (ended.code, ended.out) == (0, RIGHT), ended.err


def test_calls_that_find_nothing_leave_statuses_alone_and_cancelled_sends_are_complete(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "untouched")
    assert (ended.code, ended.out) == (0, RIGHT), ended.err
