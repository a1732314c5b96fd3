# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with simultaneous messages that share a node, a cabinet's uplink, a queue or processors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.calibrate.measure import experiments as do
from orrery.calibrate.measure.experiments import Pair, PlanLine
from orrery.calibrate.measure.speed import Speed

LEAST_WAIT_S = 0.2
"""Smallest retransmission time-out of Linux in seconds (TCP_RTO_MIN)."""
_LARGE = 1 << 20
"""Bytes: large enough that only the share of the bandwidth counts."""
_DUPLEX = 1 << 18
"""Bytes of messages that show whether an exchange is half or full duplex."""
_SMALL_REPS = 300
_STREAM = 200
"""Messages of a stream of small messages."""
_WORK_S = 10e-6
"""Assumed processor time of a small message, to estimate durations if all nodes share one or two processors."""
_INCAST_REPS = 10
_LEAST_INCAST = 1 << 13
"""Bytes: shorter messages have only a few frames, and a switch queue has room for many of them."""
_FAN = 4
"""Number of receivers of a fan."""
_FANNED = 1 << 14
"""Bytes of each message of a fan: several frames, below the usual eager limits."""
_FAN_REPS = 8
_HOLD_S = 0.05
"""Seconds until the receiver of a `held` stream begins: by then, all messages have arrived."""


def sharing(nodes: Sequence[int], groups: Sequence[Sequence[int]], speed: Speed, budget_s: float) -> list[PlanLine]:
    """All these experiments once, with sizes and repetitions that take less than a third of the budget, if possible.

    Args:
        nodes: one rank of each node.
        groups: the same ranks by cabinet or site.
        speed: estimate of message times.
        budget_s: seconds for the whole calibration.
    """
    size = _LARGE
    while size < (4 << 20) and speed.time(2 * size) < budget_s / 1000:
        size *= 2
    for bytes_, reps in ((size, 8), (size, 5), (size, 3), (size, 2), (size >> 1, 2), (size >> 2, 2)):
        lines = [
            *_groups(groups, bytes_, speed, reps),
            *_pairs(nodes, bytes_, speed, reps),
            *_many(nodes, bytes_, speed, reps),
            *incasts(nodes, speed),
            *_small(nodes, speed, reps),
        ]
        if sum(line.seconds for line in lines) < budget_s / 3:
            break
    return lines


def _pairs(nodes: Sequence[int], size: int, speed: Speed, reps: int) -> Iterator[PlanLine]:
    """One pair of ranks: one direction, both directions at once, and blocking exchanges, also with one rank late."""
    a, b = nodes[0], nodes[1]
    time = speed.time(size)
    both = [(a, b), (b, a)]
    yield do.flows("alone", [(a, b)], size, reps, time)
    yield do.flows("duplex", both, size, reps, 2 * time)
    for bytes_ in sorted({_DUPLEX, size}):
        yield do.flows("sendrecv_pair", both, bytes_, 2 * reps, 2 * speed.time(bytes_), call="sendrecv")
    time = speed.time(_DUPLEX)
    for late_us in sorted({int(1e6 * max(300e-6, 4 * speed.time(1))), int(1e5 * time)}):
        for name, inside in (("sendrecv_late", 0), ("sendrecv_late_inside", 1)):
            more = {"late_us": late_us, "inside": inside}
            yield do.flows(name, both, _DUPLEX, 2 * reps, 2 * time, call="sendrecv", group="share", **more)


def _ring(nodes: Sequence[int]) -> list[Pair]:
    return [(node, nodes[(index + 1) % len(nodes)]) for index, node in enumerate(nodes)]


def _disjoint(nodes: Sequence[int], pairs: int) -> list[Pair]:
    return [(nodes[2 * index], nodes[2 * index + 1]) for index in range(pairs)]


def _many(nodes: Sequence[int], size: int, speed: Speed, reps: int) -> Iterator[PlanLine]:
    """Nodes that send and receive at once, several senders or receivers, rings, and pairs that share no link."""
    time = speed.time(size)
    if len(nodes) >= 3:
        a, b, c = nodes[:3]
        yield do.flows("through", [(a, b), (b, c)], size, reps, time)
        yield do.flows("sendrecv_ring3", _ring(nodes[:3]), size, reps, time, call="sendrecv")
        yield do.flows("one_to_two", [(a, b), (a, c)], size, reps, 2 * time)
        yield do.flows("two_to_one", [(a, c), (b, c)], size, reps, 2 * time)
        yield queue(nodes, 2 * size, speed, reps)
    if len(nodes) >= 4:
        yield do.flows("sendrecv_ring", _ring(nodes), size, reps, time, call="sendrecv")
        count = 2
        while count <= len(nodes) // 2:
            pairs = _disjoint(nodes, count)
            yield do.flows("pings", pairs, size, max(2, reps // 2), time, call="send")
            both = [*pairs, *((b, a) for a, b in pairs)]
            yield do.flows("sendrecv_pairs", both, size, max(2, reps // 2), 2 * time, call="sendrecv")
            count *= 2


def queue(nodes: Sequence[int], size: int, speed: Speed, reps: int = 2) -> PlanLine:
    """Small messages between the first and the third node, while the first sends a large one to the second."""
    a, b, c = nodes[:3]
    time = speed.time(size) / 2
    return do.plain(
        "queue", reps * (time * 4 + 0.03), group="queue", a=a, b=b, c=c, bytes=size, reps=reps, pings=12,
        pause_us=int(time * 1e5),
    )  # fmt: skip


def fan(nodes: Sequence[int], speed: Speed) -> PlanLine:
    """Messages of one node to several others, sent one right after the other: their arrivals show how its queue serves them."""
    flows = [(nodes[0], node) for node in nodes[1 : 1 + _FAN]]
    return do.flows("fan", flows, _FANNED, _FAN_REPS, len(flows) * speed.time(_FANNED))


def incasts(nodes: Sequence[int], speed: Speed) -> Iterator[PlanLine]:
    """Simultaneous messages of 2, 4, 8, ... nodes to one (incast): shows whether the queue of the switch overflows.

    All messages together take at most half of a retransmission time-out, so a message that waited for one is clearly late.
    """
    senders, target = list(nodes[1:]), nodes[0]
    counts = {count for count in (2, 4, 8, 16, 32, 64) if count < len(senders)} | {len(senders)}
    for count in sorted(counts):
        size = min(_LARGE, speed.size_of(LEAST_WAIT_S / 2 / count))
        if count > 1 and size >= _LEAST_INCAST:
            flows = [(sender, target) for sender in senders[:count]]
            yield do.flows("incast", flows, size, _INCAST_REPS, LEAST_WAIT_S / 2)


def _groups(groups: Sequence[Sequence[int]], size: int, speed: Speed, reps: int) -> Iterator[PlanLine]:
    """Transfers between two cabinets or sites: in one direction by an increasing number of pairs, then in both directions."""
    if len(groups) < 2:
        return
    here, there = groups[0], groups[1]
    most = min(len(here), len(there))
    time = speed.time(size)
    for count in sorted({1, 2, max(1, most // 2), most}):
        pairs = list(zip(here[:count], there[:count], strict=True))
        yield do.flows("across", pairs, size, reps, time * count, groups=2)
    pairs = list(zip(here[:most], there[:most], strict=True))
    # An exchange between two ranks may be half duplex, so each pair sends in one direction only.
    half = most // 2 or 1
    both = [*pairs[:half], *((b, a) for a, b in (pairs[half : 2 * half] or pairs))]
    yield do.flows("across_both", both, size, reps, time * half, groups=2)


def apart(groups: Sequence[Sequence[int]], speed: Speed) -> list[PlanLine]:
    """Ping-pongs between two cabinets or sites. Without their latency, no message between them can be predicted."""
    if len(groups) < 2:
        return []
    return [do.pingpong([(groups[0][0], groups[1][0])], bytes_, 20, speed, group="across") for bytes_ in (1, 4096)]


def bridge(groups: Sequence[Sequence[int]], speed: Speed) -> list[PlanLine]:
    """Ping-pongs between two virtual machines of the first host. All other pairs are between hosts."""
    if len(groups) < 2 or len(groups[0]) < 2:
        return []
    return [do.pingpong([(groups[0][0], groups[0][1])], bytes_, 20, speed, group="bridge") for bytes_ in (1, 4096)]


def work(nodes: Sequence[int], speed: Speed) -> Iterator[PlanLine]:
    """Processor time of small messages if all nodes share processors. It is repeated because the load of the host varies.

    The stream uses the last two nodes only, because it makes the queue of its connection longer for all later messages.
    """
    largest = 1
    while 2 * largest <= len(nodes) // 2:
        largest *= 2
    yield _load(_disjoint(nodes, largest), speed, group="work")
    yield from _small_ring(nodes, speed, 1)
    yield _held((nodes[-2], nodes[-1]), 1)


def _load(pairs: Sequence[Pair], speed: Speed, group: str = "load") -> PlanLine:
    return do.pingpong(pairs, 1, _SMALL_REPS, speed, group=group)


def _small_ring(nodes: Sequence[int], speed: Speed, reps: int = 3) -> Iterator[PlanLine]:
    if len(nodes) > 2:
        seconds = _SMALL_REPS * (speed.time(1) + _WORK_S * len(nodes))
        yield do.flows("small_ring", _ring(nodes), 1, reps, seconds, call="sendrecv", count=_SMALL_REPS)


def _held(pair: Pair, reps: int) -> PlanLine:
    return do.flows("held", [pair], 1, reps, _HOLD_S, call="send", count=_STREAM, hold_us=int(_HOLD_S * 1e6))


def _small(nodes: Sequence[int], speed: Speed, reps: int) -> Iterator[PlanLine]:
    """Simultaneous small messages; bytes on the wire for each message; overlap of transfers and computation."""
    a, b = nodes[0], nodes[1]
    count = 1
    while count <= len(nodes) // 2:
        yield _load(_disjoint(nodes, count), speed)
        yield do.flows("stream", _disjoint(nodes, count), 1, 3, _STREAM * speed.time(1), count=_STREAM)
        count *= 2
    yield from _small_ring(nodes, speed)
    yield _held((a, b), 5)
    for bytes_, messages in ((1, 20), (10_000, 10), (1 << 20, 3)):
        seconds = messages * (speed.time(bytes_) + 0.001) + 0.1
        yield do.plain("wire", seconds, group="wire", a=a, b=b, bytes=bytes_, count=messages)
    for bytes_ in (1 << 15, _LARGE):
        seconds = reps * 4 * speed.time(bytes_)
        yield do.plain("overlap", seconds, group="overlap", a=a, b=b, bytes=bytes_, reps=reps)
