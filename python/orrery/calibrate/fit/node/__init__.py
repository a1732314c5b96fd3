# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of nodes: shared processors, load by others, noise of handling, cost of calls."""

from orrery.calibrate.fit.node.calls import Calls, Overlap, calls_of, drift_of, overlaps_of
from orrery.calibrate.fit.node.host import Host, host_of
from orrery.calibrate.fit.node.interruptions import Interruptions, interruptions_of
from orrery.calibrate.fit.node.processors import TOLERABLE_WORK, Noise, Processors, noise_of, processors_of
from orrery.calibrate.fit.node.steadiness import TOLERABLE, interrupted_share, unsteadiness
from orrery.calibrate.fit.node.stolen import Stolen, stolen_of

__all__ = [
    "TOLERABLE",
    "TOLERABLE_WORK",
    "Calls",
    "Host",
    "Interruptions",
    "Noise",
    "Overlap",
    "Processors",
    "Stolen",
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
