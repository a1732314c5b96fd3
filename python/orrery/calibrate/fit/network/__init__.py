# SPDX-License-Identifier: BSD-3-Clause
"""Costs of lone messages: links, limits of protocols, regimes, uplinks."""

from orrery.calibrate.fit.network.hosts import HostLink, host_link_of
from orrery.calibrate.fit.network.paths import MessagePath, curves_of, eager_limit, memory_path_of, network_of
from orrery.calibrate.fit.network.regimes import (
    LEGS,
    MOST_OF_RECEIVE,
    QUANTILES,
    Fit,
    FittedRegime,
    receive_share,
    refit,
    way_s,
)
from orrery.calibrate.fit.network.sanity import check_ping_pong
from orrery.calibrate.fit.network.together import with_capacity
from orrery.calibrate.fit.network.uplinks import Uplink, uplink_of
from orrery.calibrate.fit.network.wire import TcpFraming, Wire, acknowledgements_of, memory_of, way_of, wire_at

__all__ = [
    "LEGS",
    "MOST_OF_RECEIVE",
    "QUANTILES",
    "Fit",
    "FittedRegime",
    "HostLink",
    "MessagePath",
    "TcpFraming",
    "Uplink",
    "Wire",
    "acknowledgements_of",
    "check_ping_pong",
    "curves_of",
    "eager_limit",
    "host_link_of",
    "memory_of",
    "memory_path_of",
    "network_of",
    "receive_share",
    "refit",
    "uplink_of",
    "way_of",
    "way_s",
    "wire_at",
    "with_capacity",
]
