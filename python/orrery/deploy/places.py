# SPDX-License-Identifier: BSD-3-Clause
"""Where hosts are: in which site, cluster and cabinet, by their names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from orrery.deploy.documents import read_document
from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.prepared import prepare

_BLANK = "a host's name has no blanks"


class Place(BaseModel):
    """Hosts that are at one place."""

    model_config = ConfigDict(extra="forbid", strict=True)

    hosts: list[str] = Field(min_length=1)
    """Names, or patterns of the shell's: `node-0[1-8]`, `lyon-*`."""
    site: str = ""
    """Names of sites, clusters and cabinets are free; hosts with the same name are in the same one."""
    cluster: str = ""
    cabinet: str = ""


class _Topology(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

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
    for number, place in enumerate(places):
        if any(not host or host.split() != [host] for host in place.hosts):
            raise InputError(f"{path}: place[{number}].hosts: {_BLANK}; expected names such as node-01 or lyon-*")
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
    """From a platform file whose hosts have the names of the real ones. Raises InputError as loading it does."""
    platform = prepare(name_or_file)
    hardware = core.build(platform)
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
