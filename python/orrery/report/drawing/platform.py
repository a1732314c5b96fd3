# SPDX-License-Identifier: BSD-3-Clause
"""Drawing of a platform: clusters side by side, wide-area links between them."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.platform import schema
from orrery.report.drawing import grids, rings, trees
from orrery.report.drawing.links import LinkNumbers
from orrery.report.drawing.picture import FAR, NODE, SWITCH, Picture
from orrery.report.fabric import machines_of_host
from orrery.units import show_rate, show_time

_PAGE = 1400.0
"""Width of a row of clusters, in pixels."""
_GAP = 60.0
"""Distance between clusters, in pixels."""


def draw(platform: schema.Platform, names: Sequence[str], links: LinkNumbers | None = None) -> str:
    """SVG of a platform.

    Args:
        platform: the platform.
        names: of all hosts, by host number.
        links: what is drawn says in `data-link` for which of these it stands; None: for none.
    """
    links = links or LinkNumbers()
    picture = Picture()
    centres: dict[str, tuple[float, float, float]] = {}  # middle, upper and lower edge
    x, y, row, first = 0.0, 0.0, 0.0, 0
    for cluster in platform.clusters:
        framed = _framed(cluster, names[first : first + cluster.node_count], links)
        first += cluster.node_count
        if x > 0 and x + framed.width > _PAGE:
            x, y, row = 0.0, y + row + _GAP, 0.0
        picture.put(framed, x, y)
        centres[cluster.name] = x + framed.width / 2, y, y + framed.height
        x += framed.width + _GAP
        row = max(row, framed.height)
    for number, wan in enumerate(platform.wan):
        _wide_area(picture, number, wan, centres, links)
    title = f"{platform.name}: {platform.description}" if platform.description else platform.name
    picture.words(picture.left, picture.top - 20, title, 14, anchor="start")
    _legend(picture)
    return picture.svg()


def _wide_area(
    picture: Picture,
    number: int,
    wan: schema.Wan,
    centres: dict[str, tuple[float, float, float]],
    links: LinkNumbers,
) -> None:
    here, there = sorted((centres[wan.from_cluster], centres[wan.to_cluster]), key=lambda c: (c[1], c[0]))
    bow = 40.0 + 22 * (number % 4) if here[1] == there[1] else 0.0
    start = (here[0], here[1] if bow else here[2])
    first, second = wan.from_cluster, wan.to_cluster
    behind = links.named(*(f"wan{number}/{name}" for name in (f"{first}-{second}", f"{second}-{first}", "limiter")))
    picture.line(start, (there[0], there[1]), FAR, width=2, bow=2 * bow, links=behind)
    label = f"{show_rate(wan.bandwidth_bytes_per_s)}, {show_time(wan.latency_s)}"
    along = 0.5 if bow else 0.35 + 0.15 * (number % 3)  # labels of lines that meet must not overlap
    x, y = start[0] + (there[0] - start[0]) * along, start[1] + (there[1] - start[1]) * along
    picture.words(x, y - bow - 4, label, 10)


def _framed(cluster: schema.Cluster, names: Sequence[str], links: LinkNumbers) -> Picture:
    inner = _inside(cluster, names, links)
    words = [f"{cluster.name}: {cluster.node_count:,} nodes of {cluster.cores} cores", *_links(cluster)]
    text = Picture()
    for line, sentence in enumerate(words):
        text.words(0, 15 * line, sentence, 12 if line == 0 else 10, anchor="start")
    width, height = max(inner.width, text.width), inner.height + text.height + 20
    framed = Picture()
    framed.frame(0, 0, width + 40, height + 30)
    framed.put(text, 20, 12)
    framed.put(inner, 20 + (width - inner.width) / 2, 12 + text.height + 20)
    return framed


def _inside(cluster: schema.Cluster, names: Sequence[str], links: LinkNumbers) -> Picture:
    if cluster.fat_tree:
        return trees.fat_tree(cluster.name, cluster.fat_tree, names, links)
    if cluster.torus:
        return grids.torus(cluster.name, cluster.torus, names, links)
    if cluster.dragonfly:
        return rings.dragonfly(cluster.name, cluster.dragonfly, names, links)
    if cluster.graph:
        return rings.graph(cluster.name, cluster.graph, links)
    return trees.cabinets(cluster, names, links)


def _links(cluster: schema.Cluster) -> list[str]:
    if cluster.graph:
        return [f"graph, {cluster.graph.routing} routes"]
    rails = f"{cluster.rails} of " if cluster.rails > 1 else ""
    lines = [
        f"{'host' if cluster.virtual else 'node'} link {rails}{_link(cluster.bandwidth_bytes_per_s, cluster.latency_s)}"
    ]
    if cluster.virtual:
        lines.append(machines_of_host(cluster, cluster.virtual))
    if cluster.rail_planes:
        lines.append(f"{cluster.rails} such planes, one for each rail")
    if cluster.fat_tree:
        lines += [
            f"level {number}: {_link(level.bandwidth_bytes_per_s, level.latency_s)}"
            for number, level in enumerate(cluster.fat_tree.levels, start=1)
        ]
    elif cluster.torus:
        lines.append(f"router to router {_link(cluster.torus.bandwidth_bytes_per_s, cluster.torus.latency_s)}")
    elif cluster.dragonfly:
        cables = {
            "within a chassis": cluster.dragonfly.within_chassis,
            "between chassis": cluster.dragonfly.between_chassis,
            "between groups": cluster.dragonfly.between_groups,
        }
        lines += [f"{what} {_link(c.bandwidth_bytes_per_s, c.latency_s)}" for what, c in cables.items() if c]
    elif any(cabinet.uplink_bytes_per_s for cabinet in cluster.cabinets):
        uplinks = {(c.uplink_bytes_per_s, c.latency_s) for c in cluster.cabinets if c.uplink_bytes_per_s}
        lines += [f"uplink {_link(rate, latency)}" for rate, latency in sorted(uplinks)[:4]]
    if cluster.backbone_bytes_per_s:
        lines.append(f"backbone {_link(cluster.backbone_bytes_per_s, cluster.backbone_latency_s)}")
    return lines


def _link(rate: float, latency_s: float) -> str:
    return f"{show_rate(rate)}, {show_time(latency_s)}"


def _legend(picture: Picture) -> None:
    x, y = picture.left, picture.bottom + 26
    picture.box(x, y - 7, 8, 8, NODE)
    picture.words(x + 14, y, "node, or router with nodes", 10, anchor="start")
    picture.box(x + 180, y - 8, 18, 9, SWITCH)
    picture.words(x + 204, y, "switch", 10, anchor="start")
