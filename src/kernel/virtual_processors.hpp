// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/exponential.hpp"
#include "kernel/kernel.hpp"
#include "node/noise.hpp"
#include "node/virtual_processor.hpp"

namespace orrery::kernel {

/// The virtual processors of ranks in virtual machines (node/virtual_processor.hpp), or the noise of their nodes
/// (node/noise.hpp). A rank that has none always has a core, and wakes at once.
class VirtualProcessors {
 public:
  explicit VirtualProcessors(const Config& config);

  /// How long work of the rank takes that it can begin at `from`.
  [[nodiscard]] Duration lasts(std::int32_t rank, SimTime from, Duration work) const {
    if (!noise_.empty()) return noise_[static_cast<std::size_t>(rank)].lasts(from, work);
    return of_ranks_.empty() ? work : of(rank).processor.lasts(from, work);
  }
  /// When the rank next has a core, from `time` on.
  [[nodiscard]] SimTime back(std::int32_t rank, SimTime time) const {
    if (!noise_.empty()) return time + noise_[static_cast<std::size_t>(rank)].absence(time);
    return of_ranks_.empty() ? time : time + of(rank).processor.absence(time);
  }
  /// Until the rank goes on that slept when a message came to its virtual machine. Draws.
  [[nodiscard]] Duration wake_delay(std::int32_t rank) {
    if (of_ranks_.empty() || !of(rank).wakes_late) return {};
    return {of_ranks_[static_cast<std::size_t>(rank)].delays(wake_delay_s_)};
  }

 private:
  struct OfRank {
    node::VirtualProcessor processor;
    bool wakes_late = false;
    Exponential delays;
  };

  [[nodiscard]] const OfRank& of(std::int32_t rank) const { return of_ranks_[static_cast<std::size_t>(rank)]; }

  double wake_delay_s_ = 0;
  std::vector<OfRank> of_ranks_;    ///< empty: there is no virtual machine
  std::vector<node::Noise> noise_;  ///< of the ranks' nodes; empty: there is none
};

/// The virtual processor of each rank, by the nodes that ranks are on: those of a node take its processors in turn. A
/// virtual processor wants a core if a rank is on it. Empty if no cluster has virtual machines.
/// @param initial_ranks that are there from the beginning, 0: all; others want no core when they are counted
[[nodiscard]] std::vector<std::optional<node::Seat>> seats_on(const platform::Platform& platform,
                                                              std::span<const platform::HostId> host_of_rank,
                                                              std::uint32_t initial_ranks = 0);

}  // namespace orrery::kernel
