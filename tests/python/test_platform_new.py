# SPDX-License-Identifier: BSD-3-Clause
"""Platform files to start from (`orrery platform new`), and what is said of their fat-trees."""

from __future__ import annotations

import json

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.platform.load import load
from orrery.platform.templates import TEMPLATES, filled


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("nodes", [None, 1, 2, 37, 512])
def test_each_template_joins_any_number_of_nodes_and_says_that_nothing_is_measured(
    sandbox: Sandbox, template: str, nodes: int | None
) -> None:
    file = sandbox.folder / "it.toml"
    file.write_text(filled(template, nodes=nodes, cores=24), encoding="utf-8")
    platform = load(str(file))
    assert platform.clusters[0].node_count == (nodes or TEMPLATES[template].nodes)
    assert platform.clusters[0].cores == 24
    assert platform.source == "typical values, not measured"
    assert platform.calibration is None


@pytest.mark.parametrize("template", TEMPLATES)
def test_messages_take_longer_the_farther_they_go(sandbox: Sandbox, template: str) -> None:
    assert sandbox.orrery("platform", "new", template, "-o", "it.toml").code == 0
    found = json.loads(sandbox.orrery("platform", "show", "it.toml", "--json").out)["ping_pong"]
    inside, near, far = (pair["seconds"] for pair in found)
    assert inside[0] < near[0] <= far[0]
    assert "caution" not in sandbox.orrery("platform", "show", "it.toml").out


def test_templates_are_named_and_what_does_not_fit_is_refused(sandbox: Sandbox) -> None:
    named = sandbox.orrery("platform", "new").out
    assert [line.split()[0] for line in named.splitlines()] == list(TEMPLATES)
    with pytest.raises(InputError, match="did you mean"):
        filled("fat-tree")
    with pytest.raises(InputError, match="two levels of switches of 36 ports join at most 648 nodes"):
        filled("fat-tree-100", nodes=649)
    assert "nodes = 648" in filled("fat-tree-100", nodes=648)
    ended = sandbox.orrery("platform", "new", "--nodes", "4")
    assert ended.code == 2
    assert "name a template: ethernet-10" in ended.err


def test_a_name_is_data(sandbox: Sandbox) -> None:
    file = sandbox.folder / "it.toml"
    name = 'a"b$nodes'
    file.write_text(filled("ethernet-10", name=name), encoding="utf-8")
    assert load(str(file)).name == name


@pytest.mark.parametrize(
    ("up", "said"), [(9, "oversubscribed 2 to 1"), (18, "not oversubscribed"), (36, "not oversubscribed")]
)
def test_how_far_a_level_is_oversubscribed(sandbox: Sandbox, up: int, said: str) -> None:
    text = filled("fat-tree-100", nodes=72).replace("parallel = 9", "parallel = 1").replace("up = 2 ", f"up = {up} ")
    (sandbox.folder / "it.toml").write_text(text.replace("down = 4", "down = 8"), encoding="utf-8")
    shown = sandbox.orrery("platform", "show", "it.toml").out
    assert f"12.5 GB/s (100 Gbit/s), 130 ns; {said}\n" in shown
    assert "8 leaves of 18 nodes, 4 of 8 have nodes" in shown
