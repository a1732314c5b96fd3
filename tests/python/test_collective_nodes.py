# SPDX-License-Identifier: BSD-3-Clause
"""Where nodes have several ranks, collective calls consist of the messages that were recorded between such nodes."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from typing import NamedTuple

import pytest

import recordings
from orrery.collective.call import Call, Operation
from orrery.collective.messages import messages
from orrery.collective.settings import CollectiveRequest
from orrery.errors import InputError


class Setup(NamedTuple):
    """A call on nodes with so many ranks each."""

    call: Call
    root: int
    per_node: int
    mapping: str


def recorded(name: str) -> dict[Setup, recordings.Sequences]:
    found: dict[Setup, recordings.Sequences] = {}
    with gzip.open(recordings.DATA / name, "rt", newline="") as file:
        for row in csv.DictReader(file):
            call = Call(row["collective"], int(row["bytes"]), int(row["nprocs"]))
            setup = Setup(call, int(row["root"]), int(row["ranks_per_node"]), row["map"])
            sent = found.setdefault(setup, defaultdict(list))
            if row["src"]:
                sent[int(row["src"])].append((int(row["dst"]), int(row["msg_bytes"])))
    return found


def in_any_order(sequences: recordings.Sequences) -> recordings.Sequences:
    return {source: sorted(sent) for source, sent in sequences.items()}


@pytest.mark.parametrize(
    ("name", "selector", "number"),
    [
        ("openmpi-5.0.11/nodes-sequence.csv.gz", "openmpi-5.0", 904),
        ("mpich-4.0.2/nodes-sequence.csv.gz", "mpich-4.0", 458),
    ],
)
def test_calls_between_nodes_send_what_was_recorded(name: str, selector: str, number: int) -> None:
    found = recorded(name)
    assert len(found) == number
    wrong = []
    for setup, expected in found.items():
        request = recordings.asked(selector=selector, root=setup.root, mapping=setup.mapping)
        sent = recordings.sent_by(setup.call, request, setup.per_node)
        # Between nodes han starts a broadcast and a reduction at once, and time decides which goes first.
        any_order = setup.call.kind == "allreduce" and selector == "openmpi-5.0"
        if sent != expected and not (any_order and in_any_order(sent) == in_any_order(expected)):
            wrong.append(setup)
    assert wrong == []


def test_non_blocking_calls_between_nodes_send_what_mpich_was_recorded_to_send() -> None:
    found: dict[tuple[Call, int, str], dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    with gzip.open(recordings.DATA / "mpich-4.0.2/immediate-nodes-messages.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            operation: Operation = "commutative" if row["commutative"] == "1" else "not-commutative"
            call = Call(
                row["collective"],
                int(row["bytes"]),
                int(row["nprocs"]),
                immediate=True,
                type_size=8,
                operation=operation,
            )
            sent = found[call, int(row["ranks_per_node"]), row["map"]]
            sent[int(row["src"]), int(row["dst"])] = (int(row["count"]), int(row["bytes_total"]))
    assert len(found) == 450
    wrong = [
        (call, per_node, mapping)
        for (call, per_node, mapping), expected in found.items()
        if recordings.totals(call, recordings.asked(selector="mpich-4.0", mapping=mapping), per_node) != expected
    ]
    assert wrong == []


def test_without_nodes_selectors_take_ranks_for_equals() -> None:
    call = Call("bcast", 8, 8)
    assert messages(call, recordings.asked(selector="openmpi-5.0"))[0] == "binary_tree"
    assert messages(call, recordings.asked(selector="openmpi-5.0"), 4)[0] == "han"
    assert messages(call, recordings.asked(selector="openmpi-5.0"), 8)[0] == "binary_tree"
    assert messages(call, recordings.asked(selector="mpich-5.0"), 1)[0] == "binomial_halving"
    assert messages(call, recordings.asked(selector="mpich-5.0"), 2)[0] == "composition_alpha"


def test_a_hierarchical_algorithm_shows_its_messages_where_nodes_are_known() -> None:
    call = Call("bcast", 8, 4)
    by_nodes = recordings.asked(algorithm=("hierarchical",))
    assert recordings.sent_by(call, by_nodes, 2) == {0: [(2, 8), (1, 8)], 2: [(3, 8)]}
    with pytest.raises(InputError, match="bcast by hierarchical does not serve 4 ranks"):
        messages(call, by_nodes)


@pytest.mark.parametrize(
    ("selector", "operation", "name"),
    [
        ("mpich-5.0", "built-in", "reduce_scatter_gather"),
        ("mpich-5.0", "commutative", "binomial"),
        ("openmpi-5.0", "commutative", "binomial"),
        ("openmpi-5.0", "not-commutative", "in_order_binary"),
    ],
)
def test_a_users_operation_may_change_the_algorithm(selector: str, operation: Operation, name: str) -> None:
    call = CollectiveRequest(kinds=["reduce"], ranks="8", sizes="1MiB", operation=operation).calls[0]
    assert messages(call, recordings.asked(selector=selector))[0] == name


def test_an_all_to_all_in_place_goes_its_own_way() -> None:
    call = CollectiveRequest(kinds=["alltoall"], ranks="3", sizes="8", in_place=True).calls[0]
    assert recordings.sent_by(call, recordings.asked(selector="openmpi-4.1"))[0] == [(2, 8), (1, 8)]
    with pytest.raises(InputError, match="--in-place is for alltoall"):
        CollectiveRequest(kinds=["bcast"], ranks="3", sizes="8", in_place=True).calls  # noqa: B018
