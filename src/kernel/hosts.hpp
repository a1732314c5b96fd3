// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"

namespace orrery::kernel {

/// Where ranks are.
class Hosts {
 public:
  /// @param config must outlive this
  explicit Hosts(const Config& config) : config_(config) {}

  [[nodiscard]] platform::HostId of(std::int32_t rank) const {
    return config_.host_of_rank[static_cast<std::size_t>(rank)];
  }
  /// As the network sees it: perhaps a place inside of its host.
  [[nodiscard]] platform::HostId place(std::int32_t rank) const {
    return config_.place_of_rank.empty() ? of(rank) : config_.place_of_rank[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool same(std::int32_t rank, std::int32_t other) const { return of(rank) == of(other); }

 private:
  const Config& config_;
};

}  // namespace orrery::kernel
