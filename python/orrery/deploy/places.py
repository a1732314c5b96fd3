# SPDX-License-Identifier: BSD-3-Clause
"""Where hosts are: in which site, cluster and cabinet, by their names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, field_validator

from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.documents import read_document
from orrery.platform.prepared import prepare
from orrery.platform.tables.quantities import Table


def _check_names(hosts: Iterable[str]) -> None:
    """Raises ValueError for what is no name, and no pattern of names."""
    for host in hosts:
        if host.split() != [host] or not host.isprintable():
            raise ValueError(
                f"{json.dumps(host)}: a host's name has no blanks; expected names such as node-01 or lyon-*"
            )


class Place(Table):
    """Hosts that are at one place."""

    hosts: list[str] = Field(min_length=1)
    """Names, or patterns of the shell's: `node-0[1-8]`, `lyon-*`."""
    site: str = ""
    """Names of sites, clusters and cabinets are free; hosts with the same name are in the same one."""
    cluster: str = ""
    cabinet: str = ""

    @field_validator("hosts")
    @classmethod
    def _check_hosts(cls, hosts: list[str]) -> list[str]:
        _check_names(hosts)
        return hosts


class _Topology(Table):
    places: list[Place] = Field(alias="place", min_length=1)


@dataclass(frozen=True)
class HostPlace:
    """A pattern of hosts' names, and numbers of the parts that these are in, from the outermost on."""

    pattern: str
    site: int
    cluster: int
    cabinet: int


def read_places(path: Path) -> list[HostPlace]:
    """From a topology file; the first pattern that fits a host holds.

    Raises InputError naming file, line, key and what would be right.
    """
    places = read_document("--topology", path, _Topology).places
    numbers: dict[tuple[str, ...], int] = {}

    def number_of(*names: str) -> int:
        return numbers.setdefault(names, len(numbers))

    return [
        HostPlace(
            host,
            number_of(place.site),
            number_of(place.site, place.cluster),
            number_of(place.site, place.cluster, place.cabinet),
        )
        for place in places
        for host in place.hosts
    ]


def places_of_platform(name_or_file: str) -> list[HostPlace]:
    """From a platform file whose hosts have the names of the real ones.

    Raises InputError as loading it does, and for names that no host has.
    """
    platform = prepare(name_or_file)
    hardware = core.build(platform)
    try:
        _check_names(host.name for host in hardware.hosts)
    except ValueError as error:
        raise InputError(f"--platform {name_or_file}: {error}") from None
    sites = [cluster["site"] for cluster in platform["clusters"]]
    return [
        HostPlace(
            host.name,
            sites.index(sites[hardware.cluster_of(number)]),
            hardware.cluster_of(number),
            hardware.cabinet_of(number),
        )
        for number, host in enumerate(hardware.hosts)
    ]
