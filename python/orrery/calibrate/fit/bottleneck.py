# SPDX-License-Identifier: BSD-3-Clause
"""The bottleneck of many simultaneous transfers: links, as the models assume, or processors that nodes share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire
from orrery.calibrate.fit.node import SharedProcessors
from orrery.calibrate.fit.transport import SharingCase

TOLERABLE_SLOWDOWN = 1.1
"""Largest slowdown of simultaneous pairs that share no link. It was 0.99 to 1.02 on 16 namespaces with links as bottleneck."""
TOLERABLE_LOAD = 1 / 3
"""Largest part of the shared processors that handling frames takes if all nodes send at full rate. It is a quarter for 16
namespaces at 50 Mbit/s on two processors, where large messages behave as on a real cluster."""


@dataclass(frozen=True)
class Bottleneck:
    """Evidence for or against links as the bottleneck."""

    pairs: int
    """Largest number of simultaneous pairs that share no link."""
    slowdown: float
    """Time of a transfer with that many pairs over the time of one pair alone."""
    frame_load: float
    """Part of the shared processors that handling frames takes if all nodes send at full rate; 0 if they share none."""

    @property
    def not_links(self) -> bool:
        """Whether something other than links may be the bottleneck."""
        return self.slowdown > TOLERABLE_SLOWDOWN or self.frame_load > TOLERABLE_LOAD


def bottleneck_of(cases: list[SharingCase], processors: SharedProcessors | None, wire: Wire, nodes: int) -> Bottleneck:
    """Evidence from simultaneous large messages of disjoint pairs, and from the processor time of a frame."""
    pings = [case for case in cases if case.name == "pings"]
    most = max((case.transfers for case in pings), default=0)
    slowdowns = [case.slowdown for case in pings if case.transfers == most]
    slowdown = float(np.median(np.concatenate(slowdowns))) if slowdowns else 1.0
    return Bottleneck(most, slowdown, _frame_load(processors, wire, nodes))


def _frame_load(processors: SharedProcessors | None, wire: Wire, nodes: int) -> float:
    if processors is None or wire.framing is None:
        return 0.0
    frame_bytes = wire.framing.payload_bytes + wire.framing.overhead_bytes
    return nodes * wire.rate_bytes_per_s / frame_bytes * processors.frame_work_s / processors.count
