# SPDX-License-Identifier: BSD-3-Clause
"""What joins cabinets or sites: measured between the first two groups of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.results import UNDISTURBED, Experiment, Floats, Results
from orrery.calibrate.wire import Wire

_NEVER_FULL = 0.93
"""Pairs that together reach this share of what they would alone do not fill what joins their groups."""


@dataclass(frozen=True)
class Uplink:
    """The way out of a group; rates of 0 where no limit was seen."""

    rate_bytes_per_s: float
    limiter_bytes_per_s: float
    latency_s: float
    """Added by the uplink, and again by the other group's downlink."""
    pairs: int
    """The most pairs that were active at once."""


def uplink_of(results: Results, wire: Wire, groups: list[int]) -> Uplink | None:
    """From pairs across the first two groups; None for a cluster of one group."""
    across = results.of("flows", name="across")
    if len(groups) < 2 or not across:
        return None
    throughputs = [(one.keys["list"].count(">"), _throughput(one, wire)) for one in across]
    pairs, most = max(throughputs)
    full = most < _NEVER_FULL * pairs * wire.rate_bytes_per_s
    both = [
        (one.keys["list"].count(">") // 2, _throughput(one, wire)) for one in results.of("flows", name="across_both")
    ]
    # Against as many pairs one way, which need not fill the uplink.
    limited = full and both and both[0][1] < _NEVER_FULL * 2 * dict(throughputs).get(both[0][0], most)
    return Uplink(
        rate_bytes_per_s=most if full else 0.0,
        limiter_bytes_per_s=both[0][1] if limited else 0.0,
        latency_s=_latency(results),
        pairs=pairs,
    )


def _throughput(one: Experiment, wire: Wire) -> float:
    """Bytes on the wire per second of all transfers together, until the last has arrived."""
    ends: dict[int, float] = {}
    for sample in one.samples:
        if sample.what == "arrived":
            ends[sample.repetition] = max(ends.get(sample.repetition, 0.0), sample.value)
    total = one.keys["list"].count(">") * float(wire.waiting(np.array([float(one.keys["bytes"])]))[0])
    return total / float(np.quantile(list(ends.values()), UNDISTURBED))


def _latency(results: Results) -> float:
    """Half of what a small message takes more between groups than inside one: uplink and downlink are alike."""
    far = [one for one in results.of("pingpong", group="across") if one.keys["bytes"] == "1"]
    near = results.curve("half", "net").within(0, 65).times
    if not far or len(near) == 0:
        return 0.0
    return max(0.0, (_quarter(far[0].values("half")) - _quarter(near)) / 2)


def _quarter(values: Floats) -> float:
    return float(np.quantile(values, UNDISTURBED))
