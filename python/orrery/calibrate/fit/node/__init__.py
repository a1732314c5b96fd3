# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of nodes: shared processors, load by others, noise of handling, cost of calls."""

from orrery.calibrate.fit.node.calls import CallCosts, Overlap, calls_of, drift_of, overlaps_of
from orrery.calibrate.fit.node.host import HostState, host_of
from orrery.calibrate.fit.node.interruptions import Interruptions, interruptions_of
from orrery.calibrate.fit.node.processors import TOLERABLE_WORK, Noise, SharedProcessors, noise_of, processors_of
from orrery.calibrate.fit.node.steadiness import TOLERABLE, interrupted_share, unsteadiness
from orrery.calibrate.fit.node.stolen import StolenTime, stolen_of

__all__ = [
    "TOLERABLE",
    "TOLERABLE_WORK",
    "CallCosts",
    "HostState",
    "Interruptions",
    "Noise",
    "Overlap",
    "SharedProcessors",
    "StolenTime",
    "calls_of",
    "drift_of",
    "host_of",
    "interrupted_share",
    "interruptions_of",
    "noise_of",
    "overlaps_of",
    "processors_of",
    "stolen_of",
    "unsteadiness",
]
