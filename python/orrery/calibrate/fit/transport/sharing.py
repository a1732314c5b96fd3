# SPDX-License-Identifier: BSD-3-Clause
"""Slowdowns of simultaneous transfers relative to the same transfer alone, and the parameters that follow from them.

All repetitions are kept; no distribution is assumed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire, acknowledgements_of
from orrery.calibrate.measure import CalibrationExperiment, CalibrationResults, Floats

_ONE_AFTER_THE_OTHER = 1.5
"""Slowdown above which an exchange was half duplex: 1 is full duplex, 2 is one direction after the other."""
_SMALL = {"stream", "held", "small_ring"}
"""Cases with small messages: their times depend on handling, not on links (processors.py)."""
_LEAST_SHARE = 0.1
"""Smallest `later_share` to look for; with less, messages leave almost in the order in which they were written."""
_IN_EACH_PASS = {"fan"}
"""Cases that other nodes repeat in each pass. They serve one parameter, `later_share`, and are not reported."""
_SLIGHT = 1.06
"""Slowdown below which acknowledgements explain it; above, the node has a limiter."""


@dataclass(frozen=True)
class SharingCase:
    """Simultaneous transfers: time until the last has arrived over the time of one alone, for each repetition."""

    name: str
    transfers: int
    bytes: int
    slowdown: Floats
    late_us: int = 0
    """Microseconds by which all transfers but the first began later; their times are counted from then."""

    @property
    def delay(self) -> str:
        """The delay as a suffix of keys and labels; empty for none."""
        return f".{self.late_us}us" if self.late_us else ""


@dataclass(frozen=True)
class SharingParameters:
    """Parameters that only measurements of several simultaneous messages give."""

    cases: list[SharingCase]
    limiter_factor: float
    """Rate of both directions of a node's link together over the rate of one direction, in [1, 2]; 2: no limiter."""
    limiter_interval: tuple[float, float]
    half_duplex_share: float
    """Part of the exchanges between two processes by blocking calls that were half duplex, in [0, 1]."""
    grants_wait: bool
    """Whether an exchange is half duplex when the late process is inside MPI, as in a collective: its CTS waits for data."""
    ack_fraction: float
    """Bytes of acknowledgements for each byte of data that a node receives, both on the wire."""
    ack_interval: tuple[float, float]
    """From the counters of interfaces to the slowdown of rings, two measurements of `ack_fraction`."""
    queue_bytes: float
    """Depth of the queue in front of a link; 0: none was seen."""
    later_share: float = 1.0
    """Rate of each queued message of a node relative to its predecessor, in (0, 1]."""


def cases_of(results: CalibrationResults, wire: Wire) -> list[SharingCase]:
    """All experiments with several simultaneous transfers, in the order of the plan."""
    cases = []
    alone_s: dict[int, float] = {}
    for experiment in results.of("flows", group="share"):
        size = int(experiment.keys["bytes"])
        if size not in alone_s:
            alone_s[size] = _alone(results, size, wire)
        ends = _last_arrivals(experiment)
        if experiment.keys["name"] not in _SMALL | _IN_EACH_PASS and len(ends):
            late_us = int(experiment.keys.get("late_us", "0"))
            cases.append(
                SharingCase(
                    experiment.keys["name"], experiment.keys["list"].count(">"), size, ends / alone_s[size], late_us
                )
            )
    return cases


def _last_arrivals(experiment: CalibrationExperiment) -> Floats:
    """Time at which the last transfer of each repetition arrived, in seconds; shape (repetitions,)."""
    late_s = float(experiment.keys.get("late_us", "0")) * 1e-6
    ends: defaultdict[int, float] = defaultdict(float)
    for sample in experiment.samples:
        if sample.what == "arrived":
            ends[sample.repetition] = max(ends[sample.repetition], sample.value - late_s)
    return np.array([ends[repetition] for repetition in sorted(ends)])


def _alone(results: CalibrationResults, size: int, wire: Wire) -> float:
    """Time of a lone transfer in seconds: as measured, or else computed from the rate of the link."""
    for experiment in results.of("flows", name="alone", bytes=str(size)):
        return float(np.median(_last_arrivals(experiment)))
    return float(wire.waiting(np.array([float(size)]))[0] / wire.rate_bytes_per_s)


def sharing_of(results: CalibrationResults, wire: Wire) -> SharingParameters:
    """Fit all parameters of `SharingParameters`.

    Args:
        results: samples of the whole calibration.
        wire: framing, rate and burst of a node's link.
    """
    cases = cases_of(results, wire)
    middles = _middles(cases)
    factor, interval, slowdown = _limiter(middles)
    fraction = _acknowledgements(results, wire, slowdown)
    exchanges = [case.slowdown for case in cases if case.name in {"sendrecv_pair", "sendrecv_pairs"}]
    late = [case.slowdown for case in cases if case.name == "sendrecv_late_inside"]
    queue_bytes = _queue(results, wire)
    return SharingParameters(
        cases=cases,
        limiter_factor=factor,
        limiter_interval=interval,
        half_duplex_share=_share_above(exchanges),
        grants_wait=_share_above(late) > 0.5,
        ack_fraction=fraction,
        ack_interval=_ack_interval(fraction, slowdown, middles),
        queue_bytes=queue_bytes,
        later_share=_later_share(results, wire, queue_bytes),
    )


def _share_above(slowdowns: list[Floats]) -> float:
    return float(np.mean(np.concatenate(slowdowns) > _ONE_AFTER_THE_OTHER)) if slowdowns else 0.0


def _middles(cases: list[SharingCase]) -> Floats:
    """Slowdown of nodes that send to one node and receive from another, a value for each experiment.

    Exchanges of a single pair do not count, as the pair itself may limit them.
    """
    names = ("through", "sendrecv_ring3", "sendrecv_ring")
    chosen = [case.slowdown for case in cases if case.name in names] or [
        case.slowdown for case in cases if case.name == "duplex"
    ]
    # In a ring of many nodes a disturbance is likely, so the median of the faster half of the repetitions counts.
    return np.array([float(np.median(np.sort(slowdown)[: max(1, (len(slowdown) + 1) // 2)])) for slowdown in chosen])


def _limiter(middles: Floats) -> tuple[float, tuple[float, float], float]:
    """The limiter factor, its interval, and the median slowdown."""
    if len(middles) == 0:
        return 2.0, (1.0, 2.0), 1.0
    slowdown = float(np.median(middles))
    if slowdown < _SLIGHT:
        return 2.0, (_factor(float(middles.max())), 2.0), slowdown
    return _factor(slowdown), (_factor(float(middles.max())), _factor(float(middles.min()))), slowdown


def _factor(slowdown: float) -> float:
    return float(np.clip(2.0 / slowdown, 1.0, 2.0))


def _acknowledgements(results: CalibrationResults, wire: Wire, slowdown: float) -> float:
    """`ack_fraction`: from the slowdown of rings if that is slight, at most one acknowledgement for two frames; else counted."""
    if wire.framing is None:
        return 0.0
    counted = acknowledgements_of(results, wire.framing) or 0.0
    every_second = wire.framing.overhead_bytes / 2 / (wire.framing.payload_bytes + wire.framing.overhead_bytes)
    if slowdown >= _SLIGHT:
        return counted
    return float(np.clip(slowdown - 1.0, counted, max(counted, every_second)))


def _ack_interval(fraction: float, slowdown: float, middles: Floats) -> tuple[float, float]:
    """Interval of `ack_fraction`. If rings are slower than acknowledgements explain, they give no interval."""
    if fraction == 0.0 or slowdown >= _SLIGHT or len(middles) == 0:
        return fraction, fraction
    return min(fraction, float(middles.min()) - 1.0), max(fraction, float(middles.max()) - 1.0)


def _queue(results: CalibrationResults, wire: Wire) -> float:
    """Bytes of a large message that a small message on the same link waits for."""
    loaded = [experiment.values("half_loaded") for experiment in results.of("queue")]
    lone = [sample.value for sample in results.samples("half", "load")]
    if not loaded or not lone:
        return 0.0
    delay = 2 * (float(np.median([np.median(values) for values in loaded])) - float(np.quantile(lone, 0.25)))
    return max(0.0, delay * wire.rate_bytes_per_s)


def _later_share(results: CalibrationResults, wire: Wire, queue_bytes: float) -> float:
    """`later_share`, from the times at which the first and the last of several messages of one node arrived.

    Let the messages have equal sizes, and the rates 1, s, s², s³ relative to the first. When the first has been sent,
    1 + s + s² + s³ times its bytes have been sent. The order counts for as many messages as the queue has room for; later
    ones have the rate of the last of these (src/transport/switch_queue.hpp). Median over experiments; 1 where there are none.
    """
    found = []
    for experiment in results.of("flows", name="fan"):
        count, size = experiment.keys["list"].count(">"), float(experiment.keys["bytes"])
        first = experiment.keys["list"].split(",")[0].split(">")[1]
        bytes_alone = float(wire.bytes(np.array([size]))[0])
        lasts = _last_arrivals(experiment)
        firsts = [
            sample.value for sample in experiment.samples if sample.what == "arrived" and sample.target == int(first)
        ]
        if len(lasts) and firsts:
            apart = (float(np.median(lasts)) - float(np.median(firsts))) * wire.rate_bytes_per_s
            room = int(np.ceil(queue_bytes / bytes_alone)) if queue_bytes else count
            found.append(_share_with(count - apart / bytes_alone, count, room))
    return float(np.median(found)) if found else 1.0


def _share_with(messages: float, count: int, room: int) -> float:
    """Rate of each queued message relative to its predecessor, in [0.1, 1].

    Args:
        messages: bytes sent when the first message has been sent, in sizes of a message.
        count: number of messages.
        room: number of messages that the queue has room for.
    """
    shares = np.linspace(_LEAST_SHARE, 1.0, 200)
    places = np.minimum(np.arange(count), room)
    return float(np.interp(messages, np.sum(shares ** places[:, None], axis=0), shares))
