// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernel/delivery.hpp"
#include "kernel/send_plan.hpp"

/// How a message is sent, and why a send waits.
///
/// A send is planned first (kernel/send_plan.hpp), and then carried out. The plan says by which protocol the message
/// goes, when it is posted, and what its sender waits for. It follows from the operation, from the cost that the
/// network model gives, and from what the egress queue and the connection hold at that moment.
///
/// Why does this send wait? These are all the reasons, in the order in which a message meets them:
///
/// 1. The sender is busy with the message for T1, its overhead. The network model gives T1 (network::Cost). Noise, the
///    work of a shared processor, and the interrupts that the sender has to handle first come on top
///    (kernel/message_handling.hpp, node/handling.hpp, node/interrupts.hpp).
/// 2. The message is long, or the program asks for it (MPI_Ssend): the protocol is a rendezvous. Its data leave after
///    the handshake only: RTS, receive posted, CTS. `protocol_of` decides:
///    - Asynchronous (up to the limit S_a): eager. The data leave at once; the sender goes on after T1.
///    - Detached (up to S_d): rendezvous, but the sender goes on after T1.
///    - Synchronous (beyond): rendezvous, and the sender waits until its data have been sent. On TCP connections it
///    waits
///      for the ACK of the receiver (transport/connections.hpp).
///    - Optimistic: the data leave at once, and the sender waits for them. Where no receive is posted when they come,
///      they are dropped, and fetched again after the match.
/// 3. No receive is posted: the RTS waits in the unexpected-message queue of its receiver (kernel/matching.hpp). If the
///    receive names no source, even a posted one meets the RTS only when that has arrived.
/// 4. The receiver computes. Where MPI makes progress in calls only, it does not see the RTS, and its sender does not
///    see the CTS, before a call that waits or tests (kernel/rendezvous.hpp, node/progress.hpp).
/// 5. The connection is a FIFO: RTS, CTS and data stand behind what was written to it before
///    (transport/connections.hpp). Small messages of a node also stand in its egress queue
///    (transport/egress_queue.hpp), and behind large ones (transport/queue_delay.hpp). How long an RTS will wait is
///    known when it is written, and is part of the plan; all else is found out when it is their turn.
/// 6. The first message of two ranks makes their connection (transport/connection_setup.hpp), between clusters with the
///    help of a broker (transport/brokered.hpp).
/// 7. The links are shared with other messages (room `sharing`), a switch drops so much that a time-out passes
///    (transport/retransmission.hpp), or the port is taken (network/loggps.cpp).
namespace orrery::kernel {

/// Sends: begins them, and keeps what each rank has sent.
class Sending {
 public:
  Sending(const Clock& clock, const Hosts& hosts, Cursors& cursors, Profiles& profiles, Frames& frames,
          Messages& messages, Requests& requests, MessageHandling& handling, Transfers& transfers, Delivery& delivery,
          transport::Transport& transport, std::size_t ranks);

  void begin(CursorIndex cursor);  ///< Isend and Psend

  static constexpr std::size_t bytes_per_rank() { return sizeof(std::uint32_t); }

 private:
  [[nodiscard]] MessageIndex new_message(const Cursor& cursor);
  [[nodiscard]] RequestIndex open_request(Cursor& cursor, MessageIndex message, const SendPlan& plan);

  const Clock& clock_;
  const Hosts& hosts_;
  Cursors& cursors_;
  Profiles& profiles_;
  Frames& frames_;
  Messages& messages_;
  Requests& requests_;
  MessageHandling& handling_;
  Transfers& transfers_;
  Delivery& delivery_;
  transport::Transport& transport_;
  std::vector<std::uint32_t> sends_;  ///< by rank: point-to-point sends so far, the next sequence
};

}  // namespace orrery::kernel
