# SPDX-License-Identifier: BSD-3-Clause
"""The table `[transport]`: what connections, queues and time-outs of TCP add to the model `hybrid`. Absent: nothing."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Share, Size, Table
from orrery.platform.tables.remarks import CalibrationSource, Code


class Queue(Table):
    """Queues that messages meet: the egress queue in front of their node's link, and the queue of the switch behind it."""

    depth_bytes: Annotated[Size, Field(gt=0), CalibrationSource("one byte to a third node during a large transfer")]
    """Bytes of a flow under way that stand in the egress queue of its node, where they delay small messages to other
    nodes. Four times as many may stand in the queue of the switch while the rest of the route is the bottleneck."""
    later_share: Annotated[
        float, Field(gt=0, le=1), CalibrationSource("16 KiB to each of four nodes, written one right after the other")
    ] = 1.0
    """How messages that a node writes one right after the other share its link: rate of each over that of the one before
    it, for as many as fit into the egress queue. With 1 they share the link evenly; the smaller the value, the more of
    the link belongs to what was written first."""


class Connections(Table):
    """One connection for each ordered pair of nodes. It is first in, first out (FIFO): a message leaves it after all that
    was written to it before.
    """

    ack_fraction: Annotated[Share, CalibrationSource("rings of MPI_Sendrecv against lone messages")] = 0.0
    """Bytes of acknowledgements that go back for each byte of data, and take their part of the link there."""
    queue: Annotated[Queue | None, Code("src/transport/switch_queue.hpp")] = None
    """Queues. Without this table a message is one flow that holds all links of its route at one rate."""


class Timeouts(Table):
    """Retransmission time-outs: a message that loses too many packets in a crowded switch waits before it is sent again."""

    probability: Annotated[
        float, Field(gt=0, le=1), CalibrationSource("more and more nodes that send to one at the same moment")
    ]
    """Probability that a message waits which begins while more than `flows` messages, itself included, cross a port of a
    switch on its route."""
    flows: Annotated[int, Field(ge=1), CalibrationSource("more and more nodes that send to one at the same moment")] = 1
    """How many messages a port of a switch carries at once without loss."""
    wait_s: Annotated[
        Seconds, Field(gt=0), CalibrationSource("messages that take so much longer than the others to the same node")
    ] = 0.2
    """How long such a message waits. Linux waits for 0.2 s at least."""


class Transport(Table):
    """What TCP adds to messages between nodes. Each part acts only where it is given."""

    connection_setup_s: Annotated[
        Seconds,
        CalibrationSource("first round trip of several pairs, less later ones"),
        Code("src/transport/connection_setup.hpp"),
    ] = 0.0
    """How much longer the first message between two ranks on different nodes takes, because their connection is made
    then."""
    connections: Annotated[Connections | None, Code("src/transport/connections.hpp")] = None
    """Connections: messages from one node to another arrive in the order in which they were written. The CTS of a
    rendezvous waits on its connection behind the data that was written before it, so the times of the calls decide
    whether an exchange of large messages runs at full or at half duplex. Without this table messages of two nodes share
    links as others do, and the segments of a pipeline all arrive when the last one does."""
    timeouts: Annotated[Timeouts | None, Code("src/transport/retransmission.hpp")] = None
    """Retransmission time-outs. They are drawn with the seed of the run, and reports say how many messages waited.
    Without this table there are none."""
