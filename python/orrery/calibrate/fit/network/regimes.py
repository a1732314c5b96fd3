# SPDX-License-Identifier: BSD-3-Clause
"""Regimes of the hybrid model from measured curves: ends, protocols, overheads, latency and rate.

A lone message takes T2 + T3, and of a ping-pong half a round trip too (T1 and T2 overlap). T1 is the time in MPI_Send, T3
that in a receive of what has arrived. T2 = L + (bytes that wait for the link) / B is what is left, less what the last frame takes on the second link where
switches store and forward.
Source: Bédaride and others 2013, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from orrery.calibrate.fit.changes import MedianCurve, change_points
from orrery.calibrate.fit.lines import StraightLine, fit
from orrery.calibrate.fit.network.limits import ProtocolLimits
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.measure import UNDISTURBED, Curve, Floats, quantile
from orrery.platform.tables.network import Protocol

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
LEGS = 3
"""One-way times in a rendezvous: RTS, CTS, data."""
_LEAST_LATENCY_S = 1e-9
MOST_OF_RECEIVE = 0.75
"""Part of the way of a message that receiving it takes at most. One that comes late finds caches cold and processors asleep, and
can take longer than the whole way of one that is awaited; what it has too much is no latency below 0."""
_ALMOST_ALL = 0.9
"""A quantile: the slowest tenth of the samples may be disturbed."""
_LEAST_SHARE = 0.1
"""If the time on the link varies by less than this part of the whole time, it gives no rate."""


@dataclass(frozen=True)
class Curves:
    """Measured times over sizes; see src/measure/bench for what they are."""

    way: Curve
    """One-way times: of lone messages if links have a burst, halves of ping-pongs otherwise."""
    send: Curve
    """Time in MPI_Send when the receiver waits."""
    recv: Curve
    """Time in MPI_Recv for a message that has arrived."""
    post: Curve
    """Time in MPI_Isend: cost of a rendezvous for its sender before it waits."""

    def within(self, low: float, high: float) -> Curves:
        """Sizes in [low, high)."""
        return Curves(*(curve.within(low, high) for curve in (self.way, self.send, self.recv, self.post)))


@dataclass(frozen=True)
class Fit:
    """One regime's values, in seconds and bytes per second."""

    send_s: float
    send_s_per_byte: float
    recv_s: float
    recv_s_per_byte: float
    latency_s: float
    rate_bytes_per_s: float


@dataclass(frozen=True)
class FittedRegime:
    """A range of sizes, [start, end) in bytes; `end` None for the last."""

    start: int
    end: int | None
    protocol: Protocol
    fit: Fit
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """95 % intervals of the values, by their names in `Fit`; from what other draws of the samples give (draws.py)."""
    noise: tuple[float, ...] = ()
    """Quantiles (`QUANTILES`) of measured time over fitted time."""
    sizes: int = 0
    """Number of distinct sizes that were fitted."""


def protocol_of(size: float, limits: ProtocolLimits) -> Protocol:
    """Protocol of messages of `size` bytes."""
    if limits.asynchronous is None or size <= limits.asynchronous:
        return "asynchronous"
    return "detached" if limits.detached is None or size <= limits.detached else "synchronous"


def fit_regimes(curves: Curves, limits: ProtocolLimits, wire: Wire, *, most: int = 8) -> list[FittedRegime]:
    """Split sizes into regimes and fit each.

    Args:
        curves: all measured times.
        limits: sizes at which the protocol changes; they are ends in any case.
        wire: what messages put on the link.
        most: regimes at most, between two changes of protocol.
    """
    largest = float(curves.way.sizes.max())
    known = sorted({float(limit + 1) for limit in (limits.asynchronous, limits.detached) if limit and limit < largest})
    ends = change_points(_series(curves, limits, wire), forced=known, most=most)
    edges = [0.0, *ends, np.inf]
    regimes: list[FittedRegime] = []
    for low, high in pairwise(edges):
        part = curves.within(low, high)
        if len(part.way) == 0:
            continue
        protocol = protocol_of(low if low > 0 else 1.0, limits)
        regimes.append(_regime(part, (low, high), _path(protocol, wire, regimes)))
    return _without_gaps(regimes)


def refit(regimes: Sequence[FittedRegime], curves: Curves, wire: Wire, share: float) -> list[FittedRegime]:
    """Fit regimes anew to other times, of which another share is undisturbed. One without any keeps its values."""
    out: list[FittedRegime] = []
    for regime in regimes:
        part = curves.within(regime.start, np.inf if regime.end is None else regime.end)
        fitted = _fit(part, _path(regime.protocol, wire, out), share) if len(part.way) > 0 else regime.fit
        out.append(replace(regime, fit=fitted))
    return out


def _series(curves: Curves, limits: ProtocolLimits, wire: Wire) -> list[MedianCurve]:
    """The curves that are linear within a regime. Sends that wait for their transfer are not, nor receives that wait."""
    sizes, times = curves.way.typical()
    on_link = wire.waiting(sizes) if wire.burst_bytes > 0 else wire.bytes(sizes)
    out = [MedianCurve(sizes, on_link, times - wire.forwarding_s(sizes))]
    for curve, limit in ((curves.send, limits.detached), (curves.recv, limits.asynchronous)):
        part = curve if limit is None else curve.within(0, limit + 1)
        if len(part) > 0:
            sizes, times = part.typical()
            out.append(MedianCurve(sizes, sizes, times))
    return out


def _without_gaps(regimes: Sequence[FittedRegime]) -> list[FittedRegime]:
    """Each regime begins where its predecessor ends; the first begins at 0, and the last has no end."""
    out = []
    for index, regime in enumerate(regimes):
        end = None if index == len(regimes) - 1 else regimes[index + 1].start
        start = 0 if index == 0 else regime.start
        out.append(replace(regime, start=start, end=end))
    return out


def _legs_s(small: Fit) -> float:
    """Lower bound of the latency of RTS, CTS and data. Times of large messages alone hardly determine it."""
    return LEGS * (small.latency_s + small.recv_s)


@dataclass(frozen=True)
class _Path:
    """Values that are known before a regime is fitted."""

    protocol: Protocol
    wire: Wire
    least_s: float
    """Latency."""


def _path(protocol: Protocol, wire: Wire, smaller: Sequence[FittedRegime]) -> _Path:
    """`smaller`: regimes of smaller messages, which have been fitted."""
    least_s = _LEAST_LATENCY_S if protocol == "asynchronous" or not smaller else _legs_s(smaller[0].fit)
    return _Path(protocol, wire, least_s)


def _regime(part: Curves, span: tuple[float, float], path: _Path) -> FittedRegime:
    fitted = _fit(part, path)
    noise = np.quantile(part.way.times / _way(fitted, part.way.sizes, path.wire), QUANTILES)
    return FittedRegime(
        start=int(span[0]),
        end=None if np.isinf(span[1]) else int(span[1]),
        protocol=path.protocol,
        fit=fitted,
        noise=tuple(float(value) for value in noise),
        sizes=len(np.unique(part.way.sizes)),
    )


def way_s(regimes: Sequence[FittedRegime], sizes: Floats, wire: Wire) -> Floats:
    """Fitted one-way times in seconds, same shape as `sizes`."""
    out = np.zeros(len(sizes))
    for regime in regimes:
        mask = (sizes >= regime.start) & (sizes < (np.inf if regime.end is None else regime.end))
        out[mask] = _way(regime.fit, sizes[mask], wire)
    return out


def _way(fitted: Fit, sizes: Floats, wire: Wire) -> Floats:
    received = fitted.recv_s + fitted.recv_s_per_byte * sizes
    on_links = wire.waiting(sizes) / fitted.rate_bytes_per_s + wire.forwarding_s(sizes)
    return np.asarray(fitted.latency_s + on_links + received, dtype=np.float64)


def _fit(part: Curves, path: _Path, share: float = UNDISTURBED) -> Fit:
    nothing, wire = StraightLine(0.0, 0.0), path.wire
    eager = path.protocol == "asynchronous"
    send = _line(part.post if path.protocol == "synchronous" else part.send, share) or nothing
    sizes, times = part.way.sizes, part.way.times
    recv = _awake(_line(part.recv, share) or nothing, part.way, share) if eager else nothing
    waiting = wire.waiting(sizes)
    # No message is faster than the link: the rest of its time is the latency, and perhaps more time for each byte.
    more = times - recv.at(sizes) - waiting / wire.rate_bytes_per_s - wire.forwarding_s(sizes)
    way = fit(waiting, more, share, scale=times)
    if np.ptp(waiting) / wire.rate_bytes_per_s < _LEAST_SHARE * float(np.median(times)):
        way = StraightLine(max(0.0, quantile(more, share)), 0.0)
    return Fit(
        send_s=send.base,
        send_s_per_byte=send.slope,
        recv_s=recv.base,
        recv_s_per_byte=recv.slope,
        latency_s=max(way.base, path.least_s),
        rate_bytes_per_s=1.0 / (1.0 / wire.rate_bytes_per_s + way.slope),
    )


def _awake(recv: StraightLine, way: Curve, share: float) -> StraightLine:
    """The line through late receives, limited to what can be part of the one-way time."""
    sizes, times = way.typical(share)
    excess = receive_share(recv.at(sizes), times) / MOST_OF_RECEIVE
    return StraightLine(recv.base / excess, recv.slope / excess) if excess > 1 else recv


def receive_share(receives: Floats, ways: Floats) -> float:
    """Part of the one-way time that receives take: almost the largest over sizes. Both in seconds, for the same sizes."""
    return quantile(receives / ways, _ALMOST_ALL)


def _line(curve: Curve, share: float) -> StraightLine | None:
    """Level where what its bytes would make of a call is less than what calls differ by anyway: a few sizes of a few bytes
    do not tell what a byte costs.
    """
    if len(curve) == 0:
        return None
    line = fit(curve.sizes, curve.times, share)
    differ_s = float(np.median(np.abs(curve.times - line.at(curve.sizes))))
    if line.slope * float(np.ptp(curve.sizes)) < differ_s:
        return StraightLine(quantile(curve.times, share), 0.0)
    return line
