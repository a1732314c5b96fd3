# SPDX-License-Identifier: BSD-3-Clause
"""From a file of SimGrid's to one of Orrery's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from orrery.errors import InputError
from orrery.platform import toml_writer
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.clusters import only_cluster, structured
from orrery.platform.simgrid.document import Document, read
from orrery.platform.simgrid.graphs import graph
from orrery.platform.simgrid.parts import Parts
from orrery.platform.simgrid.zones import flatten

# SimGrid's own values of network/loopback-bw and network/loopback-lat.
_LOOPBACK = (10e9, 0.0)


@dataclass(frozen=True)
class Converted:
    """A platform file, and what of the other one it does not say."""

    toml: str
    left_out: Counter[str]


def convert(file: Path, name: str, flops_per_s: float | None, zone: str = "") -> Converted:
    """Read `file`, and say the same as a platform file.

    Args:
        file: XML of SimGrid's, version 4.1.
        name: of the platform.
        flops_per_s: speed of the host that runs simulations, in the file's unit; by default that of its fastest host.
        zone: only what is in the zone or cluster of this name; empty: all.
    Raises:
        InputError: naming file and line of what is wrong, or what Orrery has no word for.
    """
    document, root = read(file)
    if zone:
        root = _only(document, root, zone)
    cluster = None
    if (element := only_cluster(document, root)) is not None:
        document.left_out.clear()  # looked at twice
        cluster = structured(document, element)
    if cluster is not None and element is not None:
        speed = document.number(element, "speed", quantities.flops_per_second)
        parts = Parts()
        _loopback_of(document, element, cluster)
        reference = _above_0(file, flops_per_s or speed)
        cluster["speed"] = speed / reference
        if element.get("suffix"):
            document.left_out["the end of host names"] += 1
    else:
        parts = _flat(document, root)
        if not parts.hosts:
            raise InputError(f"{file}: has no hosts")
        reference = _above_0(file, flops_per_s or max(host.flops_per_s for host in parts.hosts))
        cluster = graph(file, parts, reference)
        loopback = parts.loopbacks[0] if parts.loopbacks else None
        cluster["memory_bandwidth_bytes_per_s"] = loopback.bandwidth if loopback else _LOOPBACK[0]
        cluster["memory_latency_s"] = loopback.latency if loopback else _LOOPBACK[1]
        if len({(link.bandwidth, link.latency) for link in parts.loopbacks}) > 1:
            document.left_out["loopbacks other than the first"] += 1
    values = {
        "name": name,
        "description": f"Converted from SimGrid's {file.name}",
        "source": f"{file.name}, not measured by Orrery; speed 1 is {reference:g} flop/s",
        "model": "fluid",
        "cluster": [cluster],
    }
    return Converted(_comments(file, document.left_out) + toml_writer.write(values), document.left_out)


def _above_0(file: Path, speed: float) -> float:
    if not speed > 0:
        raise InputError(f"{file}: its hosts have the speed {speed:g}, expected one above 0")
    return speed


def _flat(document: Document, root: Any) -> Parts:
    document.left_out.clear()
    parts = Parts()
    for part in document.parts(root):
        if part.tag in ("zone", "cluster"):
            flatten(document, part, parts)
        else:
            raise InputError(f"{document.where(part)}: not supported outside of a zone")
    return parts


def _only(document: Document, root: Any, zone: str) -> Any:
    """A platform with that zone alone. Raises InputError naming the zones that there are."""
    zones = {element.get("id"): element for element in root.iter("zone", "cluster")}
    if zone not in zones:
        raise InputError(f'{document.file}: no zone "{zone}"; there are: {", ".join(map(str, zones))}')
    alone = etree.Element("platform")
    alone.append(zones[zone])
    return alone


def _loopback_of(document: Document, element: Any, cluster: dict[str, Any]) -> None:
    cluster["memory_bandwidth_bytes_per_s"] = (
        document.number(element, "loopback_bw", quantities.bytes_per_second)
        if element.get("loopback_bw") is not None
        else _LOOPBACK[0]
    )
    cluster["memory_latency_s"] = document.number(element, "loopback_lat", quantities.seconds, "0")


def _comments(file: Path, left_out: Counter[str]) -> str:
    lines = [
        f"# Converted by `orrery platform import {file.name}`.",
        "# The model is fluid: SimGrid's files hold rates and latencies, not what a message costs its sender and receiver.",
    ]
    lines += [f"# Left out: {what} ({count} times)." for what, count in sorted(left_out.items())]
    return "\n".join(lines) + "\n\n"
