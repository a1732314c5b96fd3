# SPDX-License-Identifier: BSD-3-Clause
"""Whether links are what bounds many transfers at once, as the models have it, or processors that nodes share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network import Wire
from orrery.calibrate.fit.node import Processors
from orrery.calibrate.fit.transport import Case

TOLERABLE_SLOWDOWN = 1.1
"""Of pairs that share no link; seen on 16 namespaces whose links bound them: 0.99 to 1.02."""
TOLERABLE_LOAD = 1 / 3
"""Of shared processors, by frames of all nodes at full rate. Large messages of 16 namespaces at 50 Mbit/s are a cluster's
on two processors, where it is a quarter."""


@dataclass(frozen=True)
class Bottleneck:
    """What stands against links being the bottleneck."""

    pairs: int
    """The most pairs that were measured at once, each on links of its own."""
    slowdown: float
    """Time of one of them over that of one alone."""
    frame_load: float
    """Part of the shared processors that handling frames takes while all nodes send at the full rate; 0: they share none."""

    @property
    def not_links(self) -> bool:
        """Whether something else bounds them, or may do so."""
        return self.slowdown > TOLERABLE_SLOWDOWN or self.frame_load > TOLERABLE_LOAD


def bottleneck_of(cases: list[Case], processors: Processors | None, wire: Wire, nodes: int) -> Bottleneck:
    """From large messages of disjoint pairs at once, and from what a frame takes."""
    pings = [case for case in cases if case.name == "pings"]
    most = max((case.transfers for case in pings), default=0)
    slowdowns = [case.slowdown for case in pings if case.transfers == most]
    slowdown = float(np.median(np.concatenate(slowdowns))) if slowdowns else 1.0
    return Bottleneck(most, slowdown, _frame_load(processors, wire, nodes))


def _frame_load(processors: Processors | None, wire: Wire, nodes: int) -> float:
    if processors is None or wire.framing is None:
        return 0.0
    frame_bytes = wire.framing.payload_bytes + wire.framing.overhead_bytes
    return nodes * wire.rate_bytes_per_s / frame_bytes * processors.frame_work_s / processors.count
