# SPDX-License-Identifier: BSD-3-Clause
"""What the standard promises programs, whatever the network and the algorithms: tests/programs check it themselves."""

from __future__ import annotations

import pytest

from conftest import PLAIN
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


def test_optional_datatypes_that_there_are_not_have_a_name_and_no_size(sandbox: Sandbox) -> None:
    ended = sandbox.run(1, "absent_types")
    assert (ended.code, ended.out) == (0, RIGHT), ended.err


@pytest.mark.parametrize("launch", ["fork", "exec"])
def test_memory_of_mpi_is_as_well_aligned_as_a_hint_says(sandbox: Sandbox, launch: str) -> None:
    ended = sandbox.run(4, "alignment", options=("--launch", launch))
    assert (ended.code, ended.out) == (0, RIGHT), ended.err


def test_receives_of_which_thousands_are_outstanding_are_matched_in_order(sandbox: Sandbox) -> None:
    ended = sandbox.run(3, "many_requests", "2000")
    assert (ended.code, ended.out) == (0, RIGHT), ended.err


def test_a_division_by_the_hardware_says_what_it_has_divided(sandbox: Sandbox) -> None:
    # Two hosts of two sockets: first hosts, then sockets.
    (sandbox.folder / "two.toml").write_text(
        PLAIN.replace("nodes = 64", "nodes = 2").replace("cores = 1", "cores = 4\nsockets = 2")
    )
    ended = sandbox.run(8, "unguided", options=("--platform", "two.toml", "--map", "slot"))
    assert (ended.code, ended.out) == (0, "orrery://node\norrery://socket\n"), ended.err
