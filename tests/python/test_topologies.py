# SPDX-License-Identifier: BSD-3-Clause
"""Platform files with fat-trees, tori, dragonflies and graphs: what they become, and what their authors are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orrery import _core
from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.load import load

HEAD = """name = "mine"
model = "fluid"

[[cluster]]
name = "c"
cores = 4
bandwidth_bytes_per_s = 1e9
latency_s = "1us"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "100ns"
"""
CABLE = 'bandwidth_bytes_per_s = 2e9\nlatency_s = "10us"\n'
TREE = f"{HEAD}[cluster.fat_tree]\nnodes_per_leaf = 4\n[[cluster.fat_tree.level]]\ndown = 3\nup = 2\n{CABLE}"
TORUS = f"{HEAD}[cluster.torus]\nsizes = [4, 3]\n{CABLE}"
FLY = f"""{HEAD}[cluster.dragonfly]
groups = 5
routers_per_chassis = 2
nodes_per_router = 2
within_chassis = {{ bandwidth_bytes_per_s = 2e9, latency_s = "1us" }}
between_groups = {{ bandwidth_bytes_per_s = 3e9, latency_s = "20us" }}
"""
GRAPH = f"""{HEAD.replace("bandwidth_bytes_per_s = 1e9", "").replace('latency_s = "1us"', "", 1)}[cluster.graph]
switches = ["s"]
node = [{{ name = "a" }}, {{ name = "b", cores = 8, speed = 2.0 }}, {{ name = "far" }}]
link = [
    {{ name = "as", between = ["a", "s"], bandwidth_bytes_per_s = 1e9, latency_s = 1.0 }},
    {{ name = "bs", between = ["b", "s"], bandwidth_bytes_per_s = 1e9, latency_s = 1.0, sharing = "shared" }},
    {{ name = "hop", bandwidth_bytes_per_s = 1e9, latency_s = 4.0, sharing = "unshared" }},
]
edge = [{{ between = ["s", "far"], links = ["hop", "as:up"] }}]
route = [{{ between = ["b", "far"], links = ["hop"], one_way = true }}]
"""


def _build(folder: Path, text: str) -> _core.Platform:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return core.build(load(str(path)).model_dump())


def _names(hardware: _core.Platform, source: int, target: int) -> list[str]:
    links = hardware.links
    return [links[link].name for link in hardware.route(source, target).links]


def test_a_fat_tree_has_the_nodes_of_its_leaves(tmp_path: Path) -> None:
    hardware = _build(tmp_path, TREE)
    assert len(hardware.hosts) == 12
    assert hardware.cabinet_count == 3
    # d-mod-k: target 9 is odd, so up by the second of two switches.
    assert _names(hardware, 0, 9) == ["c-1/up", "c/level0.0-level1.1", "c/level1.1-level0.2", "c-10/down"]
    assert hardware.route(0, 9).latency_s == pytest.approx(22e-6)


def test_fewer_nodes_than_places_are_possible(tmp_path: Path) -> None:
    assert len(_build(tmp_path, TREE.replace("cores = 4", "cores = 4\nnodes = 7")).hosts) == 7


def test_a_torus_may_be_a_mesh_in_some_dimensions(tmp_path: Path) -> None:
    assert _names(_build(tmp_path, TORUS), 0, 3) == ["c-1/up", "c/(0,0)-(3,0)", "c-4/down"]
    mesh = _build(tmp_path, TORUS + "wraps = [false, true]\n")
    assert len(_names(mesh, 0, 3)) == 2 + 3
    assert _build(tmp_path, TORUS + "wraps = false\n").link_count == 12 * 3 + 2 * (3 * 3 + 2 * 4)


def test_a_dragonfly_is_crossed_straight_or_through_a_third_group(tmp_path: Path) -> None:
    assert _build(tmp_path, FLY).longest_route == 2 + 3
    assert _build(tmp_path, FLY + 'routing = "valiant"\n').longest_route == 2 + 5


def test_a_graph_has_hosts_and_routes_of_its_own(tmp_path: Path) -> None:
    hardware = _build(tmp_path, GRAPH)
    assert [(host.name, host.cores, host.speed) for host in hardware.hosts] == [("a", 4, 1), ("b", 8, 2), ("far", 4, 1)]
    assert _names(hardware, 0, 1) == ["c/as:up", "c/bs"]
    assert _names(hardware, 1, 2) == ["c/hop"]  # its own route, one way
    assert _names(hardware, 2, 1) == ["c/as:down", "c/hop", "c/bs"]
    assert _names(hardware, 2, 0) == ["c/as:down", "c/hop"]  # a link that is crossed twice is shared once
    assert hardware.route(2, 0).latency_s == 1 + 4 + 1


def test_rails_are_links_of_a_node(tmp_path: Path) -> None:
    assert _build(tmp_path, TORUS.replace("cores = 4", "cores = 4\nrails = 2")).link_count == 12 * 5 + 2 * 2 * 12
    striped = _build(tmp_path, TORUS.replace("cores = 4", 'cores = 4\nrails = 2\nrail_use = "striped"'))
    assert striped.route(0, 5).bandwidth_bytes_per_s == 2e9


def test_each_rail_may_end_at_a_torus_of_its_own(tmp_path: Path) -> None:
    single = _build(tmp_path, TORUS)
    planes = _build(tmp_path, TORUS.replace("cores = 4", "cores = 4\nrails = 2\nrail_planes = true"))
    assert planes.link_count == 2 * single.link_count - 12  # but one memory for each node
    ways = {_names(planes, 0, to)[1].split("/")[1] for to in range(1, 12)}
    assert ways == {"plane1", "plane2"}


def test_planes_of_rails_behind_one_switch_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rail_planes are of a fat-tree, torus or dragonfly"):
        _build(
            tmp_path,
            TORUS.split("[cluster.torus]", maxsplit=1)[0].replace(
                "cores = 4", "cores = 4\nnodes = 4\nrails = 2\nrail_planes = true"
            ),
        )


MISTAKES = {
    "two fabrics": (
        TREE + "[cluster.torus]\nsizes = [2]\n" + CABLE,
        r"cluster\[0\]\.torus: a fat_tree joins the nodes",
    ),
    "too many nodes": (TREE.replace("cores = 4", "cores = 4\nnodes = 13"), r":7: .*nodes = 13: .* has room for 12"),
    "a backbone": (TREE.replace("cores = 4", "cores = 4\nbackbone_bytes_per_s = 1.0"), r"remove it or the backbone"),
    "no node link": (
        TREE.replace("bandwidth_bytes_per_s = 1e9\n", ""),
        r"cluster\[0\]\.bandwidth_bytes_per_s: is missing",
    ),
    "an empty dimension": (
        TORUS.replace("[4, 3]", "[4, 0]"),
        r":12: cluster\[0\]\.torus\.sizes\[1\] = 0: expected more",
    ),
    "wraps that do not fit": (TORUS + "wraps = [true, true, true]\n", r"for each of the 2 dimensions"),
    "wraps that are no truth": (TORUS + 'wraps = "yes"\n', r"torus\.wraps = \"yes\": expected a list"),
    "a routing that is not there": (FLY + 'routing = "adaptive"\n', r'expected "minimal" or "valiant"'),
    "no cable between groups": (re.sub("between_groups.*\n", "", FLY), r"dragonfly\.between_groups: is missing"),
    "a link to nowhere": (GRAPH.replace('["a", "s"]', '["a", "z"]'), r'no node or switch "z"'),
    "an unknown link": (
        GRAPH.replace('["hop", "as:up"]', '["hop", "as"]'),
        r'no link "as" \(of a duplex one: NAME:up',
    ),
    "a name twice": (GRAPH.replace('name = "b"', 'name = "a"'), r'2 have the name "a"'),
    "an edge with one end": (GRAPH.replace('["b", "s"]', '["b"]'), r"expected the names of two nodes or switches"),
    "a host without a way": (
        GRAPH.replace("edge =", "route_ =").replace("route_", "#"),
        r'no edges lead from "far" to "a"',
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_each_mistake_is_told_with_its_key(tmp_path: Path, what: str) -> None:
    text, told = MISTAKES[what]
    with pytest.raises(InputError, match=told) as caught:
        _build(tmp_path, text)
    assert "\n" not in str(caught.value)
