// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// Who sees the RTS of a rendezvous, and its CTS. MPI libraries look at their connections in calls that wait or test:
/// while a rank computes, or posts one send after the other, RTS and CTS lie unread.
///
/// So it matters whether a rank that comes late to an exchange has been in MPI before. What it saw there is in its
/// queue: it writes the CTS when it posts the receive, before the RTS of its own data. What it did not see it answers
/// in the wait that follows, after its own RTS has left; what comes of that, transport/connections.hpp says.
class Progress {
 public:
  Progress(settings::Progress when, std::size_t ranks) : in_calls_(when == settings::Progress::InCalls) {
    if (in_calls_) ranks_.resize(ranks);
  }

  /// Whether ranks see RTS and CTS in calls only. Nothing else is asked where they always do.
  [[nodiscard]] bool in_calls() const { return in_calls_; }
  /// Whether the rank has looked at its connections at `time` or later.
  [[nodiscard]] bool has_seen(std::int32_t rank, SimTime time) const { return time <= at(rank).looked; }
  /// The rank will see this message's RTS, or CTS, when it looks.
  void leave_unseen(std::int32_t rank, std::uint32_t message) { at(rank).unseen.push_back(message); }
  /// The rank looks until `time`. Gives the messages whose RTS or CTS it sees now.
  [[nodiscard]] std::vector<std::uint32_t> look(std::int32_t rank, SimTime time) {
    Rank& looking = at(rank);
    looking.looked = std::max(looking.looked, time);
    return std::exchange(looking.unseen, {});
  }

 private:
  struct Rank {
    SimTime looked;  ///< the end of its last wait, or its last test
    std::vector<std::uint32_t> unseen;
  };
  [[nodiscard]] Rank& at(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Rank& at(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  bool in_calls_;
  std::vector<Rank> ranks_;
};

}  // namespace orrery::node
