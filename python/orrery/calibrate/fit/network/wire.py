# SPDX-License-Identifier: BSD-3-Clause
"""The link of a node: bytes of a message on the wire, the rate of the link, and its burst."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit.lines import theil_sen
from orrery.calibrate.measure import UNDISTURBED, CalibrationResults, Curve, Floats, quantile

_ETHERNET_BYTES = 14
_ETHERNET_UNSEEN_BYTES = 24
"""Preamble, checksum and gap, which the counters of the kernel do not include."""
_IP_TCP_BYTES = 52
"""IPv4 and TCP with time stamps."""
_LEAST_BURST_FRAMES = 0.5
_LEAST_SINGLE = 4
"""Number of sizes that a line needs."""
_LEAST_OF_MEMORY = 1 << 9
"""Bytes. For smaller messages, the time of a call hides the time for each byte."""
_STRETCH = 16
"""Largest over smallest size of a range from which a rate is taken."""
_NO_RATE = "large messages take no longer than smaller ones: no rate can be told; is --budget too small?"
_TWO_LINKS = (1.7, 2.3)
"""Time of a byte of a message of one frame over its time on one link, if switches store and forward: the range around 2."""


@dataclass(frozen=True)
class TcpFraming:
    """TCP over Ethernet: the header of the MPI library and the data of a message, cut into frames."""

    header_bytes: int
    payload_bytes: int
    overhead_bytes: int

    def wire(self, sizes: Floats) -> Floats:
        """Bytes on the wire of messages of `sizes`, same shape."""
        whole = sizes + self.header_bytes
        return np.asarray(whole + np.ceil(whole / self.payload_bytes) * self.overhead_bytes, dtype=np.float64)


@dataclass(frozen=True)
class Wire:
    """The link of a node, from measurements of lone messages."""

    framing: TcpFraming | None
    rate_bytes_per_s: float
    """Rate R in bytes on the wire per second; without framing, in bytes of payload per second."""
    burst_bytes: float
    """Bytes that the link lets pass at once after idleness (token bucket); 0: none."""
    store_and_forward: bool = False
    """Whether a switch forwards a frame only when it has received all of it."""
    alternatives: tuple[Wire, ...] = ()
    """Results from other draws of the samples."""

    def interval(self, value: str) -> tuple[float, float]:
        """95 % interval of `rate_bytes_per_s` or `burst_bytes`; `value` is the name."""
        values = [getattr(wire, value) for wire in self.alternatives] or [getattr(self, value)]
        low, high = np.quantile(values, [0.025, 0.975])
        return float(low), float(high)

    def bytes(self, sizes: Floats) -> Floats:
        """Bytes on the wire of messages of `sizes`, same shape."""
        return sizes if self.framing is None else self.framing.wire(sizes)

    def forwarding_s(self, sizes: Floats) -> Floats:
        """Time of the last frame on the second of the two links between nodes, in seconds; 0 without store and forward."""
        if not self.store_and_forward or self.framing is None:
            return np.zeros(len(sizes))
        frame = self.framing.payload_bytes + self.framing.overhead_bytes
        return np.asarray(np.minimum(self.bytes(sizes), frame) / self.rate_bytes_per_s, dtype=np.float64)

    def waiting(self, sizes: Floats) -> Floats:
        """Bytes on the wire beyond the burst, which pass at the rate of the link."""
        return np.asarray(np.maximum(0.0, self.bytes(sizes) - self.burst_bytes), dtype=np.float64)


def framing_of(results: CalibrationResults) -> TcpFraming | None:
    """Framing from the counters of network interfaces; None if they do not count the messages, or for no Ethernet."""
    sent: defaultdict[str, dict[int, float]] = defaultdict(dict)
    mtu: dict[str, float] = {}
    ethernet: dict[str, bool] = {}
    for experiment in results.of("wire"):
        for sample in experiment.samples:
            word, _, interface = sample.what.partition(":")
            if word == "sent":
                sent[interface][sample.bytes] = sample.value
            elif word == "mtu":
                mtu[interface] = sample.value
            elif word == "ethernet":
                ethernet[interface] = sample.value == 1
    for interface, counts in sent.items():
        largest = max(counts)
        carries = largest > 4096 and largest <= counts[largest] <= 1.25 * largest
        if carries and ethernet.get(interface) and mtu.get(interface, 0) > 2 * _IP_TCP_BYTES:
            return _framing(counts, int(mtu[interface]) - _IP_TCP_BYTES)
    return None


def _framing(counts: dict[int, float], payload: int) -> TcpFraming:
    """The header is the smallest that a message of few frames had, as stray acknowledgements only add to the counters."""
    frame = _ETHERNET_BYTES + _IP_TCP_BYTES
    headers = [count - size - frame * np.ceil((size + 1) / payload) for size, count in counts.items() if size < 1 << 15]
    return TcpFraming(max(0, round(min(headers, default=0.0))), payload, frame + _ETHERNET_UNSEEN_BYTES)


def acknowledgements_of(results: CalibrationResults, framing: TcpFraming) -> float | None:
    """Bytes of acknowledgements for each byte of a large message, both on the wire; None if they were not counted."""
    for experiment in results.of("wire"):
        size = max((sample.bytes for sample in experiment.samples), default=0)
        back = [sample.value for sample in experiment.samples if sample.what.startswith("received:")]
        if size >= 1 << 18 and back:
            seen = _ETHERNET_BYTES + _IP_TCP_BYTES
            frames = max(back) / seen
            return float(frames * framing.overhead_bytes / framing.wire(np.array([float(size)]))[0])
    return None


def wire_of(oneway: Curve, framing: TcpFraming | None, asynchronous_limit: float) -> Wire:
    """Rate and burst of a link from lone messages.

    1 / rate is the slope of the times of the largest sizes. The time of an eager message longer than the burst is
    t0 + (bytes on the wire - burst) / rate, with t0 the time of the smallest messages; this gives the burst.
    """
    found = wire_at(oneway, framing, asynchronous_limit)
    return replace(found, store_and_forward=found.burst_bytes == 0 and _stores_and_forwards(oneway, found))


def _stores_and_forwards(oneway: Curve, wire: Wire) -> bool:
    """Whether each byte of a message of one frame takes its time twice: on the link to the switch, then on the next link.

    A byte of a longer message takes its time once, because its frames are on both links at the same time.
    """
    if wire.framing is None:
        return False
    single = oneway.within(1, wire.framing.payload_bytes - wire.framing.header_bytes + 1)
    sizes, times = single.typical()
    if len(sizes) < _LEAST_SINGLE or np.ptp(sizes) < wire.framing.payload_bytes / 2:
        return False
    links = theil_sen(wire.bytes(sizes), times).slope * wire.rate_bytes_per_s
    return bool(_TWO_LINKS[0] < links < _TWO_LINKS[1])


def _large(sizes: Floats) -> NDArray[np.bool_]:
    return np.asarray(sizes >= max(float(sizes.max()) / 256, 1 << 14))


def wire_at(oneway: Curve, framing: TcpFraming | None, asynchronous_limit: float, share: float = UNDISTURBED) -> Wire:
    """As `wire_of`, with `share` as the quantile of times that counts; does not examine store and forward."""
    none = Wire(framing, 1.0, 0.0)
    sizes, times = oneway.typical(share)
    large = _large(sizes)
    slope = theil_sen(none.bytes(sizes[large]), times[large]).slope if large.any() else 0.0
    if slope <= 0:
        raise CalibrationError(_NO_RATE)
    rate = 1.0 / slope
    small = oneway.within(1, 65)
    eager = (sizes >= 4096) & (sizes <= asynchronous_limit)
    if len(small) < 3 or eager.sum() < 3:
        return Wire(framing, rate, 0.0)
    lone = quantile(small.times, share)
    missing = none.bytes(sizes[eager]) - rate * (times[eager] - lone)
    burst = float(np.median(missing))
    frame = 1500.0 if framing is None else float(framing.payload_bytes + framing.overhead_bytes)
    return Wire(framing, rate, burst if burst > _LEAST_BURST_FRAMES * frame else 0.0)


def memory_of(half: Curve, share: float = UNDISTURBED) -> Wire:
    """Upper bound of the rate between two ranks through memory, from the fastest sizes; regimes are slower.

    Unlike a link, memory is fastest for messages of middle size, which fit into caches. Up to half of the time for a byte is
    that of the receiver, which copies it out of the shared memory.
    Raises CalibrationError if no size gives a rate.
    """
    sizes, times = half.typical(share)
    slopes = [
        theil_sen(sizes[part], times[part]).slope
        for low in sizes[sizes >= _LEAST_OF_MEMORY]
        if (part := (sizes >= low) & (sizes < _STRETCH * low)).sum() >= _LEAST_SINGLE
    ]
    rising = [slope for slope in slopes if slope > 0]
    if not rising:
        raise CalibrationError(_NO_RATE)
    return Wire(None, 2.0 / min(rising), 0.0)


def way_of(half: Curve, oneway: Curve, wire: Wire) -> Curve:
    """One-way times of lone messages whose receivers are awake: halves of ping-pongs, except as follows.

    In a ping-pong, the token bucket of a link may not be full again when the next message starts. For such sizes the times
    of lone messages count, without the time to wake the receiver (the difference of both for the smallest messages).
    """
    if wire.burst_bytes <= 0 or len(oneway) == 0:
        return half
    put, time = wire.bytes(half.sizes), half.times
    recovered = (put <= wire.burst_bytes) & (put <= 1.8 * time * wire.rate_bytes_per_s)
    recovered |= time * wire.rate_bytes_per_s >= wire.burst_bytes
    small = [quantile(curve.within(1, 65).times, UNDISTURBED) for curve in (oneway, half)]
    quickest = float(half.within(1, 65).times.min())
    low, high = _missing(half.sizes, recovered)
    lone = oneway.within(low, high)
    # The time to wake a receiver varies on a busy host. No message is faster than the fastest small one.
    awake = np.maximum(lone.times - max(0.0, small[0] - small[1]), quickest)
    kept = half.at(recovered)
    both = Curve(np.concatenate([kept.sizes, lone.sizes]), np.concatenate([kept.times, awake]))
    return both.at(np.argsort(both.sizes, kind="stable"))


def _missing(sizes: Floats, there: NDArray[np.bool_]) -> tuple[float, float]:
    """The half-open range of sizes [low, high) that covers all sizes not in `there`."""
    gone = sizes[~there]
    return (float(gone.min()), float(gone.max()) + 1) if len(gone) else (0.0, 0.0)
