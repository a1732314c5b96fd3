# SPDX-License-Identifier: BSD-3-Clause
"""The table `[network]`, for the model `hybrid`, and `[loggps]`, for the other one: what a message costs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import CostPerByte, Factor, Seconds, SecondsPerByte, SignedSeconds, Size, Table
from orrery.platform.tables.remarks import CalibrationSource, Code

Protocol = Literal["asynchronous", "detached", "synchronous", "optimistic"]
FactorOf = Literal["route", "share"]

_IN_SEND = CalibrationSource("time in MPI_Send, over sizes")
_IN_RECV = CalibrationSource("time in MPI_Recv of messages that have arrived, over sizes")
_ONE_WAY = CalibrationSource("one-way times of ping-pongs, over sizes")
_FIRST_REGIME = CalibrationSource("computed from the first regime")
_EAGER_REGIME = CalibrationSource("computed from the regime of the largest eager messages")


class Regime(Table):
    """What a message costs in one range of sizes: from the end of the regime before it up to its own end."""

    end_bytes: (
        Annotated[Size, Field(gt=0), CalibrationSource("where the lines that fit the times of all sizes change")] | None
    ) = None
    """First size that no longer belongs to the regime. Every regime of a list has one but the last."""
    protocol: Annotated[Protocol, CalibrationSource("late receives, bisection over the size")]
    """When the transfer starts and when the sender goes on. `asynchronous` (eager): the transfer starts and the sender goes
    on at once. `detached`: the transfer starts when the receive is posted, too; the sender goes on at once.
    `synchronous` (rendezvous): the transfer starts when both are ready; the sender goes on when it ends. `optimistic`: the
    transfer starts at once; where no receive is posted when the data arrives, it is dropped and sent again once one is;
    the sender goes on when the receiver has it."""
    send_overhead_s: Annotated[Seconds, _IN_SEND] = 0.0
    """o_s: how long a send keeps its sender busy, whatever its size."""
    send_overhead_s_per_byte: Annotated[SecondsPerByte, _IN_SEND] = 0.0
    """O_s: how much longer a send keeps its sender busy for each byte. It may be negative, as a fitted slope, as long as
    the whole overhead is not."""
    recv_overhead_s: Annotated[Seconds, _IN_RECV] = 0.0
    """o_r: how long a receive keeps its receiver busy, whatever its size."""
    recv_overhead_s_per_byte: Annotated[SecondsPerByte, _IN_RECV] = 0.0
    """O_r: how much longer a receive keeps its receiver busy for each byte. It may be negative, as a fitted slope, as long
    as the whole overhead is not."""
    latency_factor: Annotated[
        Factor, CalibrationSource("1 for eager messages, 3 for a rendezvous: RTS, CTS and data")
    ] = 1.0
    """The latency L of the message is that of its route times this factor."""
    bandwidth_factor: Annotated[Factor, _ONE_WAY] = 1.0
    """The rate B of the message is at most the bandwidth of its route times this factor."""
    latency_s: Annotated[SignedSeconds, _ONE_WAY] = 0.0
    """Time that is added to the latency L, the same on every route. It may be negative; L itself is never less than 0."""


class Frames(Table):
    """Frames that messages are cut into on the wire."""

    payload_bytes: Annotated[Size, Field(gt=0), CalibrationSource("counters of the network interfaces")]
    """Bytes of a message, header and data, that a frame carries: 1448 for TCP over Ethernet with an MTU of 1500."""
    overhead_bytes: Annotated[Size, CalibrationSource("counters of the network interfaces")] = 0
    """Bytes that each frame adds on the wire: 90 for TCP over Ethernet, with its preamble and the gap between frames."""


class Framing(Table):
    """What a message is on the wire. The rates of links are then rates of bytes on the wire."""

    header_bytes: Annotated[Size, CalibrationSource("counters of the network interfaces")] = 0
    """Bytes of the header that the MPI library sends with each message."""
    store_and_forward: Annotated[bool, CalibrationSource("one-way times of messages of one frame, over sizes")] = False
    """A switch sends a frame on only when it has received all of it. A message then takes, besides the time of all its
    bytes on the slowest link of its route, the time of one frame on each other link; of the whole message where that is
    shorter than a frame, or where there are no frames."""
    frames: Frames | None = None
    """Frames. Without this table a message is sent in one piece."""


class Network(Table):
    """Parameters of the model `hybrid`: regimes of message sizes, over links that flows share."""

    between_nodes: Annotated[list[Regime], Field(min_length=1), Code("src/network/regimes.hpp")]
    """Regimes of messages between nodes, by increasing size, one `[[network.between_nodes]]` each."""
    inside_node: Annotated[list[Regime], Field(min_length=1), Code("src/network/regimes.hpp")]
    """Regimes of messages inside a node, by increasing size, one `[[network.inside_node]]` each."""
    framing: Annotated[Framing, Code("src/network/framing.hpp")] = Framing()
    """Headers and frames of messages between nodes."""
    bandwidth_factor_of: Annotated[FactorOf, Code("src/network/hybrid.hpp")] = "route"
    """What bandwidth factors of messages between nodes are factors of. `route`: of the bandwidth of the route, which bounds
    the rate of a message; messages that share a link fill it. `share`: of the rate that a message gets, alone or beside
    others, as in SimGrid; links are never full where factors are below 1."""
    tcp_window_bytes: Annotated[Size, Code("src/network/hybrid.hpp")] = 0
    """Window of TCP. A flow sends at most so many bytes in the time of a round trip; 0: no such bound."""
    burst_bytes: Annotated[
        Size,
        CalibrationSource("lone messages after idleness, beside ping-pongs without a pause"),
        Code("src/sharing/token_buckets.hpp"),
    ] = 0
    """Bytes that each link lets pass at once when it has been idle, as a traffic shaper does whose token bucket is so
    deep; 0: none."""
    rate_noise: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False),
        CalibrationSource("spread of large messages that are sent alone"),
        Code("src/network/hybrid.hpp"),
    ] = 0.0
    """Noise of transfers: how much longer than computed they take on average, as a share of their time. Each one is drawn
    from an exponential distribution, with the seed of the run."""


class LogGPSSet(Table):
    """Parameters of LogGPS for one kind of path."""

    latency_s: Annotated[Seconds, _FIRST_REGIME]
    """L: latency of a message."""
    overhead_s: Annotated[Seconds, _FIRST_REGIME]
    """o: how long a send keeps its sender busy, and a receive its receiver, whatever the size."""
    send_overhead_s_per_byte: Annotated[CostPerByte, _EAGER_REGIME] = 0.0
    """O_s: how much longer a send keeps its sender busy for each byte."""
    recv_overhead_s_per_byte: Annotated[CostPerByte, _EAGER_REGIME] = 0.0
    """O_r: how much longer a receive keeps its receiver busy for each byte."""
    gap_s_per_byte_short: Annotated[CostPerByte, _FIRST_REGIME] = 0.0
    """g: gap for each of the first `short_limit_bytes` bytes of a message."""
    gap_s_per_byte: Annotated[CostPerByte, CalibrationSource("computed from the last regime")]
    """G: gap for each byte of a message after those."""
    short_limit_bytes: Annotated[Size, _FIRST_REGIME] = 0
    """s: so many bytes of a message take the gap g, all others the gap G."""
    sync_threshold_bytes: Annotated[Size, CalibrationSource("late receives, bisection over the size")]
    """S: senders of messages of more bytes wait for the receiver (rendezvous)."""


class LogGPS(Table):
    """Parameters of the model `loggps`: one port for each node and direction, no topology, no contention."""

    between_nodes: LogGPSSet
    """Parameters of messages between nodes."""
    inside_node: LogGPSSet
    """Parameters of messages inside a node."""
