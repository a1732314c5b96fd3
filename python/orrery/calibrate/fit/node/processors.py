# SPDX-License-Identifier: BSD-3-Clause
"""Processors that nodes share if they are containers or virtual machines of one host, and the noise of messages."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Fit
from orrery.calibrate.measure import (
    UNDISTURBED,
    CalibrationExperiment,
    CalibrationResults,
    Curve,
    Floats,
    Layout,
    quantile,
)

_SMALL = 256
"""Bytes: largest message whose time is all handling."""
_LARGE = 1 << 18
_SLOWED = 1.5
"""Slowdown of all pairs of nodes together, relative to few pairs, from which on nodes share processors."""
_OF_A_FRAME = 0.6
"""Work of one frame over the work of a message between ranks that are awake: a packet takes 7 us, and such a message, in 1.2
packets, 11 to 12 us (docs/design/calibration.md)."""
_STRETCHES = 10
"""Number of stretches of a measurement of some 40 ms. A stop of a process, or the end of a pair, is in one or two of them."""
TOLERABLE_WORK = 0.25
"""Between two quiet calibrations of one cluster the work of a message differs by a tenth."""
_LEAST_NOISE_S = 1e-9
"""Smaller values are the resolution of clocks."""
_TAIL = 0.9
_MEAN_OF_TAIL = float(np.log((1 - UNDISTURBED) / (1 - _TAIL)))
"""Distance of the undisturbed quantile and the 90th percentile of an exponential delay, in means of the delay."""


@dataclass(frozen=True)
class SharedProcessors:
    """Processors that all nodes share, and the processor time of a message, in seconds."""

    count: int
    send_work_s: float
    recv_work_s: float
    wake_work_s: float
    """Additional work if the receiver slept."""
    frame_work_s: float
    """Work of each frame but the first."""
    idle_wake_s: float = 0.0
    """Time to wake an idle processor; a part of the fitted latency."""
    slice_s: float | None = None
    """Computation of a rank before the system gives its processor to another; None: not measured."""
    seen_work_s: tuple[float, float] = (0.0, 0.0)
    """Smallest and largest work of a message, with the waking of its receiver, over several measurements."""

    @property
    def variation(self) -> float:
        """Largest over smallest measured work, minus 1."""
        least, most = self.seen_work_s
        return most / least - 1.0 if least > 0 else 0.0


@dataclass(frozen=True)
class Noise:
    """Noise: exponentially distributed delays of messages."""

    handling_s: float
    """Mean delay of a small message."""
    rate_fraction: float
    """Mean lengthening of a large message, relative."""

    @property
    def seen(self) -> bool:
        """Whether there is noise above the resolution of clocks."""
        return self.handling_s > _LEAST_NOISE_S


def processors_of(results: CalibrationResults, layout: Layout, small: Fit) -> SharedProcessors | None:
    """Fit shared processors to small messages of all nodes at the same time; None if each node has its own processors.

    The nodes share processors if they have one kernel and pairs of nodes slow each other down. The measurement is repeated,
    and the median counts, as programs meet the same disturbances. A lone pair leaves processors idle, which must wake for
    each message. The fitted latency of `small` messages includes that time: `idle_wake_s` is the time of a message of a
    lone pair minus the time with the number of pairs that is fastest.
    """
    loads = sorted(results.of("pingpong", group="load"), key=lambda load: load.keys["pairs"].count("-"))
    if not layout.shared_kernel or not loads or _mean_half(loads[-1]) < _SLOWED * min(map(_mean_half, loads)):
        return None
    # Both keep all processors busy. In the ping-pongs every receiver sleeps; in the ring hardly any does.
    all_pairs = loads[-1].keys["pairs"]
    times = np.array(
        [
            _mean_half(experiment)
            for experiment in results.of("pingpong", pairs=all_pairs, bytes=loads[-1].keys["bytes"])
        ]
    )
    works = layout.processors * times / all_pairs.count("-")
    asleep = _middle(works)
    awake = min(asleep, layout.processors * _ring(results) or _streamed(results, "left"))
    recv = min(awake, _streamed(results, "arrived"))
    lone = small.send_s + small.latency_s + small.recv_s
    busy = min(_typical(load.values("half")) for load in loads)
    return SharedProcessors(
        count=layout.processors,
        send_work_s=awake - recv,
        recv_work_s=recv,
        wake_work_s=asleep - awake,
        frame_work_s=_OF_A_FRAME * awake,
        idle_wake_s=float(np.clip(lone - busy, 0.0, small.latency_s)),
        slice_s=_slice(results),
        seen_work_s=_range(works),
    )


def _slice(results: CalibrationResults) -> float | None:
    """Median of the computation of a rank between two interruptions; None if no rank was interrupted twice."""
    found = [experiment.values("slice") for experiment in results.of("slice")]
    return float(np.median(np.concatenate(found))) if any(map(len, found)) else None


def _ring(results: CalibrationResults) -> float:
    """Mean time of a message in rings of small exchanges without a pause; 0 if there were none."""
    return _middle(np.array([_ring_once(experiment) for experiment in results.of("flows", name="small_ring")]))


def _ring_once(experiment: CalibrationExperiment) -> float:
    each = [
        max(sample.value for sample in experiment.samples if sample.repetition == repetition)
        / (float(experiment.keys["count"]) * experiment.keys["list"].count(">"))
        for repetition in {sample.repetition for sample in experiment.samples}
    ]
    return float(np.median(each))


def _middle(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _range(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _mean_half(experiment: CalibrationExperiment) -> float:
    """Half of a round trip in seconds: mean over pairs, median over stretches of time.

    Pairs take turns, so most samples are fast, and only the mean is the load. The median of stretches counts, because ranks
    with real-time priority are stopped for 50 ms in each second, and the last pairs run alone.
    """
    times: defaultdict[int, list[float]] = defaultdict(list)
    for sample in experiment.samples:
        if sample.what == "half":
            times[sample.repetition].append(sample.value)
    means = np.array([np.mean(times[repetition]) for repetition in sorted(times)])
    return float(np.median([np.mean(stretch) for stretch in np.array_split(means, min(_STRETCHES, len(means)))]))


def _streamed(results: CalibrationResults, what: str) -> float:
    """Time of one of many small messages whose receiver begins when all have arrived: no side waits, and none wakes.

    The time of the sender is too short if the network holds messages back, so that several share a packet. Their number
    differs between repetitions, and so does the time of the receiver: the median counts.
    """
    return _middle(np.array([_streamed_once(experiment, what) for experiment in results.of("flows", name="held")]))


def _streamed_once(experiment: CalibrationExperiment, what: str) -> float:
    held_s = float(experiment.keys["hold_us"]) * 1e-6 if what == "arrived" else 0.0
    return max(0.0, (_typical(experiment.values(what)) - held_s) / float(experiment.keys["count"]))


def noise_of(half: Curve) -> Noise:
    """Fit noise to ping-pongs: that of handling to small messages, that of the rate to large ones."""
    small = [
        (quantile(times, _TAIL) - quantile(times, UNDISTURBED)) / _MEAN_OF_TAIL
        for _, times in half.within(1, _SMALL).groups()
    ]
    large = [
        float(np.mean(times)) / quantile(times, UNDISTURBED) - 1.0
        for _, times in half.within(_LARGE, np.inf).groups()
        if len(times) > 1
    ]
    return Noise(
        handling_s=float(np.median(small)) if small else 0.0,
        rate_fraction=max(0.0, float(np.median(large))) if large else 0.0,
    )


def _typical(times: Floats) -> float:
    return quantile(times, UNDISTURBED) if len(times) else 0.0
