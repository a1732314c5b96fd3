// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// Progress: when a rank sees the RTS and the CTS of a rendezvous. MPI libraries read their connections in calls that
/// wait or test. While a rank computes, or posts sends, RTS and CTS are not read.
///
/// So the order of control messages depends on the calls of a rank before an exchange. An RTS that it read in an
/// earlier call is among its unexpected messages: it writes the CTS when it posts the receive, before the RTS of its
/// own data. An RTS that it has not read is answered in the wait after that, when its own RTS has been written. For the
/// effect on the exchange see transport/connections.hpp.
class Progress {
 public:
  Progress(settings::Progress when, std::size_t ranks) : in_calls_(when == settings::Progress::InCalls) {
    if (in_calls_) ranks_.resize(ranks);
  }

  /// Whether ranks see RTS and CTS in calls only. If not, they see them at once, and no other method is called.
  [[nodiscard]] bool in_calls() const { return in_calls_; }
  /// Whether the rank has read its connections at `time` or later.
  [[nodiscard]] bool has_seen(std::int32_t rank, SimTime time) const { return time <= at(rank).looked; }
  /// Leaves the RTS or CTS of a message unread until the rank reads its connections.
  void leave_unseen(std::int32_t rank, std::uint32_t message) { at(rank).unseen.push_back(message); }
  /// The rank reads its connections until `time`. Gives the messages whose RTS or CTS it reads now.
  [[nodiscard]] std::vector<std::uint32_t> look(std::int32_t rank, SimTime time) {
    Rank& looking = at(rank);
    looking.looked = std::max(looking.looked, time);
    return std::exchange(looking.unseen, {});
  }

 private:
  struct Rank {
    SimTime looked;                     ///< the end of its last wait, or its last test
    std::vector<std::uint32_t> unseen;  ///< messages with an unread RTS or CTS
  };
  [[nodiscard]] Rank& at(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Rank& at(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  bool in_calls_;
  std::vector<Rank> ranks_;
};

}  // namespace orrery::node
