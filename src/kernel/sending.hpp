// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/op.hpp"
#include "transport/transport.hpp"

/// How a message is sent, and why a send waits.
///
/// A send is planned first, and then carried out. The plan says by which protocol the message goes, when it is posted,
/// and what its sender waits for. It follows from the operation, from the cost that the network model gives, and from
/// what the connection holds at that moment.
///
/// Why does this send wait? These are all the reasons, in the order in which a message meets them:
///
/// 1. The sender is busy with the message for T1, its overhead. The network model gives T1 (network::Cost). Noise, the
///    work of a shared processor, and the interrupts that the sender has to handle first come on top
///    (kernel/messages.cpp, node/handling.hpp, node/interrupts.hpp).
/// 2. The send buffer of the connection has no room for an eager message. The sender waits until there is room, unless
///    the program has attached a buffer (MPI_Bsend). Transport::has_room decides; the plan calls such a message held.
/// 3. The message is long, or the program asks for it (MPI_Ssend): the protocol is a rendezvous. Its data leave after
///    the handshake only: RTS, receive posted, CTS. `protocol_of` decides:
///    - Asynchronous (up to the limit S_a): eager. The data leave at once; the sender goes on after T1.
///    - Detached (up to S_d): rendezvous, but the sender goes on after T1.
///    - Synchronous (beyond): rendezvous, and the sender waits until its data have been sent.
///    - Optimistic: the data leave at once, and the sender waits for them. Where no receive is posted when they come,
///      they are dropped, and fetched again after the match.
/// 4. No receive is posted: the RTS waits in the unexpected-message queue of its receiver (kernel/matching.hpp). If the
///    receive names no source, even a posted one meets the RTS only when that has arrived.
/// 5. The receiver computes. Where MPI makes progress in calls only, it does not see the RTS, and its sender does not
///    see the CTS, before a call that waits or tests (kernel/rendezvous.cpp, node/progress.hpp).
/// 6. The connection is a FIFO: RTS, CTS and data stand behind what was written to it before. Small messages of a node
///    stand besides in its egress queue (transport/connections.hpp). What an RTS will have to wait there is known when
///    it is written, and is part of the plan; all else is found out when it is their turn.
/// 7. The first message of two ranks makes their connection (transport/connection_setup.hpp).
/// 8. The links are shared with other messages (room `sharing`), a switch drops so much that a time-out passes
///    (transport/retransmission.hpp), or the port is taken (network/loggps.cpp).
namespace orrery::kernel {

/// What becomes of a send. It is decided when the send is posted, and nothing changes it later.
struct SendPlan {
  /// What the sender, or its request, waits for.
  enum class Until : std::uint8_t {
    Handled,       ///< T1 is over (Asynchronous, Detached)
    RoomInBuffer,  ///< the eager message fits into the send buffer of its connection (Asynchronous, held)
    DataSent,      ///< the transfer ends, or the model says that the last byte has left (Synchronous, Optimistic)
  };

  network::Protocol protocol = network::Protocol::Asynchronous;
  Until until = Until::Handled;
  bool request_lasts = false;  ///< a request of this send is complete with the transfer, not at once
  SimTime posted;              ///< the data leave then if the protocol starts at once, else the RTS does
  SimTime visible;             ///< when the receiver can see the envelope or the RTS
  Duration rts_delay;          ///< part of it: what the RTS waits behind other messages
  Duration send_overhead;      ///< T1
  Duration recv_overhead;      ///< T3

  [[nodiscard]] bool held() const { return until == Until::RoomInBuffer; }
  /// Whether a blocking send lasts longer than T1.
  [[nodiscard]] bool sender_waits() const { return until != Until::Handled; }
  [[nodiscard]] bool data_leave_at_once() const { return network::starts_at_once(protocol); }
};

/// The protocol of a send whose size alone would give it `by_size`.
[[nodiscard]] network::Protocol protocol_of(const op::Operation& send, network::Protocol by_size);

/// From which node to which one a message goes.
struct Way {
  platform::HostId from = 0, to = 0;
};

/// Plans a send of `now` whose rank is ready for it at `posted`. Asks the transport, but changes nothing there.
[[nodiscard]] SendPlan plan_send(const op::Operation& send, Way way, SimTime now, SimTime posted,
                                 transport::Transport& transport);

}  // namespace orrery::kernel
