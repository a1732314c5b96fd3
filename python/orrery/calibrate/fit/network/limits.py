# SPDX-License-Identifier: BSD-3-Clause
"""Limits of protocols: S_a, the largest asynchronous message, and S_d, the largest detached message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import CalibrationResults, Curve, Floats

_BLOCKED = 0.8
"""A send that took at least this part of the time until its receive was posted has waited for it (as in src/measure/bench/limit.c)."""
_ARRIVED = 0.6
"""A late receive that took less than this part of the one-way time: the message had arrived before."""
_LEAST_EAGER = 64
"""Bytes: no library makes so few wait for their receive. Where receiving takes most of the way of a message, as in memory, how long
it took does not tell whether the message was there, and only its sender does."""
_ALIKE = 0.9
"""S_a and S_d that differ by less are one limit: headers or a disturbed search can make the difference."""


@dataclass(frozen=True)
class ProtocolLimits:
    """Largest sizes in bytes; None if the protocol did not change up to the largest size that was tried."""

    asynchronous: int | None
    """S_a: the data is sent at once, whether or not a receive is posted."""
    detached: int | None
    """S_d >= S_a: the sender goes on without the receiver."""
    tried: int
    """The largest size whose protocol was measured."""


def limits_of(results: CalibrationResults, group: str) -> ProtocolLimits:
    """Find both limits from all probes of the searches and all pings with a late receive.

    One disturbed probe can lead a bisection astray; the limit that the fewest probes contradict is what counts.
    """
    blocked = _blocked(results, group)
    unready = _not_there(results, group)
    tried = max((int(curve.sizes.max()) for curve in (blocked, unready) if len(curve)), default=0)
    detached = _threshold(blocked)
    asynchronous = _threshold(unready)
    if asynchronous is not None and asynchronous < _LEAST_EAGER:
        asynchronous = None
    if detached is not None and (asynchronous is None or asynchronous > _ALIKE * detached):
        asynchronous = detached
    return ProtocolLimits(asynchronous, detached, tried)


def _blocked(results: CalibrationResults, group: str) -> Curve:
    """1 for a send that waited for its receive, 0 for one that did not, over sizes."""
    curve = results.curve("blocked", group)
    return Curve(curve.sizes, (curve.times > _BLOCKED).astype(np.float64))


def _not_there(results: CalibrationResults, group: str) -> Curve:
    """1 for a message that had not arrived when it was received late, 0 for one that had, over sizes."""
    late, way = results.curve("recv_late", group), results.curve("oneway", group)
    if len(late) == 0 or len(way) == 0:
        return late
    sizes, times = way.typical()
    expected = np.exp(np.interp(np.log(np.maximum(late.sizes, 1)), np.log(np.maximum(sizes, 1)), np.log(times)))
    return Curve(late.sizes, (late.times > _ARRIVED * expected).astype(np.float64))


def _threshold(past: Curve) -> int | None:
    """The size with the fewest exceptions from 0 up to it and 1 above it; None if there is no 1, 0 if there is no 0."""
    if len(past) == 0:
        return None
    sizes, ones, zeros = _counts(past)
    # Exceptions if the limit is below all sizes, or at each: ones up to it, zeros above it.
    wrong = np.concatenate([[0.0], np.cumsum(ones)]) + zeros.sum() - np.concatenate([[0.0], np.cumsum(zeros)])
    best = len(wrong) - 1 - int(np.argmin(wrong[::-1]))
    if best == len(sizes):
        return None
    return 0 if best == 0 else int(sizes[best - 1])


def _counts(past: Curve) -> tuple[Floats, Floats, Floats]:
    groups = list(past.groups())
    sizes = np.array([size for size, _ in groups])
    ones = np.array([float(flags.sum()) for _, flags in groups])
    return sizes, ones, np.array([float(len(flags)) for _, flags in groups]) - ones
