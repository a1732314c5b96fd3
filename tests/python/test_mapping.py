# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, describe_mapping, place, places_after

CABINETS = Hosts(cores=[2, 2, 1, 1], cabinets=[0, 0, 1, 1], names=["a", "b", "c", "d"])


def test_slot_fills_a_node_before_the_next() -> None:
    assert place(6, [4, 4, 4], "slot").host_of_rank == [0, 0, 0, 0, 1, 1]


def test_node_deals_to_nodes_in_turn() -> None:
    assert place(5, [4, 4, 4], "node").host_of_rank == [0, 1, 2, 0, 1]


def test_cabinet_deals_to_cabinets_in_turn_while_they_have_cores() -> None:
    assert place(8, CABINETS, "cabinet").host_of_rank == [0, 2, 0, 3, 1, 1, 0, 2]


def test_random_takes_each_core_once_and_the_same_ones_again() -> None:
    drawn = place(6, CABINETS, "random:7").host_of_rank
    assert sorted(drawn) == [0, 0, 1, 1, 2, 3]
    assert place(6, CABINETS, "random:7").host_of_rank == drawn
    assert any(place(6, CABINETS, f"random:{seed}").host_of_rank != drawn for seed in range(5))


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


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("rank 1=c slot=0\nrank 0=d slot=0:0  # Open MPI\n\nrank 2 = a\n", [3, 2, 0]),
        ("b slots=3\nd\n# all cores of a\na", [1, 1, 1, 3, 0, 0]),
        ("c:2\nb:1\n", [2, 2, 1]),
    ],
)
def test_a_file_says_where_ranks_are(tmp_path: Path, text: str, hosts: list[int]) -> None:
    file = tmp_path / "ranks"
    file.write_text(text, encoding="utf-8")
    assert place(len(hosts), CABINETS, f"file:{file}").host_of_rank == hosts
    # Ranks that the program starts later go on slot by slot where the file ends.
    assert places_after(len(hosts), 2, CABINETS, f"file:{file}").host_of_rank == [0, 0, 1, 1, 2, 3][len(hosts) :][
        :2
    ] + ([0, 0] if len(hosts) == 6 else [])


def test_so_many_ranks_go_to_each_node() -> None:
    assert place(5, CABINETS, "ppr:2").host_of_rank == [0, 0, 1, 1, 2]
    assert place(6, [1, 1], "ppr:2").load == [4, 4, 2, 2, 4, 4]


@pytest.mark.parametrize(
    ("mapping", "hosts"),
    [
        ("slot@b,c", [1, 1, 2, 1, 1]),
        ("slot@c:2,b:1", [2, 2, 1, 2, 2]),
        ("node@d,a", [3, 0, 3, 0, 3]),
        ("ppr:1@d,b", [3, 1, 3, 1, 3]),
        ("cabinet@a,d", [0, 3, 0, 0, 3]),
    ],
)
def test_a_policy_is_restricted_to_hosts(mapping: str, hosts: list[int]) -> None:
    assert place(5, CABINETS, mapping).host_of_rank == hosts


@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ("slot@b,x", r'"@b,x": no host "x" on this platform'),
        ("slot@b:0", r'"b:0": expected slots behind ":"'),
        ("slot@b:two", r'"b:two": expected slots behind ":"'),
    ],
)
def test_a_list_of_hosts_that_cannot_be_used_is_told(mapping: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        place(2, CABINETS, mapping)


def test_ranks_that_are_bound_to_one_core_share_it(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text("rank 0=a slot=0\nrank 1=a slot=0\nrank 2=b slot=0\nrank 3=b slot=1\n", encoding="utf-8")
    assert place(4, [2, 2], "slot").load == [1, 1, 1, 1]
    hosts = Hosts(cores=[2, 2], names=["a", "b"])
    assert place(4, hosts, f"file:{file}").load == [2, 2, 1, 1]


def test_a_rank_spreads_over_the_cores_that_it_is_bound_to(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text("rank 0=a slot=0-1\nrank 1=a slot=0-1\nrank 2=a slot=0,1\nrank 3=a\n", encoding="utf-8")
    # Three half ranks on each of cores 0 and 1, and a quarter of the unbound one on each of the four.
    assert place(4, Hosts(cores=[4], names=["a"]), f"file:{file}").load == [1.75, 1.75, 1.75, 1.0]


@pytest.mark.parametrize(
    ("slot", "told"),
    [
        ("4", ":1: slot=4: the host has 4 cores, counted from 0"),
        ("3-1", ":1: slot=3-1: the host has 4 cores"),
        ("x", ":1: slot=x: expected cores such as 1, 0-3 or 1:0-3"),
    ],
)
def test_cores_that_a_host_does_not_have_are_told(tmp_path: Path, slot: str, told: str) -> None:
    file = tmp_path / "ranks"
    file.write_text(f"rank 0=a slot={slot}\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        place(1, Hosts(cores=[4], names=["a"]), f"file:{file}")


def test_a_file_may_give_more_slots_than_memory_could_hold(tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    file.write_text("c:2\nb:999999999\na slots=999999999\n", encoding="utf-8")
    assert place(4, CABINETS, f"file:{file}").host_of_rank == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rank 0=x", r':1: no host "x" on this platform'),
        ("rank 0=a\nrank 0=b", r":2: rank 0 has a host already"),
        ("rank 1=a", r"places rank 1, but not rank 0"),
        ("rank 0=a\nb slots=1", r"use one kind"),
        ("a b c", r':1: "a b c": expected "rank N=HOST"'),
        ("a:" + "9" * 5000, r':1: "a:9+": expected "rank N=HOST", "HOST slots=N" or "HOST:N"'),
        ("a:1", r"the file places 1 ranks, 2 are wanted"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "ranks"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        place(2, CABINETS, f"file:{file}")


@pytest.mark.parametrize("mapping", ["socket?", "random:x", "file:", "", "ppr", "ppr:0", "slot@"])
def test_an_unknown_policy_is_told_with_those_that_there_are(mapping: str) -> None:
    with pytest.raises(InputError, match="expected slot, node, socket, cabinet, ppr:N, random:SEED or file:PATH"):
        place(2, CABINETS, mapping)


def test_reports_say_the_policy_in_words() -> None:
    assert describe_mapping("node") == "node by node"
    assert describe_mapping("random:3") == "on cores drawn with seed 3"
    assert describe_mapping("file:hosts") == "as hosts says"
    assert describe_mapping("ppr:2@node-1,node-2") == "2 to a node, on node-1,node-2"


def test_ranks_of_each_node_are_bound_to_cores_in_turn() -> None:
    # Two nodes of four cores; the third rank of a node has the first one's core again.
    placement = place(6, [4, 4], "ppr:3/0,2")
    assert placement.host_of_rank == [0, 0, 0, 1, 1, 1]
    assert placement.load == [2, 1, 2, 2, 1, 2]


def test_bound_ranks_are_on_the_sockets_of_their_cores() -> None:
    hosts = Hosts(cores=[4], places=[[10, 11]])
    assert place(3, hosts, "slot/3,0+1,2").places == [11, 10, 11]


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("slot/4", "no core 4 on a node of 4 cores"),
        ("slot/a", "expected cores behind"),
        ("slot/", "expected cores behind"),
    ],
)
def test_a_binding_that_cannot_be_is_refused(mapping: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        place(2, [4, 4], mapping)


def test_a_binding_is_described() -> None:
    assert describe_mapping("node@a,b/0,2") == "node by node, on a,b, bound to cores 0,2 of each node"
