// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernel/kernel.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// The kernel reads the members of communicators from shared memory, where the ranks register them.
class SharedGroups final : public kernel::Groups {
 public:
  explicit SharedGroups(mpi::channel::Memory& memory) : memory_(memory) {}
  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override { return memory_.comm_members(comm); }
  [[nodiscard]] std::size_t first_group(op::CommId comm) override { return memory_.comm_first_group(comm); }
  void release(op::CommId comm) override { memory_.release_comm(comm); }

 private:
  mpi::channel::Memory& memory_;
};

}  // namespace orrery::launch
