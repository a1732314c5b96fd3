# SPDX-License-Identifier: BSD-3-Clause
"""The cluster for each group of a job: fewest clusters, earliest start, lowest price, and what cannot be met."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.job.reading import load
from orrery.placement.clusters import load_sites
from orrery.placement.meta import ClusterChoice, choose

SITES = """
[[cluster]]
name = "orsay"
free_nodes = 8
cores = 4
memory_bytes = "8GiB"
latency_s = "0.1ms"
rate_bytes_per_s = "1Gbit/s"
wait_s = 60
cost_per_core_hour = 2.0
[[cluster]]
name = "rennes"
free_nodes = 16
cores = 4
speed = 2.0
latency_s = "20us"
rate_bytes_per_s = "10Gbit/s"
wait_s = 600
[[cluster]]
name = "lille"
free_nodes = 4
cores = 4
latency_s = "0.1ms"
rate_bytes_per_s = "1Gbit/s"
cost_per_core_hour = 1.0
[[network]]
clusters = ["orsay", "rennes"]
latency_s = "7ms"
rate_bytes_per_s = "100Mbit/s"
"""


Chosen = Callable[..., ClusterChoice]


@pytest.fixture
def chosen(tmp_path: Path) -> Chosen:
    def choice(job: str, ranks: int, sites: str = SITES) -> ClusterChoice:
        (tmp_path / "job.toml").write_text(job)
        (tmp_path / "sites.toml").write_text(sites)
        return choose(load(tmp_path / "job.toml"), ranks, load_sites(tmp_path / "sites.toml"))

    return choice


def where(choice: ClusterChoice) -> dict[str, str]:
    return {group.group: group.cluster for group in choice.groups}


TWO = '[[group]]\nname = "a"\nprocesses = 16\n{a}\n[[group]]\nname = "b"\nprocesses = 16\n{b}\n'


def test_one_cluster_is_better_than_two_though_it_starts_later(chosen: Chosen) -> None:
    # Both have room on orsay (8 nodes) and on rennes; on lille and orsay they would be on two clusters.
    found = chosen(TWO.format(a="", b=""), 32)
    assert where(found) == {"a": "orsay", "b": "orsay"}
    assert found.starts_in_s == 60
    assert found.price_per_hour == 8 * 4 * 2.0
    assert [group.nodes for group in found.groups] == [4, 4]


def test_the_earliest_start_and_then_the_lowest_price_decide(chosen: Chosen) -> None:
    job = '[[group]]\nname = "a"\n'
    assert where(chosen(job, 16)) == {"a": "lille"}
    equal = SITES.replace("wait_s = 60\n", "").replace("wait_s = 600\n", "")
    assert where(chosen(job, 16, equal)) == {"a": "rennes"}  # costs nothing


def test_what_a_group_needs_decides_where_it_may_go(chosen: Chosen) -> None:
    found = chosen(TWO.format(a="speed_at_least = 2", b='memory_bytes = "2GiB"'), 32)
    assert where(found) == {"a": "rennes", "b": "orsay"}
    assert found.starts_in_s == 600
    near = chosen(TWO.format(a='[group.inside]\nlatency_at_most_s = "50us"', b=""), 32)
    assert where(near) == {"a": "rennes", "b": "rennes"}


def test_a_node_takes_so_many_ranks_as_memory_and_cores_allow(chosen: Chosen) -> None:
    found = chosen('[[group]]\nname = "a"\nmemory_bytes = "4GiB"\n', 16)
    assert [(group.cluster, group.nodes) for group in found.groups] == [("orsay", 8)]
    assert chosen('[[group]]\nname = "a"\ncores = 2\n', 8).groups[0].nodes == 4


def test_a_group_that_no_cluster_can_have_is_divided_into_its_subgroups(chosen: Chosen) -> None:
    job = '[[group]]\nname = "g"\n[[group.group]]\nname = "x"\nprocesses = 60\n[[group.group]]\nname = "y"\nprocesses = 30\n'
    assert where(chosen(job, 90)) == {"g/x": "rennes", "g/y": "orsay"}


NESTED = (
    '[[group]]\nname = "g"\nprocesses = {ranks}\n{g}\n[[group.group]]\nname = "x"\nprocesses = {x}\n{inside}\n'
    '[[group.group]]\nname = "y"\nprocesses = "rest"\n'
)


def test_what_a_divided_group_asks_for_its_ranks_holds_for_those_of_its_subgroups(chosen: Chosen) -> None:
    # Two ranks on a node, so that 30 ranks take 15 nodes and 16 ranks take 8.
    found = chosen(NESTED.format(ranks=46, g="cores = 2", x=30, inside=""), 46)
    assert [(group.group, group.cluster, group.nodes) for group in found.groups] == [
        ("g/x", "rennes", 15),
        ("g/y", "orsay", 8),
    ]


def test_a_group_goes_as_a_whole_where_its_subgroups_have_what_they_ask_for(chosen: Chosen) -> None:
    assert where(chosen(NESTED.format(ranks=16, g="", x=8, inside=""), 16)) == {"g": "lille"}
    assert where(chosen(NESTED.format(ranks=16, g="", x=8, inside="speed_at_least = 2"), 16)) == {"g": "rennes"}


def test_what_is_asked_between_groups_holds_for_the_parts_of_a_divided_one(chosen: Chosen) -> None:
    job = NESTED.format(ranks=80, g="", x=52, inside="") + '[[group]]\nname = "h"\nprocesses = "rest"\n{h}\n'
    assert where(chosen(job.format(h=""), 84)) == {"g/x": "rennes", "g/y": "orsay", "h": "rennes"}
    with pytest.raises(
        InputError, match=r"group h has no place beside the others: between g/. and h a latency of 1 ms"
    ):
        chosen(job.format(h='[[between]]\nlatency_at_most_s = "1ms"'), 84)


def test_thousands_of_groups_have_places(chosen: Chosen) -> None:
    job = "".join(f'[[group]]\nname = "g{number}"\nprocesses = 1\nmemory_bytes = "2GiB"\n' for number in range(2000))
    found = chosen(job, 2000, SITES.replace("free_nodes = 8", "free_nodes = 2000"))
    assert set(where(found).values()) == {"orsay"}


@pytest.mark.parametrize(
    ("job", "ranks", "said"),
    [
        (
            TWO.format(a="speed_at_least = 3", b=""),
            32,
            r"job.toml:4: .*speed_at_least: group a wants a speed of 3; the best offered is 2 \(rennes\)",
        ),
        ('[[group]]\nname = "a"\n', 65, r"group a wants nodes for 65 ranks; the best offered is 16 of 4 such ranks"),
        (
            '[[group]]\nname = "a"\nmemory_bytes = "9GiB"\n',
            4,
            r"memory_bytes: group a wants 9 GiB for a rank; the best offered is 8 GiB \(orsay\)",
        ),
        ('[[group]]\nname = "a"\ncores = 5\n', 4, r"cores: group a wants 5 cores for a rank; the best offered is 4"),
        (
            '[[group]]\nname = "a"\n[group.inside]\nrate_at_least_bytes_per_s = "100Gbit/s"\n',
            4,
            r"rate_at_least_bytes_per_s: group a wants a rate of 12.5 GB/s \(100 Gbit/s\) at least; the best offered is 1.25 GB/s",
        ),
        (
            TWO.format(a="speed_at_least = 2", b='memory_bytes = "2GiB"') + '[[between]]\nlatency_at_most_s = "1ms"\n',
            32,
            "between a and b a latency of 1 ms at most is wanted; .* offer 7 ms",
        ),
        (
            "".join(f'[[group]]\nname = "g{i}"\nspeed_at_least = 2\nprocesses = 60\n' for i in range(2)),
            120,
            "has no place beside the others",
        ),
    ],
)
def test_what_cannot_be_met_is_named_with_the_best_that_is_offered(
    chosen: Chosen, job: str, ranks: int, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        chosen(job, ranks)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cluster: is missing"),
        ("[[cluster]]\nname = 3\n", r"sites.toml:2: cluster\[0\].name"),
        (
            SITES + "[[cluster]]\nname = 'orsay'\nfree_nodes=1\ncores=1\nlatency_s=1\nrate_bytes_per_s=1\n",
            'another cluster is "orsay"',
        ),
        (SITES.replace("free_nodes = 4", "free_nodes = -4"), r"sites.toml:21: cluster\[2\].free_nodes"),
        (SITES.replace("speed = 2.0", "sped = 2.0"), 'unknown key, did you mean "speed"'),
        (
            SITES.replace('"orsay", "rennes"', '"orsay", "rennse"'),
            'there is no cluster "rennse", did you mean "rennes"',
        ),
        (SITES.replace('"orsay", "rennes"', '"orsay", "orsay"'), "names one cluster twice"),
        (
            SITES + '[[network]]\nclusters = ["rennes", "orsay"]\nlatency_s = 1\nrate_bytes_per_s = 1\n',
            r"network\[1\].clusters: network\[0\] joins these clusters already",
        ),
        ("x", "not TOML"),
    ],
)
def test_a_file_of_clusters_that_is_wrong_is_told_with_its_place(chosen: Chosen, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        chosen('[[group]]\nname = "a"\n', 4, text)


def test_the_command_says_where_groups_go(sandbox: Sandbox) -> None:
    (sandbox.folder / "sites.toml").write_text(SITES)
    (sandbox.folder / "job.toml").write_text(TWO.format(a="speed_at_least = 2", b=""))
    ended = sandbox.orrery("place", "--clusters", "sites.toml", "--groups", "job.toml", "-n", "32", "--json")
    assert json.loads(ended.out)["clusters"] == ["rennes"]
    text = sandbox.orrery("place", "--clusters", "sites.toml", "--groups", "job.toml", "-n", "32").out
    assert "16 ranks on 4 nodes of rennes" in text
    refused = sandbox.orrery("place", "--clusters", "sites.toml", "--groups", "job.toml", "-n", "32", "-p", "graphene")
    assert refused.code == 2
    assert "--platform: acts not with --clusters" in refused.err
