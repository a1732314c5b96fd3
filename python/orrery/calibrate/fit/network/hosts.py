# SPDX-License-Identifier: BSD-3-Clause
"""What virtual machines of one host share: pairs between the same two hosts, alone and at once; messages inside a host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network.uplinks import Uplink
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.measure import UNDISTURBED, CalibrationResults, Floats


@dataclass(frozen=True)
class HostLink:
    """The link of a host, and those of its virtual machines to its bridge."""

    rate_bytes_per_s: float
    """Rate of the host's link in each direction; a lower bound, if not `full`."""
    full: bool
    """Whether the pairs filled it."""
    machine_bytes_per_s: float
    """Rate of the link of a machine: what one pair reaches."""
    latency_s: float
    """Latency of the host's link, on the way up, and again on the way down."""
    machine_latency_s: float
    """Latency of the link of a machine, on the way out, and again in; 0 if there is one machine on a host."""
    pairs: int
    """How many pairs were active at once."""


def host_link_of(results: CalibrationResults, wire: Wire, uplink: Uplink | None, latency_s: float) -> HostLink:
    """From pairs of the first two hosts (`uplink`) and from small messages inside a host.

    Args:
        results: raw samples.
        wire: between hosts, one pair.
        uplink: as of cabinets; None if a host has one machine.
        latency_s: between hosts, of small messages.
    """
    pairs = uplink.pairs if uplink else 1
    full = bool(uplink and uplink.rate_bytes_per_s)
    rate = uplink.rate_bytes_per_s if uplink and full else pairs * wire.rate_bytes_per_s
    inside_s = _inside_s(results, latency_s)
    return HostLink(
        rate_bytes_per_s=rate,
        full=full,
        machine_bytes_per_s=wire.rate_bytes_per_s,
        latency_s=(latency_s - inside_s) / 2,
        machine_latency_s=inside_s / 2,
        pairs=pairs,
    )


def _inside_s(results: CalibrationResults, latency_s: float) -> float:
    """Latency between two machines of a host: what a small message between hosts takes, less by how much that is more."""
    inside = [
        experiment.values("half")
        for experiment in results.of("pingpong", group="bridge")
        if experiment.keys["bytes"] == "1"
    ]
    across = results.curve("half", "net").within(0, 65).times
    if not inside or len(across) == 0:
        return 0.0
    more = _quarter(across) - _quarter(np.concatenate(inside))
    return float(np.clip(latency_s - more, 0.0, latency_s))


def _quarter(values: Floats) -> float:
    return float(np.quantile(values, UNDISTURBED))
