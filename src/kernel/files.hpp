// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>

namespace orrery::kernel {

/// What the kernel knows of an open file. Its number is that of the communicator that the file has for itself.
struct FileState {
  std::uint32_t first_server = 0;    ///< where its first stripe lies
  std::int64_t shared_position = 0;  ///< its shared pointer, in whatever unit the ranks count
  bool locked = false;
  std::deque<std::uint32_t> waiting;  ///< cursors that want the lock, in the order in which they asked
};

}  // namespace orrery::kernel
