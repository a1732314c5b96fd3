# SPDX-License-Identifier: BSD-3-Clause
"""The XML of a platform: read without its DTD, without entities, and checked for what Orrery has no word for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lxml import etree

from orrery.documents import parse_xml
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.platform.simgrid import quantities

Number = TypeVar("Number", int, float)

_MOST_HOSTS = 1 << 18
"""A few bytes of a file can ask for any number of hosts, and a host takes a kilobyte while a file is converted."""

_SYNONYMS = {
    "AS": "zone", "ASroute": "zoneRoute", "bypassASroute": "bypassZoneRoute", "process": "actor",
}  # fmt: skip
"""Older names of elements, which SimGrid takes until version 4.1."""
_LEFT_OUT = {
    "prop": "properties", "model_prop": "properties", "disk": "disks", "storage": "storage",
    "storage_type": "storage", "mount": "storage", "mstorage": "storage", "trace": "profiles over time",
    "trace_connect": "profiles over time", "actor": "actors", "random": "random numbers", "gpu": "GPUs",
}  # fmt: skip
"""Elements that say nothing about the times of messages, or that a platform of Orrery's cannot hold, and their names in
the report."""
_PROFILES = ("availability_file", "state_file", "speed_file", "bandwidth_file", "latency_file", "power_file")
_CLUSTER = (
    "id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw bb_lat bb_sharing_policy "
    "router_id limiter_link loopback_bw loopback_lat"
)
_READ = {tag: frozenset(names.split()) for tag, names in {
    "platform": "version", "config": "id", "zone": "id routing", "host": "id speed core pstate coordinates",
    "cluster": _CLUSTER, "cabinet": "id prefix suffix radical speed bw lat", "router": "id coordinates",
    "peer": "id speed bw_in bw_out coordinates", "link": "id bandwidth latency sharing_policy",
    "backbone": "id bandwidth latency", "host_link": "id up down", "route": "src dst symmetrical",
    "zoneRoute": "src dst gw_src gw_dst symmetrical", "bypassRoute": "src dst",
    "bypassZoneRoute": "src dst gw_src gw_dst", "link_ctn": "id direction",
}.items()}  # fmt: skip
"""Attributes that are read, by element. All others are named as left out."""

_OLDEST = 3.0
_NEWEST = 4.1
_SOURCES = (".cpp", ".cc", ".cxx")
_LIBRARIES = (".so", ".dylib")


@dataclass
class Document:
    """A file under way: where it is, and what was left out of it."""

    file: Path
    left_out: Omissions = field(default_factory=Omissions)
    """What a platform of Orrery's cannot hold, by how often it occurred. Whatever is dropped is named here."""

    def where(self, element: etree._Element) -> str:
        """`FILE:LINE: <element id="...">`."""
        name = element.get("id")
        called = f' id="{name}"' if name is not None else ""
        return f"{self.file}:{element.sourceline}: <{element.tag}{called}>"

    def text(self, element: etree._Element, key: str, default: str | None = None) -> str:
        """An attribute; one that is empty is as if it were not there. Raises InputError where it is missing."""
        value = element.get(key) or default
        if value is None:
            raise InputError(f'{self.where(element)}: has no "{key}"')
        return str(value)

    def number(
        self, element: etree._Element, key: str, read: Callable[[str], Number], default: str | None = None
    ) -> Number:
        """An attribute with a unit. Raises InputError naming it."""
        try:
            return read(self.text(element, key, default))
        except ValueError as error:
            raise InputError(f"{self.where(element)}: {key}: {error}") from None

    def host_numbers(self, element: etree._Element) -> list[int]:
        """Numbers of a cluster's hosts. Raises InputError."""
        return [number for numbers in self.host_ranges(element) for number in numbers]

    def host_ranges(self, element: etree._Element) -> list[range]:
        """The numbers of a cluster's hosts as ranges, which take no memory. Raises InputError."""
        try:
            return quantities.radical(self.text(element, "radical"))
        except ValueError as error:
            raise InputError(f"{self.where(element)}: radical: {error}") from None

    def parts(self, element: etree._Element) -> list[etree._Element]:
        """Elements inside. Those that a platform of Orrery's cannot hold are left out and counted, as are attributes."""
        self._note_attributes(element)
        kept = []
        for part in element:
            if not isinstance(part.tag, str):
                continue
            if part.tag == "include":
                raise InputError(f"{self.where(part)}: not supported: put the content of the other file in its place")
            if (what := _LEFT_OUT.get(kind(part))) is not None:
                self.left_out.add(what, "")
            else:
                kept.append(part)
        return kept

    def is_left_out(self, element: etree._Element) -> bool:
        """Whether `parts` leaves it out."""
        return kind(element) in _LEFT_OUT

    def _note_attributes(self, element: etree._Element) -> None:
        for name, value in ((str(name), value) for name, value in element.attrib.items()):
            if name in _READ.get(kind(element), ()) or not value:
                continue
            profile = name.replace("_profile", "_file") in _PROFILES
            self.left_out.add("profiles over time" if profile else f'"{name}" of <{element.tag}>', "")


def kind(element: etree._Element) -> str:
    """Name of an element in version 4.1: an `<AS>` is a zone."""
    return _SYNONYMS.get(str(element.tag), str(element.tag))


def read(file: Path) -> tuple[Document, etree._Element]:
    """The platform's element.

    Raises:
        InputError: the file is a program, no XML, none of SimGrid's platforms, or older than version 3.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    if file.suffix in (*_SOURCES, *_LIBRARIES) or content.startswith(b"\x7fELF"):
        raise InputError(_is_a_program(file))
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise InputError(f"{file}: no XML: expected a platform of SimGrid's, which begins with <?xml or <platform")
    root = parse_xml(file, _without_blank_lines(content))
    document = Document(file)
    if root.tag != "platform":
        raise InputError(f"{file}:{root.sourceline}: begins with <{root.tag}>, expected a <platform> of SimGrid's")
    _check_version(document, root)
    _check_hosts(document, root)
    return document, root


def _check_hosts(document: Document, root: etree._Element) -> None:
    """Refuse more hosts than can be converted, of all clusters together, before any is made."""
    hosts = 0
    for element in root.iter("cluster", "cabinet"):
        if element.get("radical"):
            hosts += sum(map(len, document.host_ranges(element)))
        if hosts > _MOST_HOSTS:
            raise InputError(
                f"{document.where(element)}: radical: more than {_MOST_HOSTS:,} hosts, those of the clusters before it "
                "included, are too many for a file of SimGrid's"
            )


def _is_a_program(file: Path) -> str:
    source = file.suffix in _SOURCES
    library = file.with_suffix(".so") if source else file
    compiled = f"g++ -shared -fPIC {file} -o {library} -lsimgrid; " if source else ""
    return (
        f"{file}: a program that makes a platform of SimGrid's, expected XML; flatifier.cpp of SimGrid's sources "
        f"(teshsuite/platforms) writes the XML: {compiled}g++ flatifier.cpp -o flatifier -lsimgrid; ./flatifier "
        f"./{library.name} > {file.with_suffix('.xml').name}"
    )


def _without_blank_lines(content: bytes) -> bytes:
    """Move blank lines in front of the XML declaration behind it, so that all others keep their numbers."""
    declaration = content.lstrip()
    blank = content[: len(content) - len(declaration)]
    if not blank or not declaration.startswith(b"<?xml"):
        return content
    head, end, rest = declaration.partition(b"?>")
    return head + end + blank + rest


def _check_version(document: Document, root: etree._Element) -> None:
    """Refuse what is older than version 3. In version 3 speed is called power."""
    version = document.number(root, "version", quantities.number, "0")
    if version < _OLDEST:
        raise InputError(
            f'{document.where(root)}: version "{root.get("version", "")}", expected 3 to 4.1; convert it with '
            "SimGrid's simgrid_update_xml"
        )
    if version > _NEWEST:
        raise InputError(f'{document.where(root)}: version "{root.get("version")}", expected 3 to 4.1, the newest one')
    if version < _OLDEST + 1:
        for element in root.iter(etree.Element):
            if "power" in element.attrib:
                element.set("speed", element.attrib.pop("power"))
