# SPDX-License-Identifier: BSD-3-Clause
"""From the XML of zones to zones with their hosts, links and routes. What SimGrid refuses is refused, by name."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.clusters import cluster_zone, describe
from orrery.platform.simgrid.document import Document, kind
from orrery.platform.simgrid.parts import Links, SimgridLink, crossed, host_of, link_of
from orrery.platform.simgrid.points import Parts, Point, Stage, Zone
from orrery.platform.simgrid.zones import DijkstraZone, FloydZone, ListedZone, StarZone, VivaldiZone

_MOST_PEERS = 256  # every pair has an edge of its own
_ROUTINGS: dict[str, Callable[[str, Zone | None, Parts], Zone]] = {
    "Full": lambda name, parent, _: ListedZone(name, parent),
    "None": lambda name, parent, _: ListedZone(name, parent),
    "Floyd": lambda name, parent, _: FloydZone(name, parent),
    "Dijkstra": lambda name, parent, _: DijkstraZone(name, parent),
    "DijkstraCache": lambda name, parent, _: DijkstraZone(name, parent),
    "Cluster": lambda name, parent, _: StarZone(name, parent),
    "Vivaldi": VivaldiZone,
}
_WIRELESS = (
    "not supported: the rates of wireless stations are set by programs of SimGrid's, the file does not have them"
)
_FLATTENED = "_world_"
"""The zone that SimGrid's flatifier writes: each of its routes is of one direction, though it does not say so."""
_BETWEEN_ZONES = ("zoneRoute", "bypassZoneRoute")
_ROUTES = ("route", "bypassRoute", *_BETWEEN_ZONES)


def read_zones(document: Document, elements: list[etree._Element], parts: Parts) -> list[Zone]:
    """All zones, from the outside in: the first one is around all others.

    Raises:
        InputError: for what SimGrid refuses (a name that is taken, a gateway of another zone, a route that is there
            already), and for what Orrery has no word for (stations, more peers than pairs can be written down for).
    """
    world = ListedZone("", None)
    zones: list[Zone] = [world]
    for element in elements:
        if kind(element) not in ("zone", "cluster"):
            raise InputError(f"{document.where(element)}: not supported outside of a zone")
        _zone(document, element, world, parts, zones)
    return zones


def _zone(document: Document, element: etree._Element, parent: Zone, parts: Parts, zones: list[Zone]) -> None:
    if kind(element) == "cluster":
        _register(
            document, element, cluster_zone(document, describe(document, element, parts), parent, parts), parts, zones
        )
        return
    zone = _ROUTINGS[_routing(document, element)](document.text(element, "id"), parent, parts)
    _register(document, element, zone, parts, zones)
    inside = document.parts(element)
    for part in inside:
        _member(document, part, zone, parts, zones)
    for part in inside:
        if kind(part) == "host_link":
            _host_link(document, part, zone, parts)
        elif kind(part) in _ROUTES:
            _route(document, part, zone, parts)


def _register(document: Document, element: etree._Element, zone: Zone, parts: Parts, zones: list[Zone]) -> None:
    zone.point.home.members.append(parts.add_point(document, element, zone.point))
    zones.append(zone)


def _routing(document: Document, element: etree._Element) -> str:
    routing = document.text(element, "routing")
    if routing.lower() == "wifi":
        raise InputError(f"{document.where(element)}: {_WIRELESS}")
    known = next((name for name in _ROUTINGS if name.lower() == routing.lower()), None)
    if known is None:
        raise InputError(f'{document.where(element)}: routing "{routing}" is not supported; {", ".join(_ROUTINGS)} are')
    return known


def _member(document: Document, part: etree._Element, zone: Zone, parts: Parts, zones: list[Zone]) -> None:
    match kind(part):
        case "zone" | "cluster":
            _zone(document, part, zone, parts, zones)
            return
        case "host":
            host = host_of(document, part, document.text(part, "id"))
            zone.members.append(parts.add_host(document, part, host, zone))
            _place(document, part, zone, zone.members[-1])
        case "router":
            zone.members.append(parts.add_point(document, part, Point(document.text(part, "id"), "router", zone)))
            _place(document, part, zone, zone.members[-1])
        case "link":
            parts.add_link(document, part, link_of(document, part))
        case "backbone":
            zone_with_links = _star(document, part, zone)
            link = parts.add_link(document, part, link_of(document, part))
            zone_with_links.backbone = (f"{link.name}:up" if link.sharing == "duplex" else link.name,)
        case "cabinet":
            _cabinet(document, part, _star(document, part, zone), parts)
        case "peer":
            _peer(document, part, zone, parts)
        case "host_link" | "route" | "bypassRoute" | "zoneRoute" | "bypassZoneRoute":
            return  # when all members are known
        case _:
            raise InputError(f"{document.where(part)}: not supported")
    document.parts(part)


def _star(document: Document, part: etree._Element, zone: Zone) -> StarZone:
    if not isinstance(zone, StarZone) or isinstance(zone, VivaldiZone):
        raise InputError(f'{document.where(part)}: needs a zone with routing="Cluster"')
    return zone


def _cabinet(document: Document, part: etree._Element, zone: StarZone, parts: Parts) -> None:
    rate, latency = _rate_and_latency(document, part)
    for number in document.host_numbers(part):
        name = f"{document.text(part, 'prefix', '')}{number}{document.text(part, 'suffix', '')}"
        point = parts.add_host(document, part, host_of(document, part, name), zone)
        link = parts.add_link(document, part, SimgridLink(f"link_{name}", rate, latency, "duplex"))
        _spoke(zone, point, (f"{link.name}:up",), (f"{link.name}:down",))


def _rate_and_latency(document: Document, part: etree._Element) -> tuple[float, float]:
    return (
        document.number(part, "bw", quantities.bytes_per_second),
        document.number(part, "lat", quantities.seconds, "0"),
    )


def _spoke(zone: StarZone, point: Point, up: Links, down: Links) -> None:
    zone.members.append(point)
    zone.up[point], zone.down[point] = up, down


def _host_link(document: Document, part: etree._Element, zone: Zone, parts: Parts) -> None:
    star, point = _star(document, part, zone), parts.points.get(document.text(part, "id"))
    document.parts(part)
    if point is None or point.home is not zone:
        raise InputError(f"{document.where(part)}: no host of this name in the zone")
    star.up[point], star.down[point] = ((_side(document, part, key, parts),) for key in ("up", "down"))


def _side(document: Document, part: etree._Element, key: str, parts: Parts) -> str:
    name = document.text(part, key)
    if name in parts.links:
        return name
    stem, _, ending = name.rpartition("_")
    if stem in parts.links and ending in ("UP", "DOWN"):
        return f"{stem}:{ending.lower()}"
    raise InputError(f'{document.where(part)}: no link "{name}"')


# --- peers and coordinates -------------------------------------------------------------------------------------------


def _peer(document: Document, part: etree._Element, zone: Zone, parts: Parts) -> None:
    if not isinstance(zone, VivaldiZone):
        raise InputError(f'{document.where(part)}: needs a zone with routing="Vivaldi"')
    name = document.text(part, "id")
    point = parts.add_host(document, part, host_of(document, part, name), zone)
    links = []
    for direction, key in (("up", "bw_out"), ("down", "bw_in")):
        rate = document.number(part, key, quantities.bytes_per_second)
        links.append(parts.add_link(document, part, SimgridLink(f"link_{name}_{direction}", rate, 0.0, "shared")).name)
    _spoke(zone, point, (links[0],), (links[1],))
    _place(document, part, zone, point, required=True)
    if len(zone.places) > _MOST_PEERS:
        raise InputError(f"{document.where(part)}: more than {_MOST_PEERS} peers are not supported")


def _place(document: Document, part: etree._Element, zone: Zone, point: Point, *, required: bool = False) -> None:
    if not isinstance(zone, VivaldiZone) or not (required or part.get("coordinates")):
        return
    text = document.text(part, "coordinates")
    try:
        x, y, height = map(float, text.split())
    except ValueError:
        raise InputError(f'{document.where(part)}: coordinates "{text}": expected three numbers') from None
    zone.places[point] = x, y, height


# --- routes ----------------------------------------------------------------------------------------------------------


def _route(document: Document, part: etree._Element, zone: Zone, parts: Parts) -> None:
    between_zones = kind(part) in _BETWEEN_ZONES
    source, target = (_end(document, part, key, zone, parts) for key in ("src", "dst"))
    links = crossed(document, part, parts.links)
    gateways: list[Point] = []
    if between_zones:
        gateways = [_gateway(document, part, key, end, parts) for key, end in (("gw_src", source), ("gw_dst", target))]
    stage = Stage(links, *gateways)
    if kind(part).startswith("bypass"):
        _add(document, part, zone.bypasses, (source, target), stage)
        return
    if not isinstance(zone, ListedZone):
        raise InputError(f"{document.where(part)}: a zone of this routing has no routes of its own; remove it")
    _add(document, part, zone.table, (source, target), stage)
    if source is not target and not (_one_way(document, part) or zone.name == _FLATTENED):
        _add(document, part, zone.table, (target, source), stage.reversed())


def _add(
    document: Document,
    part: etree._Element,
    table: dict[tuple[Point, Point], Stage],
    ends: tuple[Point, Point],
    stage: Stage,
) -> None:
    if ends in table:
        raise InputError(
            f'{document.where(part)}: there is a route from "{ends[0].name}" to "{ends[1].name}" already (routes lead both '
            'ways unless they say symmetrical="NO"); remove one'
        )
    table[ends] = stage


def _end(document: Document, part: etree._Element, key: str, zone: Zone, parts: Parts) -> Point:
    name = document.text(part, key)
    point = parts.points.get(name)
    leads_to_zone = kind(part) in _BETWEEN_ZONES
    if point is None or (point.kind == "zone") is not leads_to_zone:
        what = "zone" if leads_to_zone else "host and no router"
        raise InputError(f'{document.where(part)}: a route leads to "{name}", which is no {what}')
    if point.home is not zone:
        raise InputError(
            f'{document.where(part)}: {key} "{name}" is in the zone "{point.home.name}", not in "{zone.name}"; move the route '
            "there"
        )
    return point


def _gateway(document: Document, part: etree._Element, key: str, end: Point, parts: Parts) -> Point:
    """A host or router in the zone that the route leads to, or in a zone inside of that one."""
    name = document.text(part, key)
    point = parts.points.get(name)
    route = f'{document.where(part)} from "{part.get("src")}" to "{part.get("dst")}"'
    if point is None or point.kind == "zone":
        raise InputError(f'{route}: {key} "{name}" is no host and no router')
    if all(zone.point is not end for zone in point.home.chain()):
        raise InputError(f'{route}: {key} "{name}" is in the zone "{point.home.name}", not in "{end.name}"')
    return point


def _one_way(document: Document, part: etree._Element) -> bool:
    return document.text(part, "symmetrical", "YES").upper() in ("NO", "FALSE")
