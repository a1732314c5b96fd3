# SPDX-License-Identifier: BSD-3-Clause
"""Check that a platform has enough cores for the ranks of a simulation."""

from __future__ import annotations

from orrery.errors import InputError
from orrery.experiment.mapping import Placement
from orrery.platform.core import Plain


def check_room(platform: Plain, placement: Placement, *, force: bool) -> None:
    """Refuse more ranks than cores on a platform that was calibrated on one node.

    On such a platform messages between nodes were not measured, so it cannot be extended. With `force`, ranks share the
    cores of the node. Raises InputError.
    """
    calibration = platform["calibration"]
    if force or calibration is None or calibration["nodes"] > 1 or not placement.oversubscribed:
        return
    cores = sum(cluster["cores"] * (cluster["nodes"] or 1) for cluster in platform["clusters"])
    raise InputError(
        f"platform {platform['name']}: {len(placement.host_of_rank)} ranks would need a second node; this is one of {cores} cores, "
        f"calibrated with --nodes 1, and messages between nodes were not measured. Use {cores} ranks at most, calibrate with "
        f"--nodes 2 or more, or let ranks share its cores: --force"
    )
