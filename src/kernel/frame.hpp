// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/profile.hpp"
#include "kernel/queues.hpp"
#include "op/script.hpp"

namespace orrery::kernel {

/// A collective call that a cursor is executing.
struct Frame {
  op::Script script;
  Context context = 0;
  std::span<const std::int32_t> members;
  std::size_t first_member = 0;        ///< whom the script calls 0
  std::vector<RequestIndex> requests;  ///< by the script's request id
  std::vector<std::int64_t> counts;    ///< copy, for a non-blocking call that outlives its operation
  op::RoutineId routine = 0;
  std::uint32_t use = 0;  ///< in `algorithm_uses`
  op::CommId comm = 0;
  RequestIndex request = none;  ///< non-blocking: completes when the script ends

  /// World rank of whom the script calls `peer`: of an inter-communicator, its own group comes first for everyone.
  [[nodiscard]] std::int32_t world(std::int32_t peer) const {
    const std::size_t position = first_member + static_cast<std::size_t>(peer);
    return members[position < members.size() ? position : position - members.size()];
  }
  void reset() {
    script = {};
    requests.clear();
    counts.clear();
    request = none;
  }
};

/// Collective calls under way, and what has been counted of those that were.
struct Frames : Pool<Frame> {
  AlgorithmUses uses;
};

}  // namespace orrery::kernel
