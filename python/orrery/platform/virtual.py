# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of virtual machines as the core has them: a cabinet is a host, its links are those that its machines share."""

from __future__ import annotations

from typing import Any

from orrery import _core

Plain = dict[str, Any]

_FULL_DUPLEX = 2


def on_hosts(cluster: Plain) -> Plain:
    """The cluster with its hosts as cabinets, if its nodes are virtual machines; else as it is."""
    virtual = cluster["virtual"]
    if virtual is None:
        return cluster
    rate = cluster["bandwidth_bytes_per_s"]
    return cluster | {
        "cabinets": hosts(cluster),
        "bandwidth_bytes_per_s": virtual["bandwidth_bytes_per_s"] or rate,
        "latency_s": virtual["latency_s"],
        "limiter_factor": float(_FULL_DUPLEX),
    }


def hosts(cluster: Plain) -> list[Plain]:
    """The hosts of a cluster of virtual machines, as cabinets."""
    nodes, most = cluster["nodes"], cluster["virtual"]["per_host"]
    rate, factor = cluster["bandwidth_bytes_per_s"], cluster["limiter_factor"]
    return [
        {
            "name": f"host-{number}",
            "nodes": min(most, nodes - first),
            "uplink_bytes_per_s": rate,
            "limiter_bytes_per_s": rate * factor if factor < _FULL_DUPLEX else 0.0,
            "latency_s": cluster["latency_s"],
        }
        for number, first in enumerate(range(0, nodes, most), start=1)
    ]


def machines(cluster: Plain) -> _core.VirtualMachines | None:
    """What the core knows of virtual machines; None: the nodes are hosts."""
    virtual = cluster["virtual"]
    if virtual is None:
        return None
    return _core.VirtualMachines(
        per_host=virtual["per_host"], cores=virtual["host_cores"] or 0, others=virtual["other_cores"]
    )
