# SPDX-License-Identifier: BSD-3-Clause
"""Fit of the parameters of a platform to raw samples."""

from orrery.calibrate.fit.bottleneck import Bottleneck
from orrery.calibrate.fit.lines import theil_sen
from orrery.calibrate.fit.network import (
    LEGS,
    MOST_OF_RECEIVE,
    QUANTILES,
    Fit,
    FittedRegime,
    Framing,
    Path,
    Wire,
    curves_of,
    eager_limit,
    memory_of,
    receive_share,
    refit,
    uplink_of,
    way_of,
    way_s,
    wire_at,
    with_capacity,
)
from orrery.calibrate.fit.node import TOLERABLE, TOLERABLE_WORK, Host, Processors, calls_of, noise_of, processors_of
from orrery.calibrate.fit.outcome import Outcome, evaluate
from orrery.calibrate.fit.transport import Sharing, Timeouts, first_message_of, sharing_of

__all__ = [
    "LEGS",
    "MOST_OF_RECEIVE",
    "QUANTILES",
    "TOLERABLE",
    "TOLERABLE_WORK",
    "Bottleneck",
    "Fit",
    "FittedRegime",
    "Framing",
    "Host",
    "Outcome",
    "Path",
    "Processors",
    "Sharing",
    "Timeouts",
    "Wire",
    "calls_of",
    "curves_of",
    "eager_limit",
    "evaluate",
    "first_message_of",
    "memory_of",
    "noise_of",
    "processors_of",
    "receive_share",
    "refit",
    "sharing_of",
    "theil_sen",
    "uplink_of",
    "way_of",
    "way_s",
    "wire_at",
    "with_capacity",
]
