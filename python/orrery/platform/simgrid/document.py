# SPDX-License-Identifier: BSD-3-Clause
"""The XML of a platform: read without its DTD, without entities, and checked for what Orrery has no word for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from orrery.documents import parse_xml
from orrery.errors import InputError
from orrery.platform.simgrid import quantities

# A few bytes of a file can ask for any number of hosts, and a host takes a kilobyte while a file is converted.
MOST_HOSTS = 1 << 20

# What has no influence on the times of messages, and what a platform of Orrery's cannot say. Both are named.
_NOTED = {
    "prop": "properties",
    "disk": "disks",
    "storage": "storage",
    "storage_type": "storage",
    "mount": "storage",
    "config": "settings of SimGrid's models",
    "trace": "profiles over time",
    "trace_connect": "profiles over time",
    "model_prop": "properties",
}
_PROFILES = (
    "availability_file",
    "state_file",
    "speed_file",
    "bandwidth_file",
    "latency_file",
    "availability_profile",
    "state_profile",
    "speed_profile",
    "bandwidth_profile",
    "latency_profile",
)
_REFUSED = {
    "include": "other files; put their content in its place",
    "AS": "the name of zones before version 4.1; convert it with SimGrid's simgrid_update_xml",
}


@dataclass
class Document:
    """A file under way: where it is, and what was left out of it."""

    file: Path
    left_out: Counter[str] = field(default_factory=Counter)
    hosts_left: int = MOST_HOSTS
    """How many more the file may have."""

    def where(self, element: etree._Element) -> str:
        """`FILE:LINE: <element id="...">`."""
        name = element.get("id")
        called = f' id="{name}"' if name is not None else ""
        return f"{self.file}:{element.sourceline}: <{element.tag}{called}>"

    def text(self, element: etree._Element, key: str, default: str | None = None) -> str:
        """An attribute. Raises InputError where it is missing."""
        value = element.get(key)
        if value is None:
            value = default
        if value is None:
            raise InputError(f'{self.where(element)}: has no "{key}"')
        return str(value)

    def number(
        self, element: etree._Element, key: str, read: Callable[[str], float], default: str | None = None
    ) -> float:
        """An attribute with a unit. Raises InputError naming it."""
        try:
            return read(self.text(element, key, default))
        except ValueError as error:
            raise InputError(f"{self.where(element)}: {key}: {error}") from None

    def count(self, element: etree._Element, key: str, default: str) -> int:
        """A number of things, at least one. Raises InputError naming it."""
        return int(self.number(element, key, quantities.count, default))

    def host_numbers(self, element: etree._Element) -> list[int]:
        """Numbers of a cluster's hosts. Raises InputError, also when the file has more than MOST_HOSTS by now."""
        try:
            numbers = quantities.radical(self.text(element, "radical"), self.hosts_left)
        except ValueError as error:
            raise InputError(f"{self.where(element)}: radical: {error}") from None
        self.hosts_left -= len(numbers)
        return numbers

    def parts(self, element: etree._Element) -> list[etree._Element]:
        """Elements inside, without those that are left out. Raises InputError for those that cannot be."""
        kept = []
        for part in element:
            if not isinstance(part.tag, str):
                continue
            if part.tag in _REFUSED:
                raise InputError(f"{self.where(part)}: not supported: {_REFUSED[part.tag]}")
            if part.tag in _NOTED:
                self.left_out[_NOTED[part.tag]] += 1
                continue
            for profile in _PROFILES:
                if part.get(profile) is not None:
                    self.left_out["profiles over time"] += 1
            kept.append(part)
        return kept


def read(file: Path) -> tuple[Document, etree._Element]:
    """The platform's element. Raises InputError for a file that is none of SimGrid's platforms of version 4."""
    try:
        root = parse_xml(file, file.read_bytes())
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    document = Document(file)
    if root.tag != "platform":
        raise InputError(f"{file}:{root.sourceline}: begins with <{root.tag}>, expected a <platform> of SimGrid's")
    version = root.get("version", "")
    if not version.startswith("4"):
        raise InputError(
            f'{document.where(root)}: version "{version}", expected 4.1; convert it with SimGrid\'s simgrid_update_xml'
        )
    return document, root
