// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kernel/kernel.hpp"

namespace orrery::kernel {

/// MPI_COMM_WORLD, and no other communicator: for streams that no program makes.
class World final : public Groups {
 public:
  explicit World(int size) : members_(static_cast<std::size_t>(size)) {
    std::iota(members_.begin(), members_.end(), 0);
  }
  std::span<const std::int32_t> members(op::CommId) override { return members_; }
  void release(op::CommId) override {}

 private:
  std::vector<std::int32_t> members_;
};

}  // namespace orrery::kernel
