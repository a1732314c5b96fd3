// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unordered_set>

#include "kernel/matching.hpp"
#include "kernel/requests.hpp"
#include "kernel/transfers.hpp"

namespace orrery::kernel {

/// What has come of a partitioned receive. Partitions of a send are equally long, so that their number says where they
/// lie.
struct Partitions {
  Bytes matched, arrived;
  bool all = false;                        ///< the last that its sender posted has been matched
  std::int64_t partition = 0;              ///< bytes of one, as the sender divides them; 0: none has come yet
  std::unordered_set<std::uint32_t> here;  ///< numbers: a set, as a damaged trace may have any

  void reset() {
    matched = arrived = {};
    partition = 0;
    all = false;
    here.clear();
  }
  /// Whether all partitions are here of which a piece of the receive is made.
  [[nodiscard]] bool has(std::int64_t first_byte, Bytes bytes) const;
};

/// Receives of partitioned communication (MPI-4.1, chapter 4), where each partition is a message of its own that leaves
/// when it is ready. Their sends are sends (kernel/sending.hpp).
class Partitioned {
 public:
  Partitioned(const Clock& clock, const Config& config, Cursors& cursors, Messages& messages, Requests& requests,
              Matching& matching, Transfers& transfers);

  void begin_receive(Cursor& cursor);
  /// Whether a piece of a receive has arrived.
  void begin_arrived(Cursor& cursor);

  /// A partition meets its receive, which goes on taking others until it has the last that its sender posts: that may
  /// be less than it has room for.
  void meet(RequestIndex request, MessageIndex message);
  void arrived(RequestIndex request, const Message& message);

 private:
  [[nodiscard]] bool has_arrived(RequestIndex index, const op::Operation& operation) const;

  const Clock& clock_;
  const Config& config_;
  Cursors& cursors_;
  Messages& messages_;
  Requests& requests_;
  Matching& matching_;
  Transfers& transfers_;
  Pool<Partitions> partitions_;
};

}  // namespace orrery::kernel
