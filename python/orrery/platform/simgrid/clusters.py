# SPDX-License-Identifier: BSD-3-Clause
"""A platform that is one `<cluster>`: its structure stays, so that its size does not matter."""

from __future__ import annotations

import math
from typing import Any

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document

Plain = dict[str, Any]


def only_cluster(document: Document, root: etree._Element) -> etree._Element | None:
    """The one cluster of a platform, maybe inside of zones that hold nothing else; None if there is more."""
    at = root
    while at.tag != "cluster":
        inside = document.parts(at)
        if len(inside) != 1 or inside[0].tag not in ("zone", "cluster"):
            return None
        at = inside[0]
    return at


def structured(document: Document, element: etree._Element) -> Plain | None:
    """The cluster as tables of a platform file; None where only a graph can say it."""
    numbers = document.host_numbers(element)
    topology = document.text(element, "topology", "FLAT").upper()
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        if topology != "FLAT":
            raise InputError(f"{document.where(element)}: radical: expected numbers without gaps for a {topology}")
        return None
    rate = document.number(element, "bw", quantities.bytes_per_second)
    latency = document.number(element, "lat", quantities.seconds, "0")
    cluster: Plain = {
        "name": document.text(element, "id"),
        "prefix": document.text(element, "prefix", ""),
        "first": numbers[0],
        "nodes": len(numbers),
        "cores": document.count(element, "core", "1"),
        "bandwidth_bytes_per_s": rate,
        "latency_s": latency,
    }
    if topology == "FLAT":
        return _flat(document, element, cluster)
    makers = {"FAT_TREE": _fat_tree, "TORUS": _torus, "DRAGONFLY": _dragonfly}
    if topology not in makers:
        raise InputError(
            f'{document.where(element)}: topology "{topology}" is not supported; FLAT, {", ".join(makers)} are'
        )
    if document.text(element, "sharing_policy", "SPLITDUPLEX") != "SPLITDUPLEX":
        document.left_out["sharing policies: cables of a topology are full duplex"] += 1
    if element.get("limiter_link") is not None:
        _limiter(document, element, cluster)
    return makers[topology](document, element, cluster)


def _flat(document: Document, element: etree._Element, cluster: Plain) -> Plain | None:
    policy = document.text(element, "sharing_policy", "SPLITDUPLEX")
    if element.get("limiter_link") is not None:
        if policy != "SPLITDUPLEX" or not _limiter(document, element, cluster):
            return None
    elif policy == "SHARED":
        cluster["limiter_factor"] = 1.0
    elif policy == "FATPIPE":
        cluster["node_links"] = "unshared"
    if element.get("bb_bw") is not None:
        if document.text(element, "bb_sharing_policy", "SHARED") != "SHARED":
            return None
        cluster["backbone_bytes_per_s"] = document.number(element, "bb_bw", quantities.bytes_per_second)
        cluster["backbone_latency_s"] = document.number(element, "bb_lat", quantities.seconds, "0")
    return cluster


def _limiter(document: Document, element: etree._Element, cluster: Plain) -> bool:
    """False: below the rate of one direction, which a factor cannot say."""
    factor = document.number(element, "limiter_link", quantities.bytes_per_second) / cluster["bandwidth_bytes_per_s"]
    if factor < 1:
        if document.text(element, "topology", "FLAT").upper() == "FLAT":
            return False
        document.left_out["limiters below the rate of a link"] += 1
        return True
    cluster["limiter_factor"] = min(2.0, factor)
    return True


def _parameters(document: Document, element: etree._Element) -> list[list[int]]:
    text = document.text(element, "topo_parameters")
    try:
        return [[quantities.count(number) for number in part.split(",")] for part in text.split(";")]
    except ValueError:
        raise InputError(f'{document.where(element)}: topo_parameters "{text}": expected numbers') from None


def _fat_tree(document: Document, element: etree._Element, cluster: Plain) -> Plain:
    """`levels;down,...;up,...;cables,...`, from the nodes upwards."""
    parameters = _parameters(document, element)
    if len(parameters) != 4 or any(len(part) != parameters[0][0] for part in parameters[1:]):
        raise InputError(f"{document.where(element)}: topo_parameters: expected LEVELS;DOWN,...;UP,...;CABLES,...")
    _, down, up, cables = parameters
    if up[0] != 1:
        raise InputError(
            f"{document.where(element)}: topo_parameters: nodes below {up[0]} leaves each are not supported"
        )
    if cables[0] > 1:
        cluster["rails"] = cables[0]
    link = {"bandwidth_bytes_per_s": cluster["bandwidth_bytes_per_s"], "latency_s": cluster["latency_s"]}
    levels = [{"down": m, "up": w, "parallel": p, **link} for m, w, p in zip(down[1:], up[1:], cables[1:], strict=True)]
    return cluster | {"fat_tree": {"nodes_per_leaf": down[0], "level": levels}}


def _torus(document: Document, element: etree._Element, cluster: Plain) -> Plain:
    """`3,2,2`; nodes are the routers, so they have no links of their own that could be full."""
    sizes = _parameters(document, element)[0]
    link = {"bandwidth_bytes_per_s": cluster["bandwidth_bytes_per_s"], "latency_s": cluster["latency_s"]}
    if math.prod(sizes) != cluster["nodes"]:
        raise InputError(
            f"{document.where(element)}: topo_parameters: {math.prod(sizes)} places for {cluster['nodes']} hosts"
        )
    return cluster | {"node_links": "unshared", "latency_s": 0.0, "torus": {"sizes": sizes, **link}}


def _dragonfly(document: Document, element: etree._Element, cluster: Plain) -> Plain:
    """`groups,cables;chassis,cables;routers,cables;nodes`; several cables are one that is as wide."""
    parameters = _parameters(document, element)
    if [len(part) for part in parameters] != [2, 2, 2, 1]:
        raise InputError(
            f"{document.where(element)}: topo_parameters: expected GROUPS,CABLES;CHASSIS,CABLES;ROUTERS,CABLES;NODES"
        )
    (groups, blue), (chassis, black), (routers, green), (nodes,) = parameters

    def cable(count: int) -> Plain:
        return {"bandwidth_bytes_per_s": count * cluster["bandwidth_bytes_per_s"], "latency_s": cluster["latency_s"]}

    document.left_out["the router of a group that holds a cable to another group: here they are dealt in turn"] += 1
    return cluster | {
        "dragonfly": {
            "groups": groups,
            "chassis_per_group": chassis,
            "routers_per_chassis": routers,
            "nodes_per_router": nodes,
            "within_chassis": cable(green),
            "between_chassis": cable(black),
            "between_groups": cable(blue),
        }
    }
