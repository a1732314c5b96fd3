# SPDX-License-Identifier: BSD-3-Clause
"""What SimGrid's platforms are made of, as plain values: hosts, links and directed edges between points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document

Sharing = Literal["duplex", "shared", "unshared"]
_SHARING: dict[str, Sharing] = {"SHARED": "shared", "FATPIPE": "unshared", "SPLITDUPLEX": "duplex"}


@dataclass(frozen=True)
class Host:
    """A host; speed in floating-point operations per second."""

    name: str
    flops_per_s: float
    cores: int


@dataclass(frozen=True)
class Link:
    """A link; rates in bytes per second, latency in seconds."""

    name: str
    bandwidth: float
    latency: float
    sharing: Sharing


@dataclass(frozen=True)
class Edge:
    """Links from one point to another; of a duplex one "NAME:up" or "NAME:down"."""

    source: str
    target: str
    links: tuple[str, ...]
    one_way: bool


@dataclass
class Parts:
    """All of a platform, flat."""

    hosts: list[Host] = field(default_factory=list)
    routers: list[str] = field(default_factory=list)
    links: dict[str, Link] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    routes: list[Edge] = field(default_factory=list)
    """Of single pairs, which overrule the edges."""
    loopbacks: list[Link] = field(default_factory=list)
    shortest: set[bool] = field(default_factory=set)
    """Whether the zones seen look for shortest routes, or say all."""

    def add_link(self, document: Document, element: etree._Element, link: Link) -> None:
        """Raises InputError for a name that is taken."""
        if link.name in self.links:
            raise InputError(f'{document.where(element)}: there is a link "{link.name}" already')
        if link.bandwidth <= 0:
            raise InputError(f"{document.where(element)}: bandwidth is {link.bandwidth:g}, but must be positive")
        self.links[link.name] = link


def sharing_of(document: Document, element: etree._Element, key: str, default: str) -> Sharing:
    """Raises InputError for what Orrery does not know, wireless networks first of all."""
    policy = document.text(element, key, default)
    if policy not in _SHARING:
        raise InputError(f'{document.where(element)}: {key} "{policy}" is not supported; {", ".join(_SHARING)} are')
    return _SHARING[policy]


def host_of(document: Document, element: etree._Element, name: str) -> Host:
    """Host with the speed and the cores of an element."""
    cores = document.count(element, "core", "1")
    return Host(name, document.number(element, "speed", quantities.flops_per_second), cores)


def link_of(document: Document, element: etree._Element) -> Link:
    """Link of a `<link>`."""
    return Link(
        document.text(element, "id"),
        document.number(element, "bandwidth", quantities.bytes_per_second),
        document.number(element, "latency", quantities.seconds, "0"),
        sharing_of(document, element, "sharing_policy", "SHARED"),
    )


def crossed(document: Document, route: etree._Element, links: dict[str, Link]) -> tuple[str, ...]:
    """Links of a route, in order. Raises InputError for a link that is not there or lacks its direction."""
    names = []
    for part in document.parts(route):
        name = document.text(part, "id")
        direction = part.get("direction", "NONE").lower()
        if name not in links:  # an older way to write a direction
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
    return tuple(names)


def opposite(links: tuple[str, ...]) -> tuple[str, ...]:
    """The same links on the way back."""
    turned = {":up": ":down", ":down": ":up"}
    return tuple(
        next((link.removesuffix(a) + b for a, b in turned.items() if link.endswith(a)), link)
        for link in reversed(links)
    )
