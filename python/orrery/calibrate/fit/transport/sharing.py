# SPDX-License-Identifier: BSD-3-Clause
"""What transfers do to each other, as ratios to the same transfer alone; the distribution is kept, nothing is assumed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire, acknowledgements_of
from orrery.calibrate.measure import Experiment, Floats, Results

_ONE_AFTER_THE_OTHER = 1.5
"""An exchange that takes more than this, times one direction alone, went one direction after the other."""
_SMALL = {"stream", "held", "small_ring"}
"""Cases of small messages tell about handling, not about links; see processors.py."""
_LEAST_SHARE = 0.1
"""With less what is written first is first out, more or less."""
_IN_EACH_PASS = {"fan"}
"""For one parameter, between other nodes each time."""
_WELL_ABOVE = 1.5
"""Times the eager limit: a message of which none has left before its receiver grants it."""
_SLIGHT = 1.06
"""Less than this is acknowledgements, not a limit of the node."""


@dataclass(frozen=True)
class Case:
    """Transfers at once: the time until the last has arrived, over that of one alone; a value for each repetition."""

    name: str
    transfers: int
    bytes: int
    slowdown: Floats
    late_us: int = 0
    """So much later all transfers but the first began; the time is counted from there."""

    @property
    def delay(self) -> str:
        """For keys and labels."""
        return f".{self.late_us}us" if self.late_us else ""


@dataclass(frozen=True)
class Sharing:
    """Parameters that only show when several messages are under way."""

    cases: list[Case]
    limiter_factor: float
    """What both directions of a node reach together, in units of one: 1 to 2."""
    limiter_interval: tuple[float, float]
    half_duplex_share: float
    """Of exchanges between two processes by blocking calls: the part that went one direction after the other."""
    grants_wait: bool
    """Whether an exchange goes one direction after the other when the late process is inside MPI, as in a collective."""
    ack_fraction: float
    ack_interval: tuple[float, float]
    """From what interfaces counted to what rings were slowed by: two ways to the same."""
    queue_bytes: float
    send_buffer_bytes: float
    later_share: float = 1.0
    """Of messages that a node writes one after the other: the rate of each over that of the one before it."""


def cases_of(results: Results, wire: Wire) -> list[Case]:
    """All experiments with several transfers, in the order of the plan."""
    cases = []
    for one in results.of("flows", group="share"):
        size = int(one.keys["bytes"])
        alone = _alone(results, size, wire)
        ends = _last_arrivals(one)
        if one.keys["name"] not in _SMALL | _IN_EACH_PASS and len(ends):
            late_us = int(one.keys.get("late_us", "0"))
            cases.append(Case(one.keys["name"], one.keys["list"].count(">"), size, ends / alone, late_us))
    return cases


def _last_arrivals(one: Experiment) -> Floats:
    """For each repetition, when the last transfer was there."""
    late_s = float(one.keys.get("late_us", "0")) * 1e-6
    ends: defaultdict[int, float] = defaultdict(float)
    for sample in one.samples:
        if sample.what == "arrived":
            ends[sample.repetition] = max(ends[sample.repetition], sample.value - late_s)
    return np.array([ends[repetition] for repetition in sorted(ends)])


def _alone(results: Results, size: int, wire: Wire) -> float:
    """Time of one transfer: measured where it was, otherwise what the link needs."""
    for one in results.of("flows", name="alone", bytes=str(size)):
        return float(np.median(_last_arrivals(one)))
    return float(wire.waiting(np.array([float(size)]))[0] / wire.rate_bytes_per_s)


def sharing_of(results: Results, wire: Wire, asynchronous_limit: float) -> Sharing:
    """All of them."""
    cases = cases_of(results, wire)
    middles = _middles(cases)
    factor, interval, slowdown = _limiter(middles)
    fraction = _acknowledgements(results, wire, slowdown)
    exchanges = [case.slowdown for case in cases if case.name in {"sendrecv_pair", "sendrecv_pairs"}]
    late = [case.slowdown for case in cases if case.name == "sendrecv_late_inside"]
    queue_bytes = _queue(results, wire)
    return Sharing(
        cases=cases,
        limiter_factor=factor,
        limiter_interval=interval,
        half_duplex_share=_share_above(exchanges),
        grants_wait=_share_above(late) > 0.5,
        ack_fraction=fraction,
        ack_interval=_ack_interval(fraction, slowdown, middles),
        queue_bytes=queue_bytes,
        send_buffer_bytes=_send_buffer(results, wire, asynchronous_limit),
        later_share=_later_share(results, wire, queue_bytes),
    )


def _share_above(slowdowns: list[Floats]) -> float:
    return float(np.mean(np.concatenate(slowdowns) > _ONE_AFTER_THE_OTHER)) if slowdowns else 0.0


def _middles(cases: list[Case]) -> Floats:
    """Slowdowns of nodes that send to one and receive from another, one for each experiment.

    Not from exchanges of one pair: what limits those may be the pair.
    """
    names = ("through", "sendrecv_ring3", "sendrecv_ring")
    chosen = [case.slowdown for case in cases if case.name in names] or [
        case.slowdown for case in cases if case.name == "duplex"
    ]
    # The rings of many nodes have many chances for a disturbance, so the middle of each experiment's best half counts.
    return np.array([float(np.median(np.sort(one)[: max(1, (len(one) + 1) // 2)])) for one in chosen])


def _limiter(middles: Floats) -> tuple[float, tuple[float, float], float]:
    """Factor, its interval, and the slowdown."""
    if len(middles) == 0:
        return 2.0, (1.0, 2.0), 1.0
    slowdown = float(np.median(middles))
    if slowdown < _SLIGHT:
        return 2.0, (_factor(float(middles.max())), 2.0), slowdown
    return _factor(slowdown), (_factor(float(middles.max())), _factor(float(middles.min()))), slowdown


def _factor(slowdown: float) -> float:
    return float(np.clip(2.0 / slowdown, 1.0, 2.0))


def _acknowledgements(results: Results, wire: Wire, slowdown: float) -> float:
    """How much of the way back a transfer uses: what slows a ring, at most two frames' share; else what was counted."""
    if wire.framing is None:
        return 0.0
    counted = acknowledgements_of(results, wire.framing) or 0.0
    every_second = wire.framing.overhead_bytes / 2 / (wire.framing.payload_bytes + wire.framing.overhead_bytes)
    if slowdown >= _SLIGHT:
        return counted
    return float(np.clip(slowdown - 1.0, counted, max(counted, every_second)))


def _ack_interval(fraction: float, slowdown: float, middles: Floats) -> tuple[float, float]:
    """Where rings are slowed by more than acknowledgements, they tell nothing of these."""
    if fraction == 0.0 or slowdown >= _SLIGHT or len(middles) == 0:
        return fraction, fraction
    return min(fraction, float(middles.min()) - 1.0), max(fraction, float(middles.max()) - 1.0)


def _queue(results: Results, wire: Wire) -> float:
    """Bytes that stand before a small message whose link a large one uses."""
    loaded = [one.values("half_loaded") for one in results.of("queue")]
    lone = [sample.value for sample in results.samples("half", "load")]
    if not loaded or not lone:
        return 0.0
    delay = 2 * (float(np.median([np.median(one) for one in loaded])) - float(np.quantile(lone, 0.25)))
    return max(0.0, delay * wire.rate_bytes_per_s)


def _later_share(results: Results, wire: Wire, queue_bytes: float) -> float:
    """From when the first of several messages of one node was there, over when all were.

    With shares s, s², s³ of that of the first message, that one is out when 1 + s + s² + s³ times its own bytes are. The
    queue in front of the link keeps the order of as many as it has room for (src/network/passages.hpp): what comes
    behind has the share of the last of them.
    """
    found = []
    for one in results.of("flows", name="fan"):
        count, size = one.keys["list"].count(">"), float(one.keys["bytes"])
        first = one.keys["list"].split(",")[0].split(">")[1]
        bytes_alone = float(wire.bytes(np.array([size]))[0])
        lasts = _last_arrivals(one)
        firsts = [sample.value for sample in one.samples if sample.what == "arrived" and sample.target == int(first)]
        if len(lasts) and firsts:
            apart = (float(np.median(lasts)) - float(np.median(firsts))) * wire.rate_bytes_per_s
            room = int(np.ceil(queue_bytes / bytes_alone)) if queue_bytes else count
            found.append(_share_with(count - apart / bytes_alone, count, room))
    return float(np.median(found)) if found else 1.0


def _share_with(messages: float, count: int, room: int) -> float:
    """The share of each of `count` after the one before it with which so many messages are out when the first is, if
    `room` of them fit into the queue.
    """
    shares = np.linspace(_LEAST_SHARE, 1.0, 200)
    places = np.minimum(np.arange(count), room)
    return float(np.interp(messages, np.sum(shares ** places[:, None], axis=0), shares))


def _send_buffer(results: Results, wire: Wire, asynchronous_limit: float) -> float:
    """Bytes of a large message that are still to go when MPI_Send returns, on a connection that has carried few."""
    early = [
        way - sent
        for one in results.of("ping", group="young")
        if int(one.keys["bytes"]) > _WELL_ABOVE * asynchronous_limit
        for way, sent in zip(one.values("oneway"), one.values("send"), strict=True)
    ]
    if not early:
        return 0.0
    held = float(np.median(early)) * wire.rate_bytes_per_s
    frame = 1500 if wire.framing is None else wire.framing.payload_bytes
    return held if held > 2 * frame else 0.0
