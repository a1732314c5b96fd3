# SPDX-License-Identifier: BSD-3-Clause
"""Processors that "nodes" share, where these are containers or virtual machines of one host, and the noise of messages."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Fit
from orrery.calibrate.measure import UNDISTURBED, Curve, Experiment, Floats, Layout, Results

_SMALL = 256
"""Bytes: messages whose cost is all handling."""
_LARGE = 1 << 18
_SLOWED = 1.5
"""Pairs of nodes that exchange small messages as quickly together as few do, or nearly so, share no processors."""
_OF_A_FRAME = 0.6
"""Part of the work of a message between ranks that are awake which is that of one frame: a packet takes 7 us where such a
message, in 1.2 packets, takes 11 to 12 (docs/design/calibration.md)."""
_STRETCHES = 10
"""Of a measurement of some 40 ms, so that a stop or an end of single pairs is in one or two of them."""
TOLERABLE_WORK = 0.25
"""Between two quiet calibrations of one cluster the work of a message differs by a tenth."""
_LEAST_NOISE_S = 1e-9
"""Less is the grain of clocks."""
_TAIL = 0.9
_MEAN_OF_TAIL = float(np.log((1 - UNDISTURBED) / (1 - _TAIL)))
"""Between the undisturbed and the 90th percentile of an exponential delay lie so many of its means."""


@dataclass(frozen=True)
class Processors:
    """Processors that all nodes share, and what a message takes of them, in seconds."""

    count: int
    send_work_s: float
    recv_work_s: float
    wake_work_s: float
    """More, where the receiver slept."""
    frame_work_s: float
    """For each further frame."""
    idle_wake_s: float = 0.0
    """Part of the latency: what waking an idle processor takes."""
    seen_work_s: tuple[float, float] = (0.0, 0.0)
    """Least and most of a message, its receiver's waking among it, over the times at which it was measured."""

    @property
    def variation(self) -> float:
        """How much more a message took at one time than at another, relative."""
        least, most = self.seen_work_s
        return most / least - 1.0 if least > 0 else 0.0


@dataclass(frozen=True)
class Noise:
    """Delays of an exponential distribution."""

    handling_s: float
    """Mean delay of a small message."""
    rate_fraction: float
    """Mean lengthening of a large one, relative."""

    @property
    def seen(self) -> bool:
        """Whether there is any."""
        return self.handling_s > _LEAST_NOISE_S


def processors_of(results: Results, layout: Layout, small: Fit) -> Processors | None:
    """From small messages of all nodes at once; None where each node has processors of its own.

    They are measured several times, of which the median counts: programs meet the processors as disturbed as we do. One
    kernel for all nodes is a hint; that pairs slow each other down is the proof. A pair by itself leaves processors idle,
    which then have to wake for each message, and of the fitted latency of `small` messages that is a part: as much as lone
    ones take longer than those of as many pairs as make them quickest.
    """
    loads = sorted(results.of("pingpong", group="load"), key=lambda one: one.keys["pairs"].count("-"))
    if not layout.shared_kernel or not loads or _mean_half(loads[-1]) < _SLOWED * min(map(_mean_half, loads)):
        return None
    # Both leave the processors no idleness. In the ping-pongs every receiver sleeps, in the ring hardly one does.
    all_pairs = loads[-1].keys["pairs"]
    times = np.array(
        [_mean_half(one) for one in results.of("pingpong", pairs=all_pairs, bytes=loads[-1].keys["bytes"])]
    )
    works = layout.processors * times / all_pairs.count("-")
    asleep = _middle(works)
    awake = min(asleep, layout.processors * _ring(results) or _streamed(results, "left"))
    recv = min(awake, _streamed(results, "arrived"))
    lone = small.send_s + small.latency_s + small.recv_s
    busy = min(_typical(one.values("half")) for one in loads)
    return Processors(
        count=layout.processors,
        send_work_s=awake - recv,
        recv_work_s=recv,
        wake_work_s=asleep - awake,
        frame_work_s=_OF_A_FRAME * awake,
        idle_wake_s=float(np.clip(lone - busy, 0.0, small.latency_s)),
        seen_work_s=_range(works),
    )


def _ring(results: Results) -> float:
    """Mean time for each message of rings of small exchanges without a pause; 0 when there were none."""
    return _middle(np.array([_ring_once(one) for one in results.of("flows", name="small_ring")]))


def _ring_once(one: Experiment) -> float:
    each = [
        max(sample.value for sample in one.samples if sample.repetition == repetition)
        / (float(one.keys["count"]) * one.keys["list"].count(">"))
        for repetition in {sample.repetition for sample in one.samples}
    ]
    return float(np.median(each))


def _middle(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _range(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _mean_half(one: Experiment) -> float:
    """Half a round trip, averaged over pairs and stretches of time: pairs take turns, so that most of them look quick most
    of the time. The median stretch counts: real-time ranks are stopped for 50 ms of each second, and those that end last
    are alone.
    """
    times: defaultdict[int, list[float]] = defaultdict(list)
    for sample in one.samples:
        if sample.what == "half":
            times[sample.repetition].append(sample.value)
    means = np.array([np.mean(times[repetition]) for repetition in sorted(times)])
    return float(np.median([np.mean(stretch) for stretch in np.array_split(means, min(_STRETCHES, len(means)))]))


def _streamed(results: Results, what: str) -> float:
    """Time for a small message of many, whose receiver begins when all have arrived: neither side waits or wakes.

    That of the sender is too short where the network holds messages back, which then share packets. How many do differs
    from one time to the next, and so does what a receiver takes for one: the median time counts.
    """
    return _middle(np.array([_streamed_once(one, what) for one in results.of("flows", name="held")]))


def _streamed_once(one: Experiment, what: str) -> float:
    held_s = float(one.keys["hold_us"]) * 1e-6 if what == "arrived" else 0.0
    return max(0.0, (_typical(one.values(what)) - held_s) / float(one.keys["count"]))


def noise_of(half: Curve) -> Noise:
    """From ping-pongs: small ones for the handling, large ones for the rate."""
    small = [
        float(np.quantile(times, _TAIL) - np.quantile(times, UNDISTURBED)) / _MEAN_OF_TAIL
        for _, times in half.within(1, _SMALL).groups()
    ]
    large = [
        float(np.mean(times) / np.quantile(times, UNDISTURBED) - 1.0)
        for _, times in half.within(_LARGE, np.inf).groups()
        if len(times) > 1
    ]
    return Noise(
        handling_s=float(np.median(small)) if small else 0.0,
        rate_fraction=max(0.0, float(np.median(large))) if large else 0.0,
    )


def _typical(times: Floats) -> float:
    return float(np.quantile(times, UNDISTURBED)) if len(times) else 0.0
