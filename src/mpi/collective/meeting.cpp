// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/meeting.hpp"

#include <cstring>

#include "mpi/channel/channel.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/reduction/reduction.hpp"

namespace orrery::mpi {

namespace {

using channel::Board;

constexpr std::int64_t no_agreement = -1;

/// Leaves x0 op x1 op ... in the result; operands are overwritten.
void combine_on_board(Board& board, int size, std::int64_t count, Datatype& type, Op& op) {
  Board::Slot* slots = board.slots();
  board.result.bytes = slots[0].bytes;
  for (int rank = 1; rank < size; ++rank) {
    if (slots[rank].bytes != slots[0].bytes) {
      board.result.bytes = no_agreement;
      return;
    }
    apply(op, slots[rank - 1].data, slots[rank].data, count, type);
  }
  std::memcpy(board.result.data, slots[size - 1].data, static_cast<std::size_t>(slots[0].bytes));
}

}  // namespace

bool fits_on_board(const Op& op, std::int64_t count, const Datatype& type) {
  return is_predefined(op) && is_contiguous(type) && count * size_of(type) <= static_cast<std::int64_t>(Board::room);
}

void reduce_on_board(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm) {
  Board& board = this_rank().memory().board(comm.id);
  const auto bytes = static_cast<std::size_t>(count * size_of(type));
  const std::uint32_t round = board.rounds.load(std::memory_order_relaxed);  // stands still until we arrive
  Board::Slot& own = board.slots()[comm.rank];
  own.bytes = static_cast<std::int64_t>(bytes);
  std::memcpy(own.data, send, bytes);
  const auto size = static_cast<std::uint32_t>(comm.size());
  if (board.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
    combine_on_board(board, comm.size(), count, type, op);
    board.arrived.store(0, std::memory_order_relaxed);  // nobody comes again before the round is over
    board.rounds.store(round + 1, std::memory_order_release);
    channel::wake_sharers(board.word);
  } else {
    this_rank().wait_together(board.word, [&] { return board.rounds.load(std::memory_order_acquire) != round; });
  }
  if (board.result.bytes != static_cast<std::int64_t>(bytes)) {
    throw Error{err_truncate, "the members of the communicator do not agree on the size of the operands"};
  }
  std::memcpy(recv, board.result.data, bytes);
}

}  // namespace orrery::mpi
