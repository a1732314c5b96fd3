// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/swap_board.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_kept.hpp"

namespace orrery::mpi::channel {

SwapBoard& swap_board(Memory& memory, op::CommId comm) {
  Board& board = memory.board(comm);
  return *reinterpret_cast<SwapBoard*>(board.slots() + memory.comm_members(comm).size());
}

void wake_sharers(std::atomic<std::uint32_t>& word, int most) {
  const ErrnoKept kept;
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0);
}

}  // namespace orrery::mpi::channel
