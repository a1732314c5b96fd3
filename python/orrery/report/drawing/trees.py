# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of single switches, cabinets and fat-trees: switches above, nodes below."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.platform import schema
from orrery.report.drawing.links import LinkNumbers
from orrery.report.drawing.parts import STEP, block, block_size, chosen, switch
from orrery.report.drawing.picture import CABLE, Picture, Point

_MOST_SWITCHES = 48
"""Switches of a level that are drawn."""
_LEVEL = 70.0
"""Distance between levels, in pixels."""
_Row = dict[int | None, Point]
"""Where the switches of a level are, by number; None: those that are left out."""


def cabinets(cluster: schema.Cluster, names: Sequence[str], links: LinkNumbers) -> Picture:
    """The backbone switch, and below it the switch and the nodes of each cabinet."""
    groups = cluster.cabinets or _hosts(cluster) or [schema.Cabinet(nodes=cluster.node_count)]
    picture = Picture()
    blocks: list[
        tuple[float, str, str, list[int]]
    ] = []  # x of its centre, title and name of its switch, links of its nodes
    x, first = 0.0, 0
    for number, cabinet in enumerate(groups, start=1):
        nodes = names[first : first + cabinet.nodes]
        first += cabinet.nodes
        width = max(26.0, block_size(len(nodes), 128)[0] * STEP)
        block(picture, x, 0, nodes, links)
        name = cabinet.name or (f"cabinet {number}" if len(groups) > 1 else "")
        inside = f"{cluster.name}/{cabinet.name or f'{cluster.name}-cabinet-{number}'}"  # as the core has it
        blocks.append((x + width / 2, name if cabinet.uplink_bytes_per_s else "", inside, links.of_nodes(nodes)))
        x += width + 26
    core = (x - 26) / 2, -_LEVEL - 40
    for centre, name, inside, of_nodes in blocks:
        foot, behind = (centre, -2.0), of_nodes
        if name:
            switch(picture, (centre, -28), name, links=links.named(f"{inside}/limiter"))
            picture.line((centre, -23), foot, CABLE, width=3, links=of_nodes)
            picture.words(centre, -36, name, 9)
            foot, behind = (centre, -46.0), links.between(cluster.name, inside)
        picture.line((core[0], core[1] + 5), foot, CABLE, width=2, links=behind)
    title = f"{cluster.name}: backbone"
    switch(picture, core, title, 60, links.named(f"{cluster.name}/backbone"))
    return picture


def _hosts(cluster: schema.Cluster) -> list[schema.Cabinet]:
    """Hosts of virtual machines, as the core has them; none where nodes are hosts."""
    if cluster.virtual is None:
        return []
    most, rate = cluster.virtual.per_host, cluster.bandwidth_bytes_per_s
    counts = [min(most, cluster.node_count - first) for first in range(0, cluster.node_count, most)]
    return [
        schema.Cabinet(name=f"host-{number}", nodes=count, uplink_bytes_per_s=rate)
        for number, count in enumerate(counts, start=1)
    ]


def fat_tree(cluster: str, tree: schema.FatTree, names: Sequence[str], links: LinkNumbers) -> Picture:
    """Leaf switches with their nodes at the bottom, roots at the top. At most 48 switches of each level are drawn."""
    counts = _switches(tree)
    leaves = chosen(counts[0], _MOST_SWITCHES)
    columns = block_size(tree.nodes_per_leaf, 64)[0]
    step = max(18.0, columns * STEP + 8)
    width = step * (len(leaves) - 1)
    picture = Picture()
    places: list[_Row] = [
        {number: (width * (i + 0.5) / len(drawn), -level * _LEVEL) for i, number in enumerate(drawn)}
        for level, drawn in enumerate(chosen(count, _MOST_SWITCHES) for count in counts)
    ]
    for level in range(1, len(counts)):
        _cables(picture, cluster, tree, level, places, links=links)
    for level, row in enumerate(places):
        for number, (x, y) in row.items():
            if number is None:
                picture.words(x, y + 4, "…", 14)
                continue
            switch(picture, (x, y), f"level{level}.{number}", min(26.0, step - 4))
    for number, place in places[0].items():
        if number is not None:
            first = number * tree.nodes_per_leaf
            _nodes_of_leaf(picture, place, names[first : first + tree.nodes_per_leaf], links)
    for level, count in enumerate(counts):
        picture.words(-step / 2 - 14, -level * _LEVEL + 4, f"{count:,} switches", 10, anchor="end")
    return picture


def _nodes_of_leaf(picture: Picture, leaf: Point, nodes: Sequence[str], links: LinkNumbers) -> None:
    if not nodes:
        return
    x, y = leaf
    picture.line((x, y + 5), (x, y + 14), CABLE, width=2, links=links.of_nodes(nodes))
    block(picture, x - block_size(len(nodes), 64)[0] * STEP / 2, y + 16, nodes, links, most=64)


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
    picture: Picture, cluster: str, tree: schema.FatTree, level: int, places: Sequence[_Row], *, links: LinkNumbers
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
                picture.line(
                    (start[0], start[1] - 5),
                    (end[0], end[1] + 5),
                    CABLE,
                    width=0.5 + 0.5 * this.parallel,
                    links=links.between(f"{cluster}/level{level - 1}.{child}", f"{cluster}/level{level}.{parent}"),
                )
