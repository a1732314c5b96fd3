// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/partitioned.hpp"
#include "kernel/probes.hpp"

namespace orrery::kernel {

/// What becomes of messages after they were sent: they are matched, their data leave and arrive, and both sides are
/// told.
class Delivery {
 public:
  Delivery(const Clock& clock, Messages& messages, Requests& requests, Matching& matching, Transfers& transfers,
           Rendezvous& rendezvous, Partitioned& partitioned, Probes& probes);

  /// A message has been sent: it meets the receive that waits for it, or waits in the unexpected-message queue.
  void deliver(MessageIndex message);
  /// A receive has been posted: it takes a message that is there, or waits in the posted-receive queue.
  void post(RequestIndex request);
  void meet(RequestIndex request, MessageIndex message);

  void envelope_arrived(MessageIndex message);
  void transfer_ended(MessageIndex message);
  /// The sender of a message need not wait for it any longer.
  void release_sender(MessageIndex message);

 private:
  void meet_eager(RequestIndex request, MessageIndex message);
  void fetch_dropped(MessageIndex message);

  const Clock& clock_;
  Messages& messages_;
  Requests& requests_;
  Matching& matching_;
  Transfers& transfers_;
  Rendezvous& rendezvous_;
  Partitioned& partitioned_;
  Probes& probes_;
};

}  // namespace orrery::kernel
