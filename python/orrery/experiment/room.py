# SPDX-License-Identifier: BSD-3-Clause
"""Check that a platform has enough cores and ports for the ranks of a simulation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from orrery.errors import InputError
from orrery.experiment.mapping import RankPlacement
from orrery.platform.core import Plain

if TYPE_CHECKING:
    from orrery import _core


def check_room(platform: Plain, hardware: _core.Platform, placement: RankPlacement, *, force: bool) -> None:
    """Refuse more ranks than there is room for.

    On a platform that was calibrated on one node messages between nodes were not measured, so it cannot be extended. With
    `force`, ranks share the cores of the node. Where ranks of other clusters connect to a range of ports, each rank of a
    node needs one. Raises InputError.
    """
    _check_ports(platform, hardware, placement)
    calibration = platform["calibration"]
    if force or calibration is None or calibration["nodes"] > 1 or not placement.oversubscribed:
        return
    cores = sum(cluster["cores"] * (cluster["nodes"] or 1) for cluster in platform["clusters"])
    raise InputError(
        f"platform {platform['name']}: {len(placement.host_of_rank)} ranks would need a second node; this is one of {cores} cores, "
        f"calibrated with --nodes 1, and messages between nodes were not measured. Use {cores} ranks at most, calibrate with "
        f"--nodes 2 or more, or let ranks share its cores: --force"
    )


def _check_ports(platform: Plain, hardware: _core.Platform, placement: RankPlacement) -> None:
    if all(cluster["ports"] is None for cluster in platform["clusters"]):
        return
    ranks_on = Counter(placement.host_of_rank)
    clusters = {host: hardware.cluster_of(host) for host in ranks_on}
    if len(set(clusters.values())) == 1:
        return
    for host, ranks in ranks_on.items():
        cluster = platform["clusters"][clusters[host]]
        if cluster["ports"] is not None and ranks > cluster["ports"]:
            raise InputError(
                f"platform {platform['name']}: {ranks} ranks on {hardware.hosts[host].name}, but others may connect to "
                f"{cluster['ports']} ports of a node of {cluster['name']}, one for each rank; place fewer ranks there "
                "(--map), or allow more (ports)"
            )
