# SPDX-License-Identifier: BSD-3-Clause
"""The built-in platforms say what their papers say."""

from __future__ import annotations

import pytest

from orrery import _core
from orrery.platform import core
from orrery.platform.find import builtin_names
from orrery.platform.load import load


def _hardware(name: str) -> _core.Platform:
    return core.build(load(name).model_dump())


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_platform_can_be_built(name: str) -> None:
    hardware = _hardware(name)
    last = len(hardware.hosts) - 1
    assert hardware.route(0, last).bandwidth_bytes_per_s > 0


def test_three_sites_of_grid_5000_are_those_of_the_paper() -> None:
    # Section 4.1: nodes of each cluster; 7.8 ms and 136.08 Mb/s between sites, 0.1 ms and 894.39 Mb/s inside.
    hardware = _hardware("grid3")
    assert [cluster.node_count for cluster in load("grid3").clusters] == [93, 312, 99]
    for source, target in ((0, 93), (0, 405), (93, 405)):
        assert hardware.route(source, target).latency_s == pytest.approx(7.8e-3)
        assert hardware.route(source, target).bandwidth_bytes_per_s == pytest.approx(136.08e6 / 8)
    assert hardware.route(0, 1).latency_s == pytest.approx(0.1e-3)
    assert hardware.route(0, 1).bandwidth_bytes_per_s == pytest.approx(894.39e6 / 8)


def test_the_cluster_of_multi_core_nodes_is_that_of_the_paper() -> None:
    hardware = _hardware("qcg")
    assert [host.cores for host in hardware.hosts] == [2, 2, 2, 2]
    assert hardware.route(0, 1).bandwidth_bytes_per_s == pytest.approx(89.61e6 / 8)
    assert hardware.route(0, 0).bandwidth_bytes_per_s == pytest.approx(3979.46e6 / 8)


@pytest.mark.parametrize(("name", "latency_s"), [("xt4-cm", 4.91e-6), ("xt4-ob1", 6.16e-6)])
def test_an_empty_message_between_neighbours_of_the_xt4_takes_what_table_1_says(name: str, latency_s: float) -> None:
    platform, hardware = load(name), _hardware(name)
    assert len(hardware.hosts) == 11_508
    assert platform.network is not None
    short, long = platform.network.between_nodes
    assert hardware.route(0, 1).latency_s + short.recv_overhead_s == pytest.approx(latency_s)
    assert short.end_bytes == 32 * 1024 + 1  # section 4: eager limit of 32 KiB
    assert (long.protocol, long.latency_factor) == (("synchronous", 3) if name == "xt4-ob1" else ("optimistic", 1))


def test_the_three_libraries_of_the_xt4_differ_in_what_the_paper_says_of_them() -> None:
    cray, cm, ob1 = (load(f"xt4-{name}") for name in ("cray", "cm", "ob1"))
    assert _hardware("xt4-cray").route(0, 1).latency_s + 0.47e-6 == pytest.approx(4.78e-6)  # table 1
    for platform in (cray, cm, ob1):
        assert platform.network is not None
        assert platform.network.between_nodes[0].send_overhead_s == pytest.approx(0.6e-6)
        assert platform.clusters == cm.clusters
        assert platform.node == cm.node


def test_the_eight_commodity_clusters_are_those_of_table_3_1() -> None:
    sizes = [sum(host.cores for host in _hardware(name).hosts) for name in builtin_names() if "commodity" in name]
    assert sizes == [4, 16, 4, 4, 4, 4, 8, 8]  # cores, of 1, 4, 4, 4, 4, 4, 8 and 8 nodes


def test_a_virtual_node_is_slower_to_reach_than_a_physical_one() -> None:
    physical, virtual = _hardware("futuregrid-physical"), _hardware("futuregrid-virtual")
    assert len(physical.hosts) == len(virtual.hosts) == 16
    assert virtual.route(0, 1).latency_s > physical.route(0, 1).latency_s
    assert [host.cores for host in virtual.hosts] == [1] * 16
