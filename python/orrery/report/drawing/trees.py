# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of single switches, cabinets and fat-trees: switches above, nodes below."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.platform import schema
from orrery.report.drawing.parts import STEP, block, block_size, chosen, switch
from orrery.report.drawing.picture import CABLE, Picture

_MOST_SWITCHES = 48
"""Switches of a level that are drawn."""
_LEVEL = 70.0
"""Distance between levels, in pixels."""


def cabinets(cluster: schema.Cluster, names: Sequence[str]) -> Picture:
    """The backbone switch, and below it the switch and the nodes of each cabinet."""
    groups = cluster.cabinets or [schema.Cabinet(nodes=cluster.node_count)]
    picture = Picture()
    blocks: list[tuple[float, str]] = []  # of each cabinet: x of its centre, and its name if it has a switch
    x, first = 0.0, 0
    for number, cabinet in enumerate(groups, start=1):
        nodes = names[first : first + cabinet.nodes]
        first += cabinet.nodes
        width = max(26.0, block_size(len(nodes), 128)[0] * STEP)
        block(picture, x, 0, nodes)
        name = cabinet.name or (f"cabinet {number}" if len(groups) > 1 else "")
        blocks.append((x + width / 2, name if cabinet.uplink_bytes_per_s else ""))
        x += width + 26
    core = (x - 26) / 2, -_LEVEL - 40
    for centre, name in blocks:
        foot = (centre, -2.0)
        if name:
            switch(picture, (centre, -28), name)
            picture.line((centre, -23), foot, CABLE, width=3)
            picture.words(centre, -36, name, 9)
            foot = (centre, -46.0)
        picture.line((core[0], core[1] + 5), foot, CABLE, width=2)
    switch(picture, core, f"{cluster.name}: backbone", 60)
    return picture


def fat_tree(tree: schema.FatTree, names: Sequence[str]) -> Picture:
    """Leaf switches with their nodes at the bottom, roots at the top. At most 48 switches of each level are drawn."""
    counts = _switches(tree)
    leaves = chosen(counts[0], _MOST_SWITCHES)
    columns = block_size(tree.nodes_per_leaf, 64)[0]
    step = max(18.0, columns * STEP + 8)
    width = step * (len(leaves) - 1)
    picture = Picture()
    places = [
        {number: (width * (i + 0.5) / len(drawn), -level * _LEVEL) for i, number in enumerate(drawn)}
        for level, drawn in enumerate(chosen(count, _MOST_SWITCHES) for count in counts)
    ]
    for level in range(1, len(counts)):
        _cables(picture, tree, level, places)
    for level, row in enumerate(places):
        for number, (x, y) in row.items():
            if number is None:
                picture.words(x, y + 4, "…", 14)
                continue
            switch(picture, (x, y), f"level{level}.{number}", min(26.0, step - 4))
    for number, (x, y) in places[0].items():
        nodes = [] if number is None else names[number * tree.nodes_per_leaf : (number + 1) * tree.nodes_per_leaf]
        if nodes:
            picture.line((x, y + 5), (x, y + 14), CABLE, width=2)
            block(picture, x - block_size(len(nodes), 64)[0] * STEP / 2, y + 16, nodes, 64)
    for level, count in enumerate(counts):
        picture.words(-step / 2 - 14, -level * _LEVEL + 4, f"{count:,} switches", 10, anchor="end")
    return picture


def _switches(tree: schema.FatTree) -> list[int]:
    """Number of switches of each level, leaves first."""
    below, tops, counts = tree.places // tree.nodes_per_leaf, 1, []
    counts.append(below)
    for level in tree.levels:
        below //= level.down
        tops *= level.up
        counts.append(below * tops)
    return counts


def _cables(
    picture: Picture, tree: schema.FatTree, level: int, places: Sequence[dict[int | None, tuple[float, float]]]
) -> None:
    """Draw the cables between a level and the one below, where both switches are drawn."""
    below_tops = 1
    for lower in tree.levels[: level - 1]:
        below_tops *= lower.up
    this = tree.levels[level - 1]
    for child, start in places[level - 1].items():
        if child is None:
            continue
        subtree, top = divmod(child, below_tops)
        for up in range(this.up):
            parent = subtree // this.down * below_tops * this.up + top + up * below_tops
            if parent in places[level]:
                end = places[level][parent]
                picture.line((start[0], start[1] - 5), (end[0], end[1] + 5), CABLE, width=0.5 + 0.5 * this.parallel)
