# SPDX-License-Identifier: BSD-3-Clause
"""The table `[node]`: what nodes add to the cost of messages: processors, progress, handling. Absent: nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Table

Progress = Literal["always", "in-calls"]


class Processors(Table):
    """Processors that the ranks of all nodes take turns on, as where nodes are containers of one machine."""

    count: Annotated[int, Field(gt=0)]
    """How many."""
    send_work_s: Seconds = 0.0
    """Of a processor, for each message that is sent to another node."""
    recv_work_s: Seconds = 0.0
    """And for each one received, by a receiver that is awake."""
    wake_work_s: Seconds = 0.0
    """Besides, when the receiver slept."""
    idle_wake_s: Seconds = 0.0
    """Part of the latency between nodes: what waking an idle processor takes. A message has it only when its receiver
    sleeps and a processor is idle."""
    frame_work_s: Seconds = 0.0
    """For each frame of a message but its first, while it is on its way; whoever has a processor is held up by it."""
    slice_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.1
    """How long a rank computes before it gives way to those that wait: 0.1 for real-time ranks of Linux (round robin),
    a few milliseconds for others."""


class Node(Table):
    """What nodes add. Each part acts only where it is given."""

    progress: Progress = "always"
    """When a rank sees the RTS of a rendezvous, and its CTS: `always`, or `in-calls` of MPI that wait or test."""
    handling_noise_s: Seconds = 0.0
    """Spread (standard deviation) of the time that handling a message takes at either side, whose mean is the overhead;
    drawn from an exponential distribution with the seed of the run."""
    processors: Processors | None = None
    """Processors that handle the messages of all nodes; needs `[transport.connections]`. Without: each rank has its own."""
