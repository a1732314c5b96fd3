# SPDX-License-Identifier: BSD-3-Clause
"""The table `[node]`: what nodes add to the cost of messages: processors, progress, handling. Absent: nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Table
from orrery.platform.tables.remarks import CalibrationSource, Code, Needs

Progress = Literal["always", "in-calls"]

_STREAM = CalibrationSource("a stream of small messages whose receiver begins when all are there")
_RING = CalibrationSource("a ring of small MPI_Sendrecv, in which hardly a receiver sleeps")
_FIXED_WORK = CalibrationSource("the same work again and again: by how much it takes longer, and how often")
_PAUSES = CalibrationSource("short pauses: by how much they are longer than asked for")


class Processors(Table):
    """Processors on which the ranks of all nodes take turns, as where nodes are containers of one machine."""

    count: Annotated[int, Field(gt=0), CalibrationSource("counted, where nodes share them")]
    """How many processors all nodes have together."""
    send_work_s: Annotated[Seconds, _STREAM] = 0.0
    """Processor time that each message to another node takes from its sender."""
    recv_work_s: Annotated[Seconds, _STREAM] = 0.0
    """Processor time that each message from another node takes from its receiver when that is awake."""
    wake_work_s: Annotated[
        Seconds, CalibrationSource("small ping-pongs of all pairs at once, in which every receiver sleeps")
    ] = 0.0
    """Processor time that a message takes besides when its receiver sleeps."""
    idle_wake_s: Annotated[
        Seconds, CalibrationSource("a lone small ping-pong, less one of the pairs of several that are quickest")
    ] = 0.0
    """Part of the latency between nodes that it takes an idle processor to wake. A message has this part only if its
    receiver sleeps and a processor is idle when the message arrives."""
    frame_work_s: Annotated[Seconds, _RING, Code("src/node/interrupts.hpp")] = 0.0
    """Processor time that each frame of a message but the first takes. Idle processors give it first; what they cannot
    give holds up the ranks that have a processor."""
    slice_s: Annotated[
        float,
        Field(gt=0, allow_inf_nan=False),
        CalibrationSource("all ranks compute at once: from one interruption of a rank to the next"),
    ] = 0.004
    """Seconds that a rank uses a processor before it gives way to ranks that wait for one. Linux gives a process a few
    milliseconds, at least until the next tick (4 ms at 250 Hz); real-time processes (`SCHED_RR`) get 0.1."""


class Nic(Table):
    """The NIC of a node. It handles one message at a time, in either direction; the latency of a message includes that."""

    send_s: Seconds = 0.0
    """Seconds for which each message to another node occupies the NIC of its sender."""
    recv_s: Seconds = 0.0
    """Seconds for which each message from another node occupies the NIC of its receiver."""


class Hypervisor(Table):
    """What the hypervisor does with the processors of virtual machines (`[cluster.virtual]`)."""

    slice_s: Annotated[Seconds, Field(gt=0), _FIXED_WORK] = 0.03
    """Seconds for which a virtual processor has a core before the next one has it, on hosts where more of them want one than
    there are. Ranks poll while they wait, so theirs want one all the time. Xen's credit scheduler gives 30 ms."""
    steal_share: Annotated[float, Field(ge=0, lt=1), _FIXED_WORK] = 0.0
    """Share of its time that is stolen from a virtual processor even if it has a core of its own, by other domains and by
    the work of the hypervisor. Where virtual processors have cores in turns, it is taken from their slices."""
    steal_s: Annotated[
        Seconds,
        Field(gt=0),
        _FIXED_WORK,
        Needs("steal_share above 0", lambda hypervisor, _: hypervisor.steal_share > 0),
    ] = 0.001
    """Length of a piece of that time. Where no core is shared, one piece is taken in every `steal_s` / `steal_share` seconds,
    at a drawn moment."""
    wake_delay_s: Annotated[Seconds, _PAUSES] = 0.0
    """Mean time until a rank that waits for a message goes on after the message has come to its virtual machine, besides the
    latency. Each one is drawn from an exponential distribution. A message that finds its receiver busy has none."""


class Interruption(Table):
    """A kind of interruption of what computes on a node (`[[node.noise]]`): the tick of the clock, interrupts, other programs."""

    every_s: Annotated[Seconds, Field(gt=0), _FIXED_WORK]
    """Seconds in which one comes to each processor, at a drawn moment."""
    takes_s: Annotated[Seconds, _FIXED_WORK]
    """Seconds that it takes; less than `every_s`. Kinds that take more than half of the time together are cautioned."""


class Node(Table):
    """What nodes add to messages. Each part acts only where it is given."""

    progress: Annotated[
        Progress,
        CalibrationSource("exchanges of a pair, one rank late outside MPI or inside"),
        Code("src/node/progress.hpp"),
    ] = "always"
    """When a rank sees the RTS and the CTS of a rendezvous. `always`: as soon as they arrive. `in-calls`: only in calls
    of MPI that wait or test."""
    handling_noise_s: Annotated[
        Seconds, CalibrationSource("spread of small messages that are sent alone"), Code("src/node/handling.hpp")
    ] = 0.0
    """Noise of handling: standard deviation of the time that a message takes its sender, and its receiver, whose mean is
    the overhead. Each one is drawn from an exponential distribution, with the seed of the run."""
    nic: Annotated[Nic | None, Code("src/transport/nic.hpp")] = None
    """What a message costs a NIC. Without this table nothing, so that messages of two ranks do not wait for each other."""
    hypervisor: Annotated[
        Hypervisor | None,
        Needs(
            "[cluster.virtual]", lambda _, platform: any(cluster.virtual is not None for cluster in platform.clusters)
        ),
        Code("src/node/virtual_processor.hpp"),
    ] = None
    """Time stolen from virtual machines, and delays until they wake. They are drawn with the seed of the run. Without this
    table there are none."""
    noise: Annotated[
        list[Interruption],
        Code("src/node/noise.hpp"),
    ] = Field(default=[])
    """Kinds of interruption of ranks that compute or handle a message. They are drawn with the seed of the run, for each rank by
    itself. Without them nothing interrupts ranks. Not beside `[node.hypervisor]` and `[node.processors]`."""
    processors: Annotated[
        Processors | None,
        Needs("nodes that are hosts, without [node.hypervisor]", lambda node, _: node.hypervisor is None),
        Needs("[transport.connections]", lambda _, platform: platform.transport.connections is not None),
        Code("src/node/processors.hpp"),
    ] = None
    """Processors that all nodes share. Without this table each rank has its own."""
