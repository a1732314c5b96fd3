// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::kernel {

/// First come, first served. Keeps its memory: a deque would allocate again and again.
class Line {
 public:
  [[nodiscard]] bool empty() const { return first_ == all_.size(); }
  void join(std::uint32_t who) { all_.push_back(who); }
  std::uint32_t next() {
    const std::uint32_t who = all_[first_++];
    if (2 * first_ >= all_.size()) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return who;
  }

 private:
  std::vector<std::uint32_t> all_;
  std::size_t first_ = 0;
};

/// What the kernel knows of an open file. Its number is that of the communicator that the file has for itself.
struct FileState {
  std::uint32_t first_server = 0;    ///< where its first stripe lies
  std::int64_t shared_position = 0;  ///< its shared pointer, in whatever unit the ranks count
  std::int32_t holder = -1;          ///< rank that has its lock
  Line waiting;                      ///< cursors that want the lock, in the order in which they asked
};

}  // namespace orrery::kernel
