// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/matching.hpp"
#include "kernel/transfers.hpp"
#include "node/progress.hpp"

namespace orrery::kernel {

/// The handshake of a rendezvous: when the receiver sees the RTS, and its sender the CTS (node/progress.hpp).
///
///     sender    RTS ─▶                          data ═══▶
///     receiver        sees it, writes CTS ─▶
///
/// Where MPI makes progress in calls only, either side may compute meanwhile, and sees nothing before its next call
/// that waits or tests. How long RTS and CTS travel is for the network model and the transport to say.
class Rendezvous {
 public:
  Rendezvous(const Clock& clock, const Hosts& hosts, const Cursors& cursors, const Threads& threads, Messages& messages,
             Transfers& transfers, node::Progress progress);

  /// Send and receive have met. The receiver answers the RTS with a CTS, now or when it looks.
  void answer_rts(MessageIndex message, SimTime receive_posted);
  /// The rank looks at its connections at its clock.
  void look(const Cursor& cursor);
  /// Whether ranks see RTS and CTS in calls only.
  [[nodiscard]] bool in_calls() const { return progress_.in_calls(); }

 private:
  void write_cts(MessageIndex message, SimTime at);
  [[nodiscard]] bool looks_now(std::int32_t rank) const;

  const Clock& clock_;
  const Hosts& hosts_;
  const Cursors& cursors_;
  const Threads& threads_;
  Messages& messages_;
  Transfers& transfers_;
  node::Progress progress_;
};

}  // namespace orrery::kernel
