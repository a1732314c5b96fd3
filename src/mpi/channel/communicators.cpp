// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

/// What `define_comm` stores.
struct Members {
  std::uint32_t count;
  std::int32_t world_ranks[1];  // `count` of them
};

std::size_t members_bytes(std::size_t count) { return sizeof(std::uint32_t) + count * sizeof(std::int32_t); }

}  // namespace

void Memory::define_comm(op::CommId comm, std::span<const std::int32_t> world_ranks) {
  if (comm >= max_comms) {
    throw InputError(
        concat("the program creates more than ", max_comms, " communicators, which is more than one run can hold"));
  }
  const Offset place = allocate(members_bytes(world_ranks.size()));
  auto* members = as<Members>(place);
  members->count = static_cast<std::uint32_t>(world_ranks.size());
  std::copy(world_ranks.begin(), world_ranks.end(), members->world_ranks);
  as<std::atomic<Offset>>(header().comms)[comm].store(place, std::memory_order_release);
}

std::span<const std::int32_t> Memory::comm_members(op::CommId comm) const {
  if (comm >= max_comms) return {};
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].load(std::memory_order_acquire);
  if (place == 0) return {};
  const auto* members = as<Members>(place);
  return {members->world_ranks, members->count};
}

void Memory::release_comm(op::CommId comm) {
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].exchange(0);
  if (place != 0) release(place, members_bytes(as<Members>(place)->count));
}

}  // namespace orrery::mpi::channel
