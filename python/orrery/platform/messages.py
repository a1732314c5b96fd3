# SPDX-License-Identifier: BSD-3-Clause
"""What lone messages cost on a platform of the model `hybrid`, computed from its keys: for comparing calibrations.

The ends of regimes are found in the data of each calibration, so one has three where another has five: what they say of
a message of some size can be compared, regime by regime their values cannot. It is a message between two nodes of the
first cluster behind one switch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from orrery.platform.core import Plain

KINDS = ("between_nodes", "inside_node")
SIZES = tuple(4**power for power in range(13))
"""Bytes, 1 B to 16 MiB."""


def costs(platform: Plain) -> Iterator[tuple[str, int, float]]:
    """Name, size in bytes and seconds: both overheads, and the time between them."""
    for kind in KINDS:
        for size in SIZES:
            regime = next(
                regime
                for regime in platform["network"][kind]
                if regime["end_bytes"] is None or size < regime["end_bytes"]
            )
            for side in ("send", "recv"):
                overhead_s = regime[f"{side}_overhead_s"] + size * regime[f"{side}_overhead_s_per_byte"]
                yield f"{kind}.{side}_overhead_s", size, overhead_s
            yield f"{kind}.transfer_s", size, _transfer_s(platform, kind, regime, size)


def limits(platform: Plain) -> Iterator[tuple[str, int | None]]:
    """First size, in bytes, that no longer belongs to a protocol; None: it has no end."""
    for kind in KINDS:
        for protocol in dict.fromkeys(regime["protocol"] for regime in platform["network"][kind]):
            *_, last = (regime for regime in platform["network"][kind] if regime["protocol"] == protocol)
            yield f"{kind}.{protocol}_end_bytes", last["end_bytes"]


def _transfer_s(platform: Plain, kind: str, regime: Plain, size: int) -> float:
    cluster = platform["clusters"][0]
    if kind == "inside_node":
        latency_s, rate, on_link = cluster["memory_latency_s"], cluster["memory_bandwidth_bytes_per_s"], float(size)
    else:
        latency_s, rate = 2 * cluster["latency_s"], cluster["bandwidth_bytes_per_s"]
        on_link = max(0.0, _framed(platform["network"]["framing"], size) - platform["network"]["burst_bytes"])
    latency_s = max(0.0, regime["latency_factor"] * latency_s + regime["latency_s"])
    return float(latency_s + (on_link / (regime["bandwidth_factor"] * rate) if rate > 0 else 0.0))


def _framed(framing: dict[str, Any], size: int) -> float:
    """Bytes on the wire."""
    whole = size + framing["header_bytes"]
    frames = framing["frames"]
    return float(whole + (math.ceil(whole / frames["payload_bytes"]) * frames["overhead_bytes"] if frames else 0))
