// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// Numbers of the places from which the program calls MPI. All ranks have the same number for the same place, wherever
/// their modules are loaded: a place is a module and the bytes from its start.
class CallSites {
 public:
  explicit CallSites(channel::Memory& memory) : memory_(memory) {}

  /// @param address that the call returns to; null: not known
  /// @return 0: not known, or memory is used up. Cost: a look into a table, once the address is known
  [[nodiscard]] std::uint32_t number(const void* address);

 private:
  struct Known {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };

  [[nodiscard]] Known& slot(const void* address);
  void grow();
  [[nodiscard]] std::uint32_t add(const void* address);

  channel::Memory& memory_;
  std::vector<Known> table_;  ///< open addressing; a power of two
  std::size_t used_ = 0;
};

}  // namespace orrery::mpi
