# SPDX-License-Identifier: BSD-3-Clause
"""Zones inside zones, made flat: a route between zones is an edge between their gateways."""

from __future__ import annotations

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document
from orrery.platform.simgrid.parts import Edge, Link, Parts, crossed, host_of, link_of, opposite, sharing_of
from orrery.platform.simgrid.vivaldi import vivaldi

_ROUTINGS = {"Full": False, "None": False, "Floyd": True, "Dijkstra": True, "DijkstraCache": True, "Cluster": False,
             "Vivaldi": False}  # fmt: skip
_WIRELESS = (
    "not supported: the rates of wireless stations are set by programs of SimGrid's, the file does not have them"
)


def flatten(document: Document, element: etree._Element, parts: Parts) -> None:
    """Everything of a zone and of those in it. Raises InputError for what Orrery has no word for."""
    if element.tag == "cluster":
        _cluster(document, element, parts)
        return
    routing = document.text(element, "routing")
    known = next((name for name in _ROUTINGS if name.lower() == routing.lower()), None)
    if routing.lower() == "wifi":
        raise InputError(f"{document.where(element)}: {_WIRELESS}")
    if known is None:
        raise InputError(f'{document.where(element)}: routing "{routing}" is not supported; {", ".join(_ROUTINGS)} are')
    inside = document.parts(element)
    for part in inside:
        _point(document, part, parts)
    if known == "Cluster":
        _cluster_zone(document, inside, parts)
    vivaldi(document, inside, parts)
    for part in inside:
        if part.tag == "route":
            parts.shortest.add(_ROUTINGS[known])
            _route(document, part, parts)
        elif part.tag == "bypassRoute":
            links = crossed(document, part, parts.links)
            parts.routes.append(Edge(document.text(part, "src"), document.text(part, "dst"), links, one_way=True))
    if between := [part for part in inside if part.tag in ("zoneRoute", *_BYPASSES)]:
        parts.shortest.add(_ROUTINGS[known])
        _between_zones(document, between, parts)


def _routing(document: Document, element: etree._Element) -> str:
    routing = document.text(element, "routing")
    if routing.lower() == "wifi":
        raise InputError(f"{document.where(element)}: {_WIRELESS}")
    known = next((name for name in _ROUTINGS if name.lower() == routing.lower()), None)
    if known is None:
        raise InputError(f'{document.where(element)}: routing "{routing}" is not supported; {", ".join(_ROUTINGS)} are')
    return known


_POINTS = ("zone", "cluster", "host", "router", "link")
_BYPASSES = ("bypassZoneRoute", "bypassASroute")
_LATER = ("route", "zoneRoute", "bypassRoute", *_BYPASSES, "host_link", "backbone", "cabinet", "peer")


def _point(document: Document, part: etree._Element, parts: Parts) -> None:
    if part.tag in ("zone", "cluster"):
        flatten(document, part, parts)
    elif part.tag == "host":
        parts.hosts.append(host_of(document, part, document.text(part, "id")))
        document.parts(part)
    elif part.tag == "router":
        parts.routers.append(document.text(part, "id"))
    elif part.tag == "link":
        document.parts(part)
        parts.add_link(document, part, link_of(document, part))
    elif part.tag not in _LATER:
        raise InputError(f"{document.where(part)}: not supported")


def _route(document: Document, part: etree._Element, parts: Parts) -> None:
    source, target = document.text(part, "src"), document.text(part, "dst")
    if source == target:
        parts.loopbacks += [parts.links[name.split(":")[0]] for name in crossed(document, part, parts.links)][:1]
        return
    _edge(document, part, parts, source, target)


def _between_zones(document: Document, between: list[etree._Element], parts: Parts) -> None:
    """Edges between gateways. A bypass stands for the route of its two zones, in its direction."""
    bypassed = {_zones(document, part) for part in between if part.tag in _BYPASSES}
    for part in between:
        source, target = document.text(part, "gw_src"), document.text(part, "gw_dst")
        links = crossed(document, part, parts.links)
        if part.tag in _BYPASSES:
            parts.edges.append(Edge(source, target, links, one_way=True))
            continue
        ways = [(source, target, links)]
        if not _one_way(document, part):
            ways.append((target, source, opposite(links)))
        zones = _zones(document, part)
        kept = [way for way, ends in zip(ways, (zones, zones[::-1]), strict=False) if ends not in bypassed]
        if len(kept) == len(ways):
            _edge(document, part, parts, source, target)
        else:
            parts.edges += [Edge(*way, one_way=True) for way in kept]


def _zones(document: Document, part: etree._Element) -> tuple[str, str]:
    return document.text(part, "src"), document.text(part, "dst")


def _one_way(document: Document, part: etree._Element) -> bool:
    return document.text(part, "symmetrical", "YES").upper() in ("NO", "FALSE")


def _edge(document: Document, part: etree._Element, parts: Parts, source: str, target: str) -> None:
    if source == target:
        return
    parts.edges.append(Edge(source, target, crossed(document, part, parts.links), _one_way(document, part)))


def _cluster(document: Document, element: etree._Element, parts: Parts) -> None:
    """Hosts round a backbone, which is a pair of points with a link between them."""
    name = document.text(element, "id")
    if document.text(element, "topology", "FLAT") != "FLAT":
        raise InputError(
            f'{document.where(element)}: topology "{element.get("topology")}" beside other zones is not supported, '
            "only as the one cluster of a platform"
        )
    prefix, suffix = document.text(element, "prefix", ""), document.text(element, "suffix", "")
    router = element.get("router_id") or f"{prefix}{name}_router{suffix}"
    document.parts(element)
    _check_loopback(document, element, parts)
    _hub(document, element, parts, router)
    for number in document.host_numbers(element):
        _spoke(document, element, parts, (router, f"{prefix}{number}{suffix}", f"{name}_link_{number}"))


def _check_loopback(document: Document, element: etree._Element, parts: Parts) -> None:
    if element.get("loopback_bw") is not None:
        rate = document.number(element, "loopback_bw", quantities.bytes_per_second)
        latency = document.number(element, "loopback_lat", quantities.seconds, "0")
        parts.loopbacks.append(Link("loopback", rate, latency, "unshared"))


def _hub(document: Document, element: etree._Element, parts: Parts, router: str) -> None:
    """The router of a cluster, and its backbone if it has one."""
    if router not in parts.routers:
        parts.routers.append(router)
    if element.get("bb_bw") is None:
        return
    link = Link(
        f"{document.text(element, 'id')}_backbone",
        document.number(element, "bb_bw", quantities.bytes_per_second),
        document.number(element, "bb_lat", quantities.seconds, "0"),
        sharing_of(document, element, "bb_sharing_policy", "SHARED"),
    )
    _add_backbone(document, element, parts, router, link)


def _add_backbone(document: Document, element: etree._Element, parts: Parts, router: str, link: Link) -> None:
    """A backbone is crossed from the point where everything goes in to the one where it comes out."""
    parts.add_link(document, element, link)
    into, out = f"{router} in", f"{router} out"
    crossing = f"{link.name}:up" if link.sharing == "duplex" else link.name
    parts.routers += [into, out]
    parts.edges.append(Edge(into, out, (crossing,), one_way=True))
    parts.edges.append(Edge(out, router, (), one_way=True))
    parts.edges.append(Edge(router, into, (), one_way=True))


def _spoke(document: Document, element: etree._Element, parts: Parts, names: tuple[str, str, str]) -> None:
    """A host of a cluster, with its own link and its limiter; names of the router, the host and the link."""
    router, host, name = names
    parts.hosts.append(host_of(document, element, host))
    link = Link(
        name,
        document.number(element, "bw", quantities.bytes_per_second),
        document.number(element, "lat", quantities.seconds, "0"),
        sharing_of(document, element, "sharing_policy", "SPLITDUPLEX"),
    )
    parts.add_link(document, element, link)
    limiter: tuple[str, ...] = ()
    if element.get("limiter_link") is not None:
        rate = document.number(element, "limiter_link", quantities.bytes_per_second)
        parts.add_link(document, element, Link(f"{name}_limiter", rate, 0.0, "shared"))
        limiter = (f"{name}_limiter",)
    up, down = (f"{name}:up", f"{name}:down") if link.sharing == "duplex" else (name, name)
    _join(parts, router, host, (*limiter, up), (down, *limiter))


def _join(parts: Parts, router: str, host: str, up: tuple[str, ...], down: tuple[str, ...]) -> None:
    """From a host towards the backbone, if there is one, and from its far end back."""
    backbone = f"{router} in" in parts.routers
    parts.edges.append(Edge(host, f"{router} in" if backbone else router, up, one_way=True))
    parts.edges.append(Edge(f"{router} out" if backbone else router, host, down, one_way=True))


def _cluster_zone(document: Document, inside: list[etree._Element], parts: Parts) -> None:
    """A zone with hosts and their links, or cabinets of them, round a backbone."""
    own = [document.text(part, "id") for part in inside if part.tag == "router"]
    router = own[0] if own else f"router {len(parts.routers)}"
    if not own:
        parts.routers.append(router)
    for part in inside:
        if part.tag == "backbone":
            _add_backbone(document, part, parts, router, link_of(document, part))
    for part in inside:
        if part.tag == "host_link":
            up, down = (_side(document, part, key, parts) for key in ("up", "down"))
            _join(parts, router, document.text(part, "id"), (up,), (down,))
        elif part.tag == "cabinet":
            prefix, suffix = document.text(part, "prefix", ""), document.text(part, "suffix", "")
            for number in document.host_numbers(part):
                host = f"{prefix}{number}{suffix}"
                _spoke(document, part, parts, (router, host, f"link_{host}"))


def _side(document: Document, part: etree._Element, key: str, parts: Parts) -> str:
    name = document.text(part, key)
    if name in parts.links:
        return name
    stem, _, ending = name.rpartition("_")
    if stem in parts.links and ending in ("UP", "DOWN"):
        return f"{stem}:{ending.lower()}"
    raise InputError(f'{document.where(part)}: no link "{name}"')
