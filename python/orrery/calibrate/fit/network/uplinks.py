# SPDX-License-Identifier: BSD-3-Clause
"""Links between cabinets or sites, measured between the first two groups of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.measure import UNDISTURBED, CalibrationExperiment, CalibrationResults, Floats

_BEST = 0.75
"""Quantile of throughput over repetitions: slower repetitions have waited for lost packets."""
_LIMITED = 0.85
"""Throughput of both directions together over the sum of each alone, below which there is a limiter. A lost TCP packet may
cost a tenth."""
_NEVER_FULL = 0.93
"""Throughput of pairs together over the sum of each alone, above which the uplink is not the bottleneck."""


@dataclass(frozen=True)
class Uplink:
    """The uplink of a group; a rate of 0: no limit was seen."""

    rate_bytes_per_s: float
    limiter_bytes_per_s: float
    latency_s: float
    """Added by the uplink, and again by the other group's downlink."""
    pairs: int
    """The largest number of pairs that were active at the same time."""


def uplink_of(results: CalibrationResults, wire: Wire, groups: list[int]) -> Uplink | None:
    """From pairs across the first two groups; None for a cluster of one group."""
    across = results.of("flows", name="across")
    if len(groups) < 2 or not across:
        return None
    throughputs = [(experiment.keys["list"].count(">"), sum(_throughputs(experiment, wire))) for experiment in across]
    pairs, most = max(throughputs)
    full = most < _NEVER_FULL * pairs * wire.rate_bytes_per_s
    both = [
        (experiment.keys["list"].count(">") // 2, sum(_throughputs(experiment, wire)))
        for experiment in results.of("flows", name="across_both")
    ]
    # Compare with as many pairs in one direction, which need not fill the uplink.
    limited = full and both and both[0][1] < _LIMITED * 2 * dict(throughputs).get(both[0][0], most)
    return Uplink(
        rate_bytes_per_s=most if full else 0.0,
        limiter_bytes_per_s=both[0][1] if limited else 0.0,
        latency_s=_latency(results, wire, most if full else 0.0),
        pairs=pairs,
    )


def _throughputs(experiment: CalibrationExperiment, wire: Wire) -> list[float]:
    """Bytes on the wire per second of the transfers of each direction, until its last has arrived."""
    each = float(wire.waiting(np.array([float(experiment.keys["bytes"])]))[0])
    ends: dict[tuple[bool, int], list[float]] = {}
    for sample in experiment.samples:
        if sample.what == "arrived":
            ends.setdefault((sample.source < sample.target, sample.repetition), []).append(sample.value)
    return [
        float(np.quantile([len(times) * each / max(times) for (way, _), times in ends.items() if way is forth], _BEST))
        for forth in sorted({way for way, _ in ends})
    ]


def _latency(results: CalibrationResults, wire: Wire, rate_bytes_per_s: float) -> float:
    """Half of the extra time of a small message between groups over one inside a group: uplink and downlink are alike.

    If switches store and forward, and the rate of the uplink is known, the time of the message at that rate is not latency.
    """
    far = [experiment for experiment in results.of("pingpong", group="across") if experiment.keys["bytes"] == "1"]
    near = results.curve("half", "net").within(0, 65).times
    if not far or len(near) == 0:
        return 0.0
    more = (_quarter(far[0].values("half")) - _quarter(near)) / 2
    if wire.store_and_forward and rate_bytes_per_s > 0:
        more -= float(wire.bytes(np.array([1.0]))[0]) / rate_bytes_per_s
    return max(0.0, more)


def _quarter(values: Floats) -> float:
    return float(np.quantile(values, UNDISTURBED))
