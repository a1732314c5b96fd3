// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// Memory that a rank asks for to share it with all others (ORRERY_SHARED_MALLOC): each place in the source has a
/// block, which stands for all of it.
class Folder {
 public:
  explicit Folder(channel::Memory& memory) : memory_(memory) {}

  /// Null: there is no room.
  [[nodiscard]] void* allocate(std::size_t bytes, const char* file, std::int32_t line);
  /// @return false: it is not from here
  [[nodiscard]] bool release(void* first);

 private:
  channel::Memory& memory_;
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace orrery::mpi
