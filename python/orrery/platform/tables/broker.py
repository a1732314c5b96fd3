# SPDX-License-Identifier: BSD-3-Clause
"""Connections between clusters: the table `[broker]`, and what a cluster says about them (`connectivity`, `[cluster.frontal]`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import Rate, Seconds, Size, Table

Connectivity = Literal["open", "ports", "nat", "outbound"]

ACCEPTING: tuple[Connectivity, ...] = ("open", "ports")
"""With these the nodes of a cluster accept connections from others."""


class Frontal(Table):
    """The front-end machine of a cluster, which stands at its gateway, where wide-area links begin. Messages of nodes that
    cannot connect cross its link inwards, its relay, and its link outwards.
    """

    relay_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of all messages together that it relays, of both directions."""
    bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of its link, each direction."""
    latency_s: Seconds
    """Latency of its link, on the way in, and again on the way out."""
    handling_s: Seconds = 0.0
    """Seconds that it takes to pass a message on, besides its transfer."""
    buffer_bytes: Size = 0
    """So many bytes of a message it stores before it sends them on; 0: whole messages."""


class Broker(Table):
    """The service that makes connections between clusters. It knows where ranks are, and tells the helpers of their nodes by
    which technique they connect. The first message of two ranks waits for it. Without this table all nodes reach each other,
    and connections cost nothing.
    """

    cluster: str
    """Name of the cluster at whose gateway it stands."""
    latency_s: Seconds = 0.0
    """Latency of its link, each direction."""
    answer_s: Seconds = 0.0
    """Seconds that it takes to answer a question; it answers one after the other."""
    keeps_connections: bool = True
    """Whether a connection stays when it is made. With `false` each message between clusters makes one."""
