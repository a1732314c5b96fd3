# SPDX-License-Identifier: BSD-3-Clause
"""Retransmission time-outs, from messages that many nodes send to one at the same time (incast).

A switch whose queue overflows drops packets. A sender that loses the end of a message notices it by a time-out only. Such
a message arrives clearly later than the others: the messages are so short that all together take at most half of the
shortest time-out (sharing_plan.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire
from orrery.calibrate.measure import LEAST_WAIT_S, UNDISTURBED, CalibrationExperiment, CalibrationResults

_SLACK = 1.2
"""Factor on the time of the link for simultaneous messages, for acknowledgements and handling."""
_LEAST_STALLS = 3
"""Fewer late messages may have other causes: a loss elsewhere, a process that was stopped."""


@dataclass(frozen=True)
class TimeoutParameters:
    """Parameters of the model: a message that begins while at least `flows` others cross a port waits with `probability`."""

    wait_s: float
    """The retransmission time-out."""
    flows: int
    """Other flows on the port from which on packets are dropped."""
    probability: float
    """In [0, 1]."""
    stalled: int
    """Messages that waited in the measurement."""
    exposed: int
    """Messages in the measurement that began while at least `flows` others crossed the port."""


@dataclass(frozen=True)
class _Incast:
    senders: int
    repetitions: int
    waits_s: list[float]
    """Wait of each message that waited."""


def timeouts_of(results: CalibrationResults, wire: Wire) -> TimeoutParameters | None:
    """Fit the model to the incasts; None if too few messages waited.

    The i-th of k simultaneous messages finds i others on the port, from 0: those with i >= `flows` are exposed.
    """
    incasts = sorted(
        (_incast(experiment, wire) for experiment in results.of("flows", name="incast")),
        key=lambda incast: incast.senders,
    )
    waits = [wait for incast in incasts for wait in incast.waits_s]
    if len(waits) < _LEAST_STALLS:
        return None
    first = min(incast.senders for incast in incasts if incast.waits_s)
    flows = max((incast.senders for incast in incasts if incast.senders < first), default=1)
    exposed = sum(incast.repetitions * (incast.senders - flows) for incast in incasts if incast.senders >= first)
    return TimeoutParameters(
        wait_s=float(np.quantile(waits, UNDISTURBED)),
        flows=flows,
        probability=min(1.0, len(waits) / exposed),
        stalled=len(waits),
        exposed=exposed,
    )


def _incast(experiment: CalibrationExperiment, wire: Wire) -> _Incast:
    senders = experiment.keys["list"].count(">")
    alone_s = float(wire.bytes(np.array([float(experiment.keys["bytes"])]))[0]) / wire.rate_bytes_per_s
    latest_s = _SLACK * senders * alone_s + LEAST_WAIT_S / 2
    arrivals: defaultdict[int, list[float]] = defaultdict(list)
    for sample in experiment.samples:
        if sample.what == "arrived":
            arrivals[sample.repetition].append(sample.value)
    # The messages that waited are sent again at the same time, and share the link again.
    waits = []
    for times in arrivals.values():
        late = [time for time in times if time > latest_s]
        waits += [max(LEAST_WAIT_S / 2, time - len(late) * alone_s) for time in late]
    return _Incast(senders, len(arrivals), waits)
