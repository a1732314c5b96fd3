# SPDX-License-Identifier: BSD-3-Clause
"""What a message puts on the wire, at which rate it goes, and how much of it passes before that rate holds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit.lines import theil_sen
from orrery.calibrate.measure import UNDISTURBED, Curve, Floats, Results

_ETHERNET_BYTES = 14
_ETHERNET_UNSEEN_BYTES = 24
"""Preamble, checksum and gap, which no counter of the kernel shows."""
_IP_TCP_BYTES = 52
"""IPv4 and TCP with time stamps."""
_LEAST_BURST_FRAMES = 0.5
_LEAST_SINGLE = 4
"""Sizes of messages of one frame that tell what a byte of them takes."""
_LEAST_OF_MEMORY = 1 << 9
"""Bytes: of smaller messages the time for each byte is lost in what a call takes."""
_STRETCH = 16
"""Times the smallest: sizes of which one rate is taken."""
_NO_RATE = "large messages take no longer than smaller ones: no rate can be told; is --budget too small?"
_TWO_LINKS = (1.7, 2.3)
"""What a byte of such a message takes where switches store and forward, in times of a byte on a link."""


@dataclass(frozen=True)
class Framing:
    """TCP over Ethernet: a message and its header in frames."""

    header_bytes: int
    payload_bytes: int
    overhead_bytes: int

    def wire(self, sizes: Floats) -> Floats:
        """Bytes on the wire of messages of `sizes`, same shape."""
        whole = sizes + self.header_bytes
        return np.asarray(whole + np.ceil(whole / self.payload_bytes) * self.overhead_bytes, dtype=np.float64)


@dataclass(frozen=True)
class Wire:
    """A node's link as lone messages see it."""

    framing: Framing | None
    rate_bytes_per_s: float
    """R, of bytes on the wire; without framing, of payload."""
    burst_bytes: float
    """After idleness so many bytes pass at once."""
    store_and_forward: bool = False
    """A switch sends a frame on only when it has the whole of it."""
    alternatives: tuple[Wire, ...] = ()
    """What other draws of the samples would have given."""

    def interval(self, value: str) -> tuple[float, float]:
        """Of 95 %, of `rate_bytes_per_s` or `burst_bytes`."""
        values = [getattr(one, value) for one in self.alternatives] or [getattr(self, value)]
        low, high = np.quantile(values, [0.025, 0.975])
        return float(low), float(high)

    def bytes(self, sizes: Floats) -> Floats:
        """What messages put on the wire."""
        return sizes if self.framing is None else self.framing.wire(sizes)

    def forwarding_s(self, sizes: Floats) -> Floats:
        """What the last frame takes on the second of the two links between nodes."""
        if not self.store_and_forward or self.framing is None:
            return np.zeros(len(sizes))
        frame = self.framing.payload_bytes + self.framing.overhead_bytes
        return np.asarray(np.minimum(self.bytes(sizes), frame) / self.rate_bytes_per_s, dtype=np.float64)

    def waiting(self, sizes: Floats) -> Floats:
        """Bytes that have to go at the rate: beyond the burst."""
        return np.asarray(np.maximum(0.0, self.bytes(sizes) - self.burst_bytes), dtype=np.float64)


def framing_of(results: Results) -> Framing | None:
    """From what network interfaces counted; None for a network that they do not see, or that is no Ethernet."""
    sent: defaultdict[str, dict[int, float]] = defaultdict(dict)
    mtu: dict[str, float] = {}
    ethernet: dict[str, bool] = {}
    for one in results.of("wire"):
        for sample in one.samples:
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


def _framing(counts: dict[int, float], payload: int) -> Framing:
    """The header is the least that a message of few frames had: stray acknowledgements only add to what is counted."""
    frame = _ETHERNET_BYTES + _IP_TCP_BYTES
    headers = [count - size - frame * np.ceil((size + 1) / payload) for size, count in counts.items() if size < 1 << 15]
    return Framing(max(0, round(min(headers, default=0.0))), payload, frame + _ETHERNET_UNSEEN_BYTES)


def acknowledgements_of(results: Results, framing: Framing) -> float | None:
    """Bytes on the wire of acknowledgements for each byte of a large message on the wire."""
    for one in results.of("wire"):
        size = max((sample.bytes for sample in one.samples), default=0)
        back = [sample.value for sample in one.samples if sample.what.startswith("received:")]
        if size >= 1 << 18 and back:
            seen = _ETHERNET_BYTES + _IP_TCP_BYTES
            frames = max(back) / seen
            return float(frames * framing.overhead_bytes / framing.wire(np.array([float(size)]))[0])
    return None


def wire_of(oneway: Curve, framing: Framing | None, asynchronous_limit: float) -> Wire:
    """Rate and burst from lone messages.

    The rate is the slope over the largest sizes. Eager messages that are much longer than the burst then lack it: their
    time is t0 + (wire - burst) / rate, with t0 that of the smallest messages.
    """
    found = wire_at(oneway, framing, asynchronous_limit)
    return replace(found, store_and_forward=found.burst_bytes == 0 and _stores_and_forwards(oneway, found))


def _stores_and_forwards(oneway: Curve, wire: Wire) -> bool:
    """Whether a byte of what fits into one frame takes the time of two: on the way to the switch, and on from there.

    A byte of a longer message takes that of one, because the frames of it are on both links at once.
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


def wire_at(oneway: Curve, framing: Framing | None, asynchronous_limit: float, share: float = UNDISTURBED) -> Wire:
    """With another share of the samples undisturbed; whether switches store and forward is not looked at."""
    none = Wire(framing, 1.0, 0.0)
    sizes, times = oneway.typical(share)
    large = _large(sizes)
    slope = theil_sen(none.bytes(sizes[large]), times[large]).slope
    if slope <= 0:
        raise CalibrationError(_NO_RATE)
    rate = 1.0 / slope
    small = oneway.within(1, 65)
    eager = (sizes >= 4096) & (sizes <= asynchronous_limit)
    if len(small) < 3 or eager.sum() < 3:
        return Wire(framing, rate, 0.0)
    lone = float(np.quantile(small.times, share))
    missing = none.bytes(sizes[eager]) - rate * (times[eager] - lone)
    burst = float(np.median(missing))
    frame = 1500.0 if framing is None else float(framing.payload_bytes + framing.overhead_bytes)
    return Wire(framing, rate, burst if burst > _LEAST_BURST_FRAMES * frame else 0.0)


def memory_of(half: Curve, share: float = UNDISTURBED) -> Wire:
    """A bound of what memory gives one pair of ranks, from the sizes that go fastest: regimes are slower than their wire.

    Unlike a link, memory is fastest for messages of middle size, which fit into caches. Of the time for a byte up to half is
    the receiver's, who copies out what was copied in.
    Raises CalibrationError where no size tells a rate.
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
    """One-way times of lone messages that find processors awake: halves of ping-pongs where those show that.

    In a ping-pong, links with a burst may not have recovered when the next message comes; there, lone messages count,
    less what waking up took them (the difference between both for the smallest messages).
    """
    if wire.burst_bytes <= 0 or len(oneway) == 0:
        return half
    put, time = wire.bytes(half.sizes), half.times
    recovered = (put <= wire.burst_bytes) & (put <= 1.8 * time * wire.rate_bytes_per_s)
    recovered |= time * wire.rate_bytes_per_s >= wire.burst_bytes
    small = [np.quantile(curve.within(1, 65).times, UNDISTURBED) for curve in (oneway, half)]
    quickest = float(half.within(1, 65).times.min())
    low, high = _missing(half.sizes, recovered)
    lone = oneway.within(low, high)
    # What waking took is no fixed time on a busy host: no message is quicker than the quickest small one was.
    awake = np.maximum(lone.times - max(0.0, float(small[0] - small[1])), quickest)
    kept = half.at(recovered)
    both = Curve(np.concatenate([kept.sizes, lone.sizes]), np.concatenate([kept.times, awake]))
    return both.at(np.argsort(both.sizes, kind="stable"))


def _missing(sizes: Floats, there: NDArray[np.bool_]) -> tuple[float, float]:
    """The range of sizes that is not there."""
    gone = sizes[~there]
    return (float(gone.min()), float(gone.max()) + 1) if len(gone) else (0.0, 0.0)
