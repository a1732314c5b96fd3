// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/one_sided.hpp"
#include "kernel/requests.hpp"
#include "kernel/transfers.hpp"

namespace orrery::kernel {

/// One-sided communication in time: transfers in which the target takes no part.
///
/// A put is a transfer of its bytes, begun at once whatever their number, and an acknowledgement, which takes the
/// route's latency; a get is an empty message there and the bytes back. The origin pays the overhead of a send (T1) for
/// what it sends; nobody pays that of a receive, since no processor takes part. An accumulate takes effect when it
/// arrives, though not before those that its origin called earlier for the same target (MPI-4.1, section 12.7.2); then
/// it is acknowledged as a put is, or answered as a get is.
class OneSidedOperations {
 public:
  OneSidedOperations(Clock& clock, const Hosts& hosts, Cursors& cursors, Profiles& profiles, Messages& messages,
                     Requests& requests, Transfers& transfers, transport::Transport& transport, op::Streams& streams);

  void begin(CursorIndex cursor);  ///< Put, Get, Accumulate and GetAccumulate
  /// A transfer has ended, of what goes to the target or of what comes back.
  void leg_ended(OneSidedIndex operation);
  /// The origin knows that the operation is done.
  void finish(OneSidedIndex operation);

  /// All that are under way, messages about locks among them.
  [[nodiscard]] Pool<OneSided>& pool() { return operations_; }

 private:
  [[nodiscard]] RequestIndex counted(Cursor& cursor, op::RequestId id);
  void start_leg(OneSidedIndex operation, std::int32_t from, std::int32_t to, Bytes bytes);
  void take_effects(RequestIndex epoch);
  void reply_leg(OneSidedIndex operation);
  void acknowledge(OneSidedIndex operation);

  Clock& clock_;
  const Hosts& hosts_;
  Cursors& cursors_;
  Profiles& profiles_;
  Messages& messages_;
  Requests& requests_;
  Transfers& transfers_;
  transport::Transport& transport_;
  op::Streams& streams_;
  Pool<OneSided> operations_;
};

}  // namespace orrery::kernel
