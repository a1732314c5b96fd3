# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orrery.run.mapping import place


def test_slot_fills_a_node_before_the_next() -> None:
    assert place(6, [4, 4, 4], "slot").host_of_rank == [0, 0, 0, 0, 1, 1]


def test_node_deals_to_nodes_in_turn() -> None:
    assert place(5, [4, 4, 4], "node").host_of_rank == [0, 1, 2, 0, 1]


def test_ranks_that_share_cores_slow_down_by_their_number() -> None:
    placement = place(10, [2, 2], "slot")
    assert placement.host_of_rank == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
    assert placement.oversubscribed
    # Six ranks on the two cores of host 0, four on those of host 1.
    assert [placement.load[rank] for rank in (0, 2)] == [3, 2]


@given(
    st.integers(min_value=1, max_value=200),
    st.lists(st.integers(min_value=1, max_value=8), min_size=1, max_size=20),
)
def test_cores_are_shared_only_when_there_are_more_ranks_than_cores(ranks: int, cores: list[int]) -> None:
    placement = place(ranks, cores, "slot")
    assert placement.oversubscribed == (ranks > sum(cores))
    assert len(placement.host_of_rank) == ranks
