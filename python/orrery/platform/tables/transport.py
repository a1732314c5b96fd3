# SPDX-License-Identifier: BSD-3-Clause
"""The table `[transport]`: what connections, queues and time-outs of TCP add to the model `hybrid`. Absent: nothing."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Share, Size, Table


class Queue(Table):
    """Queues in front of a node's link (egress queue) and behind the switch."""

    depth_bytes: Annotated[Size, Field(gt=0)]
    """Of a running flow, what stands in the egress queue of its node and delays small messages of other pairs; four times
    as much may stand behind the switch, where the way on is taken."""
    later_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Rate of each queued message relative to its predecessor, for messages that a node writes one after the other, as
    many as fit into the queue: 1 where they share the link evenly, less where what was written first is out first."""


class Connections(Table):
    """One ordered connection for each pair of nodes and direction: messages leave it first in, first out."""

    requests_follow_messages: bool = False
    """The RTS of a rendezvous, and its CTS, stand in the egress queue behind small messages that their node wrote
    before."""
    send_buffer_bytes: Size = 0
    """A synchronous sender goes on when so much is left of its message. An eager one waits where what its connection has
    still to send would come to more than 1.5 times that. 0: a synchronous sender goes on when its receiver has
    acknowledged the last byte (ACK), and an eager one at once."""
    ack_fraction: Share = 0.0
    """Load of acknowledgements on the way back, per byte of data."""
    queue: Queue | None = None
    """Queues; without them a message is one flow over all links of its route."""


class Timeouts(Table):
    """Messages that lose so many packets in a crowded switch that their sender waits for a retransmission time-out."""

    probability: Annotated[float, Field(gt=0, le=1)]
    """How likely a message waits that begins while `flows` others cross a port of a switch on its way."""
    flows: Annotated[int, Field(ge=1)] = 1
    """So many messages a port of a switch carries at once without loss."""
    wait_s: Annotated[Seconds, Field(gt=0)] = 0.2
    """How long such a message waits; Linux waits 0.2 s at least."""


class Transport(Table):
    """What transport adds. Each part acts only where it is given."""

    connection_setup_s: Seconds = 0.0
    """What the first message between two ranks on different nodes takes more: their connection is made."""
    connections: Connections | None = None
    """Ordered connections. The CTS of a rendezvous waits on its connection for the data before it, so that exchanges of
    large messages run at full or half duplex as the times of the calls have it. Without: messages are independent."""
    timeouts: Timeouts | None = None
    """Retransmission time-outs, drawn from the seed of the run; reports say when they acted."""
