// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "base/error.hpp"
#include "mpi/channel/swap_board.hpp"

namespace orrery::mpi::channel {
namespace {

/// What `define_comm` stores.
struct Members {
  std::atomic<Offset> board;  ///< 0: nobody has asked for it
  std::uint32_t count;
  std::uint32_t first_group;
  std::int32_t world_ranks[1];  // `count` of them
};

std::size_t members_bytes(std::size_t count) { return offsetof(Members, world_ranks) + count * sizeof(std::int32_t); }
std::size_t swap_board_begins(std::size_t count) { return sizeof(Board) + count * sizeof(Board::Slot); }
std::size_t board_bytes(std::size_t count) { return swap_board_begins(count) + SwapBoard::bytes(count); }

}  // namespace

void Memory::define_comm(op::CommId comm, std::span<const std::int32_t> world_ranks, std::size_t first_group) {
  if (comm >= max_comms) {
    throw InputError(
        concat("the program creates more than ", max_comms, " communicators, which is more than one run can hold"));
  }
  const Offset place = allocate(members_bytes(world_ranks.size()));
  auto* members = as<Members>(place);
  new (&members->board) std::atomic<Offset>(0);
  members->count = static_cast<std::uint32_t>(world_ranks.size());
  members->first_group = static_cast<std::uint32_t>(first_group);
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

std::size_t Memory::comm_first_group(op::CommId comm) const {
  if (comm >= max_comms) return 0;
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].load(std::memory_order_acquire);
  return place == 0 ? 0 : as<Members>(place)->first_group;
}

void Memory::release_comm(op::CommId comm) {
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].exchange(0);
  if (place == 0) return;
  const auto* members = as<Members>(place);
  if (const Offset board = members->board.load(); board != 0) release(board, board_bytes(members->count));
  release(place, members_bytes(members->count));
}

Board& Memory::board(op::CommId comm) {
  auto* members = as<Members>(as<std::atomic<Offset>>(header().comms)[comm].load(std::memory_order_acquire));
  Offset place = members->board.load(std::memory_order_acquire);
  if (place != 0) return *as<Board>(place);
  const Offset made = allocate(board_bytes(members->count));
  new (at(made)) Board{};
  (new (at(made) + swap_board_begins(members->count)) SwapBoard{})->size = members->count;
  if (members->board.compare_exchange_strong(place, made, std::memory_order_acq_rel)) return *as<Board>(made);
  release(made, board_bytes(members->count));  // another member was faster
  return *as<Board>(place);
}

}  // namespace orrery::mpi::channel
