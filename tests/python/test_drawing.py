# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of platforms are well-formed SVG that shows as much as there is, up to what a reader can take in."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from orrery.platform.find import builtin_names
from orrery.platform.load import load
from orrery.report.drawing.platform import draw
from test_topologies import FLY, GRAPH, TORUS, TREE

SVG = "{http://www.w3.org/2000/svg}"


def _drawn(platform: str) -> tuple[ET.Element, str]:
    loaded = load(platform)
    names = [f"host-{number}" for number in range(sum(cluster.node_count for cluster in loaded.clusters))]
    text = draw(loaded, names)
    return ET.fromstring(text), text  # noqa: S314  our own text


def _count(root: ET.Element, element: str) -> int:
    return sum(1 for _ in root.iter(f"{SVG}{element}"))


def _file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_platform_can_be_drawn(name: str) -> None:
    root, _ = _drawn(name)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert 0 < width < 5000
    assert 0 < height < 5000
    assert left + width > 0
    assert top + height > 0


def test_every_node_of_a_small_cluster_is_there() -> None:
    _, text = _drawn("graphene")
    assert all(f"<title>host-{number}</title>" in text for number in range(144))


def test_a_fat_tree_shows_every_switch_node_and_cable(tmp_path: Path) -> None:
    root, text = _drawn(_file(tmp_path, TREE))
    assert text.count("<title>level") == 3 + 2
    assert text.count("<title>host-") == 12
    assert _count(root, "line") == 3 * 2 + 3  # cables, and one line from each leaf to its nodes


def test_a_torus_shows_every_router_and_cable(tmp_path: Path) -> None:
    root, text = _drawn(_file(tmp_path, TORUS))
    assert text.count("<title>host-") == 12
    assert _count(root, "line") == 3 * 3 + 2 * 4
    assert _count(root, "path") == 3 + 4  # round the edges


def test_a_dragonfly_shows_every_router_and_group(tmp_path: Path) -> None:
    root, text = _drawn(_file(tmp_path, FLY))
    assert text.count("<title>group ") == 10
    assert _count(root, "line") == 5 * 4 // 2 + 5  # each pair of groups, and a pair of routers in each


def test_a_graph_shows_every_vertex_and_edge(tmp_path: Path) -> None:
    root, text = _drawn(_file(tmp_path, GRAPH))
    assert all(f"<title>{name}</title>" in text for name in ("a", "b", "far", "s"))
    assert _count(root, "line") == 4


def test_of_a_large_platform_a_part_is_drawn_and_the_whole_named(tmp_path: Path) -> None:
    _, text = _drawn(_file(tmp_path, TORUS.replace("[4, 3]", "[40, 40, 40]")))
    assert "40 x 40 x 40 routers; drawn: a corner of" in text
    assert len(text) < 1_000_000
    _, text = _drawn(_file(tmp_path, TREE.replace("down = 3", "down = 3000")))
    assert "3,000 switches" in text
    assert len(text) < 1_000_000
