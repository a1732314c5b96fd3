# SPDX-License-Identifier: BSD-3-Clause
"""Time-outs of a crowded switch, from messages that many nodes send to one at the same moment.

A switch whose queue overflows drops packets, and who loses the end of a message learns of it by a time-out only. Such a
message is there so much later than those sent with it that it cannot be mistaken: messages are so short that all of them
together take half of the shortest time-out at most (sharing_plan.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire
from orrery.calibrate.measure import LEAST_WAIT_S, UNDISTURBED, Experiment, Results

_SLACK = 1.2
"""Messages at once may take so many times what the link needs for them, with acknowledgements and handling."""
_LEAST_STALLS = 3
"""Fewer may be anything: a loss elsewhere, a process that was stopped."""


@dataclass(frozen=True)
class Timeouts:
    """Which messages wait, as the model has it: those that begin while `flows` others cross the port."""

    wait_s: float
    flows: int
    probability: float
    stalled: int
    """Messages that were seen to wait."""
    exposed: int
    """Messages that began while so many others did."""


@dataclass(frozen=True)
class _Incast:
    senders: int
    repetitions: int
    waits_s: list[float]
    """Of each message that waited: how long."""


def timeouts_of(results: Results, wire: Wire) -> Timeouts | None:
    """None where no number of senders made enough messages wait.

    Of k messages that begin at once the first finds no other, the last k - 1: those from number `flows` on are exposed.
    """
    incasts = sorted((_incast(one, wire) for one in results.of("flows", name="incast")), key=lambda one: one.senders)
    waits = [wait for one in incasts for wait in one.waits_s]
    if len(waits) < _LEAST_STALLS:
        return None
    first = min(one.senders for one in incasts if one.waits_s)
    flows = max((one.senders for one in incasts if one.senders < first), default=1)
    exposed = sum(one.repetitions * (one.senders - flows) for one in incasts if one.senders >= first)
    return Timeouts(
        wait_s=float(np.quantile(waits, UNDISTURBED)),
        flows=flows,
        probability=min(1.0, len(waits) / exposed),
        stalled=len(waits),
        exposed=exposed,
    )


def _incast(one: Experiment, wire: Wire) -> _Incast:
    senders = one.keys["list"].count(">")
    alone_s = float(wire.bytes(np.array([float(one.keys["bytes"])]))[0]) / wire.rate_bytes_per_s
    latest_s = _SLACK * senders * alone_s + LEAST_WAIT_S / 2
    arrivals: defaultdict[int, list[float]] = defaultdict(list)
    for sample in one.samples:
        if sample.what == "arrived":
            arrivals[sample.repetition].append(sample.value)
    # Those that waited come together after it and share the link again.
    waits = []
    for times in arrivals.values():
        late = [time for time in times if time > latest_s]
        waits += [max(LEAST_WAIT_S / 2, time - len(late) * alone_s) for time in late]
    return _Incast(senders, len(arrivals), waits)
