# SPDX-License-Identifier: BSD-3-Clause
"""The table `[network]`, for the model `hybrid`, and `[loggps]`, for the other one: what a message costs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import CostPerByte, Factor, Seconds, SecondsPerByte, SignedSeconds, Size, Table

Protocol = Literal["asynchronous", "detached", "synchronous", "optimistic"]


class Regime(Table):
    """What a message costs in one range of sizes: from the end of the regime before it up to its own."""

    end_bytes: Annotated[Size, Field(gt=0)] | None = None
    """First size that no longer belongs to it; the last regime of a list has none."""
    protocol: Protocol
    """When the transfer starts and the sender goes on: `asynchronous` (eager) at once; `detached`: starts when the receive
    is posted too, the sender goes on; `synchronous` (rendezvous): both wait for each other; `optimistic`: starts at once,
    its data are dropped where no receive is posted when they come and fetched once one is, the sender waits until they
    are there."""
    send_overhead_s: Seconds = 0.0
    """o_s: how long any send keeps its sender busy."""
    send_overhead_s_per_byte: SecondsPerByte = 0.0
    """O_s: and for each byte."""
    recv_overhead_s: Seconds = 0.0
    """o_r: how long any receive keeps its receiver busy."""
    recv_overhead_s_per_byte: SecondsPerByte = 0.0
    """O_r: and for each byte."""
    latency_factor: Factor = 1.0
    """L, as a multiple of the route's latency."""
    bandwidth_factor: Factor = 1.0
    """B, as a multiple of the route's bandwidth."""
    latency_s: SignedSeconds = 0.0
    """Added to L, the same on any route; may be negative, L is not."""


class Frames(Table):
    """Frames that messages are cut into."""

    payload_bytes: Annotated[Size, Field(gt=0)]
    """What a frame carries of header and data: 1448 for TCP over Ethernet with an MTU of 1500."""
    overhead_bytes: Size = 0
    """What a frame adds on the wire: 90 for TCP over Ethernet, preamble and gap included."""


class Framing(Table):
    """What a message is on the wire; the rates of links are then those of the wire."""

    header_bytes: Size = 0
    """Header that the MPI sends with each message."""
    store_and_forward: bool = False
    """Switches send a frame on only when the whole of it is there, so that a message takes the time of a frame (or its
    own, where it is shorter or there are no frames) on all links of its route but the slowest, besides its time there."""
    frames: Frames | None = None
    """Frames; without them a message is sent in one piece."""


class Network(Table):
    """Parameters of the model `hybrid`: regimes of message sizes over links that flows share."""

    between_nodes: Annotated[list[Regime], Field(min_length=1)]
    """Regimes between nodes, by increasing size, one `[[network.between_nodes]]` each."""
    inside_node: Annotated[list[Regime], Field(min_length=1)]
    """Regimes inside a node, by increasing size, one `[[network.inside_node]]` each."""
    framing: Framing = Framing()
    """Headers and frames."""
    tcp_window_bytes: Size = 0
    """A flow sends at most this much per round trip; 0: no bound."""
    burst_bytes: Size = 0
    """What each link lets pass at once after idleness, as a shaper with a token bucket of this depth does."""
    rate_noise: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Mean lengthening of a transfer, relative, drawn from an exponential distribution with the seed of the run."""


class LogGPSSet(Table):
    """Parameters of LogGPS for one kind of path."""

    latency_s: Seconds
    """L."""
    overhead_s: Seconds
    """o: of a send and of a receive."""
    send_overhead_s_per_byte: CostPerByte = 0.0
    """O_s."""
    recv_overhead_s_per_byte: CostPerByte = 0.0
    """O_r."""
    gap_s_per_byte_short: CostPerByte = 0.0
    """g: time between bytes of a short message."""
    gap_s_per_byte: CostPerByte
    """G: time between bytes of a long message."""
    short_limit_bytes: Size = 0
    """s: messages below it are short."""
    sync_threshold_bytes: Size
    """S: longer messages wait for their receiver."""


class LogGPS(Table):
    """Parameters of the model `loggps`: one port to each node, no topology, no contention."""

    between_nodes: LogGPSSet
    """Between nodes."""
    inside_node: LogGPSSet
    """Inside a node."""
