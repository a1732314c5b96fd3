# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are only compared with simulated ones that share nodes in the same way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orrery.calibrate.measure.layout import Layout
from orrery.errors import InputError
from orrery.experiment.mapping import place
from orrery.validate.places import check_places


def _layout(**nodes: list[int]) -> Layout:
    return Layout(nodes=nodes, kernels=len(nodes), processors=4, mpi="an MPI")


def _hosts(ranks: int, mapping: str) -> Sequence[int]:
    """Four hosts with two cores each."""
    return place(ranks, [2] * 4, mapping).host_of_rank


@pytest.mark.parametrize(
    ("layout", "mapping"),
    [
        (_layout(a=[0], b=[1], c=[2], d=[3]), "node"),
        (_layout(z=[0, 1], a=[2, 3]), "slot"),  # names and their order do not matter
        (_layout(a=[0, 4], b=[1, 5], c=[2], d=[3]), "node"),  # round again
        (_layout(a=[0]), "node"),
    ],
)
def test_ranks_that_share_nodes_as_the_mapping_says_are_compared(layout: Layout, mapping: str) -> None:
    check_places(layout, _hosts, mapping)


def test_ranks_on_one_node_are_not_compared_with_ranks_on_several() -> None:
    with pytest.raises(InputError, match=r"4 ranks: ranks 0 and 1 both ran on vm, but by --map node .* two nodes"):
        check_places(_layout(vm=[0, 1, 2, 3]), _hosts, "node")


def test_the_mapping_that_ranks_have_is_proposed() -> None:
    with pytest.raises(InputError, match=r"ranks 0 and 1 both ran on a,.* say --map slot, which is how they ran"):
        check_places(_layout(a=[0, 1], b=[2, 3]), _hosts, "node")
    with pytest.raises(
        InputError, match=r"ranks 0 and 1 ran on a and b, but by --map slot they share a node.*--map node"
    ):
        check_places(_layout(a=[0], b=[1], c=[2], d=[3]), _hosts, "slot")
    with pytest.raises(InputError, match=r"say how they ran: --map file:PATH"):
        check_places(_layout(a=[0, 3], b=[1, 2]), _hosts, "slot")
