# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and links of SimGrid's platforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document

Sharing = Literal["duplex", "shared", "unshared"]
Links = tuple[str, ...]
"""Names of links in the order in which they are crossed; of a duplex one "NAME:up" or "NAME:down"."""
_SHARING: dict[str, Sharing] = {
    "SHARED": "shared", "FATPIPE": "unshared", "SPLITDUPLEX": "duplex", "FULLDUPLEX": "duplex",
}  # fmt: skip


@dataclass(frozen=True)
class SimgridHost:
    """A host; speed in floating-point operations per second."""

    name: str
    flops_per_s: float
    cores: int


@dataclass(frozen=True)
class SimgridLink:
    """A link; rates in bytes per second, latency in seconds."""

    name: str
    bandwidth: float
    latency: float
    sharing: Sharing


def sharing_of(document: Document, element: etree._Element, key: str, default: str) -> Sharing:
    """Raises InputError for what Orrery does not know, wireless networks first of all."""
    policy = document.text(element, key, default)
    if policy not in _SHARING:
        raise InputError(f'{document.where(element)}: {key} "{policy}" is not supported; {", ".join(_SHARING)} are')
    return _SHARING[policy]


def host_of(document: Document, element: etree._Element, name: str) -> SimgridHost:
    """Host with the speed and the cores of an element: of several speeds the one of its state (`pstate`)."""
    speeds = document.text(element, "speed").split(",")
    state = document.number(element, "pstate", quantities.whole, "0")
    if state >= len(speeds):
        raise InputError(f"{document.where(element)}: pstate {state}: there are the speeds 0 to {len(speeds) - 1}")
    if len(speeds) > 1:
        document.left_out.add("speeds of other states (pstate)", "a host has one speed, that of its first state")
    return SimgridHost(
        name, flops_per_s(document, element, speeds[state]), document.number(element, "core", quantities.count, "1")
    )


def flops_per_s(document: Document, element: etree._Element, text: str) -> float:
    """One of the speeds of an element. Raises InputError."""
    try:
        return quantities.flops_per_second(text)
    except ValueError as error:
        raise InputError(f"{document.where(element)}: speed: {error}") from None


def link_of(document: Document, element: etree._Element) -> SimgridLink:
    """Link of a `<link>` or a `<backbone>`."""
    return SimgridLink(
        document.text(element, "id"),
        document.number(element, "bandwidth", quantities.bytes_per_second),
        document.number(element, "latency", quantities.seconds, "0"),
        sharing_of(document, element, "sharing_policy", "SHARED"),
    )


def crossed(document: Document, route: etree._Element, links: dict[str, SimgridLink]) -> Links:
    """Links of a route, in order. Raises InputError for a link that is not there or lacks its direction."""
    names = []
    for part in document.parts(route):
        name = document.text(part, "id")
        direction = part.get("direction", "NONE").lower()
        document.parts(part)
        if name not in links:  # a duplex link is two in SimGrid, which may be named by themselves
            stem, _, ending = name.rpartition("_")
            if ending in ("UP", "DOWN") and stem in links:
                name, direction = stem, ending.lower()
            else:
                raise InputError(f"{document.where(part)}: no link of this name")
        if links[name].sharing != "duplex":
            names.append(name)
        elif direction in ("up", "down"):
            names.append(f"{name}:{direction}")
        else:
            raise InputError(f'{document.where(part)}: is SPLITDUPLEX, so it needs direction="UP" or "DOWN"')
    if not names:
        raise InputError(f"{document.where(route)}: has no links")
    return tuple(names)


def opposite(links: Links) -> Links:
    """The links of the way back."""
    turned = {":up": ":down", ":down": ":up"}
    return tuple(
        next((link.removesuffix(a) + b for a, b in turned.items() if link.endswith(a)), link)
        for link in reversed(links)
    )
