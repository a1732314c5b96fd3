# SPDX-License-Identifier: BSD-3-Clause
"""Regimes from measured curves, for messages between nodes and for messages inside a node."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orrery.calibrate.fit.network.limits import ProtocolLimits, limits_of
from orrery.calibrate.fit.network.regimes import Curves, FittedRegime, fit_regimes
from orrery.calibrate.fit.network.sanity import BimodalPingPong, check_ping_pong, twofold_of
from orrery.calibrate.fit.network.together import with_capacity
from orrery.calibrate.fit.network.wire import Wire, framing_of, memory_of, way_of, wire_of
from orrery.calibrate.measure import CalibrationResults, Curve


@dataclass(frozen=True)
class MessagePath:
    """Messages of one kind: between nodes, or inside one."""

    curves: Curves
    limits: ProtocolLimits
    wire: Wire
    regimes: list[FittedRegime]
    twofold: BimodalPingPong | None = None
    """Sizes whose times fall into two groups."""


def eager_limit(limits: ProtocolLimits, half: Curve) -> float:
    """Largest asynchronous message (S_a), in bytes; the largest measured size if no limit was seen."""
    return float(half.sizes.max() if limits.asynchronous is None else limits.asynchronous)


def network_of(results: CalibrationResults, half: Curve, most: int) -> MessagePath:
    """Between nodes. `half`: halves of ping-pongs; `most`: regimes at most, between two changes of protocol."""
    limits = limits_of(results, "net")
    oneway = results.curve("oneway", "net")
    wire = wire_of(oneway if len(oneway) else half, framing_of(results), eager_limit(limits, half))
    path = _path(results, "net", way_of(half, oneway, wire), limits=limits, wire=wire, most=most)
    return replace(path, twofold=twofold_of(half))


def memory_path_of(results: CalibrationResults, most: int) -> MessagePath | None:
    """Inside a node; None where that was not measured."""
    half = results.curve("half", "memory")
    if len(half) == 0:
        return None
    check_ping_pong(half)
    limits = limits_of(results, "memory")
    wire = memory_of(half)
    path = _path(results, "memory", half, limits=limits, wire=wire, most=most)
    return replace(path, wire=with_capacity(results, wire, path.regimes), twofold=twofold_of(half))


def curves_of(results: CalibrationResults, group: str, way: Curve) -> Curves:
    """The curves to which regimes are fitted."""
    hot = results.curve("send_hot", group)
    send = results.curve("send", group)
    return Curves(
        way=way,
        send=hot if len(hot) else send,
        recv=results.curve("recv_late", group),
        post=results.curve("isend", group),
    )


def _path(
    results: CalibrationResults, group: str, way: Curve, *, limits: ProtocolLimits, wire: Wire, most: int
) -> MessagePath:
    curves = curves_of(results, group, way)
    return MessagePath(curves, limits, wire, fit_regimes(curves, limits, wire, most=most))
