# SPDX-License-Identifier: BSD-3-Clause
"""Zones whose latencies are distances: each peer has a link of its own, and a place in a space of milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document
from orrery.platform.simgrid.parts import Edge, Link, Parts, host_of

_MOST = 256  # every pair has an edge of its own
_WIDE = 1e18  # bytes per second: a distance is never what limits a flow


def vivaldi(document: Document, inside: Sequence[etree._Element], parts: Parts) -> None:
    """The peers of a zone, if it has any, and an edge for each two: from the first one's link over their distance into the second one's.

    Hosts and zones with coordinates have no link here, in SimGrid no route leads from them to others either.

    Raises:
        InputError: for coordinates that are not three numbers, or more peers than pairs can be written down for.
    """
    peers = [part for part in inside if part.tag == "peer"]
    if len(peers) > _MOST:
        raise InputError(f"{document.where(peers[0])}: {len(peers):,} peers, at most {_MOST} are supported")
    for peer in peers:
        _peer(document, peer, parts)
    for number, one in enumerate(peers):
        for other in peers[:number]:
            _pair(document, one, other, parts)


def _peer(document: Document, peer: etree._Element, parts: Parts) -> None:
    name = document.text(peer, "id")
    parts.hosts.append(host_of(document, peer, name))
    for direction, key in (("up", "bw_out"), ("down", "bw_in")):
        rate = document.number(peer, key, quantities.bytes_per_second)
        parts.add_link(document, peer, Link(f"link_{name}_{direction}", rate, 0.0, "shared"))
    document.parts(peer)


def _pair(document: Document, one: etree._Element, other: etree._Element, parts: Parts) -> None:
    names = (document.text(one, "id"), document.text(other, "id"))
    distance = Link(f"from {names[0]} to {names[1]}", _WIDE, _distance_s(document, one, other), "unshared")
    parts.add_link(document, one, distance)
    for source, target in (names, names[::-1]):
        links = (f"link_{source}_up", distance.name, f"link_{target}_down")
        parts.edges.append(Edge(source, target, links, one_way=True))


def _distance_s(document: Document, one: etree._Element, other: etree._Element) -> float:
    """In the plane, and the heights of both above it."""
    (x, y, height), (to_x, to_y, to_height) = (_place(document, peer) for peer in (one, other))
    return (hypot(x - to_x, y - to_y) + abs(height) + abs(to_height)) * 1e-3


def _place(document: Document, peer: etree._Element) -> tuple[float, float, float]:
    text = document.text(peer, "coordinates")
    try:
        x, y, height = map(float, text.split())
    except ValueError:
        raise InputError(f'{document.where(peer)}: coordinates "{text}": expected three numbers') from None
    return x, y, height
