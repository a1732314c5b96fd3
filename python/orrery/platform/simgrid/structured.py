# SPDX-License-Identifier: BSD-3-Clause
"""A platform that is one `<cluster>`: its structure stays where Orrery has the same one, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import etree

from orrery.platform.simgrid.clusters import SimgridCluster
from orrery.platform.simgrid.document import Document, kind
from orrery.platform.simgrid.topologies import SimgridDragonfly, SimgridFatTree, SimgridTorus

Plain = dict[str, Any]


def only_cluster(document: Document, elements: Sequence[etree._Element]) -> etree._Element | None:
    """The one cluster of a platform, maybe inside of zones that hold nothing else; None if there is more."""
    around = []
    inside = list(elements)
    while len(inside) == 1 and kind(inside[0]) == "zone":
        around.append(inside[0])
        inside = [part for part in around[-1].iterchildren(etree.Element) if not document.is_left_out(part)]
    if len(inside) != 1 or kind(inside[0]) != "cluster":
        return None
    for zone in around:
        document.parts(zone)  # counts what is left out of it
    return inside[0]


def structured(cluster: SimgridCluster) -> Plain | None:
    """The cluster as a table of a platform file, without its loopback and its speed; None where only a graph can say it.

    A topology's table has the shape of SimGrid's; whether its routes are the same ones is to be compared.
    """
    numbers = cluster.numbers
    if list(numbers) != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    table: Plain = {"name": cluster.name, "prefix": cluster.prefix}
    if cluster.suffix:
        table["suffix"] = cluster.suffix
    table |= {
        "first": numbers[0],
        "nodes": len(numbers),
        "cores": cluster.host.cores,
        "bandwidth_bytes_per_s": cluster.cables.bandwidth,
        "latency_s": cluster.cables.latency,
    }
    return _flat(cluster, table) if cluster.shape is None else _shaped(cluster.shape, table)


def _flat(cluster: SimgridCluster, table: Plain) -> Plain | None:
    """One switch. A limiter of a node is a factor of its link, as long as it is no slower than that."""
    limiter, rate = cluster.cables.limiter, cluster.cables.bandwidth
    shared = cluster.cables.sharing == "shared"
    if limiter and (shared or limiter < rate):
        return None
    if shared:
        table["limiter_factor"] = 1.0
    elif limiter:
        table["limiter_factor"] = min(2.0, limiter / rate)
    if cluster.backbone is not None:
        if cluster.backbone.sharing != "shared":
            return None
        table["backbone_bytes_per_s"] = cluster.backbone.bandwidth
        table["backbone_latency_s"] = cluster.backbone.latency
    return table


def _shaped(shape: SimgridFatTree | SimgridTorus | SimgridDragonfly, table: Plain) -> Plain:
    cable = {"bandwidth_bytes_per_s": shape.cables.bandwidth, "latency_s": shape.cables.latency}
    if isinstance(shape, SimgridFatTree):
        levels = zip(shape.down[1:], shape.up[1:], shape.parallel[1:], strict=True)
        rails = {"rails": shape.up[0] * shape.parallel[0]} if shape.up[0] * shape.parallel[0] > 1 else {}
        level = [{"down": down, "up": up, "parallel": parallel, **cable} for down, up, parallel in levels]
        return table | rails | {"fat_tree": {"nodes_per_leaf": shape.down[0], "level": level}}
    if isinstance(shape, SimgridDragonfly):
        return table | {"dragonfly": _dragonfly(shape, cable)}
    # Nodes of a torus are the routers, so they have no links of their own that could be full.
    return table | {"node_links": "unshared", "latency_s": 0.0, "torus": {"sizes": shape.sizes, **cable}}


def _dragonfly(shape: SimgridDragonfly, cable: Plain) -> Plain:
    bundles = {"within_chassis": shape.green, "between_chassis": shape.black, "between_groups": shape.blue}
    sizes = {
        "groups": shape.groups,
        "chassis_per_group": shape.chassis,
        "routers_per_chassis": shape.blades,
        "nodes_per_router": shape.per_router,
    }
    wide = {name: cable | {"bandwidth_bytes_per_s": count * shape.cables.bandwidth} for name, count in bundles.items()}
    return sizes | wide
