// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// Lines of a Python program from which it calls MPI. Its MPI module calls from one place of machine code for each of
/// its functions, whichever line of the program called that.
class PythonLines {
 public:
  explicit PythonLines(channel::Memory& memory) : memory_(memory) {}

  /// The number of a call site, as `CallSites` numbers them, together with the line that the calling thread is in.
  /// Takes Python's lock, and gives it back. Of a program that makes functions again and again, lines are known of the
  /// first ones.
  /// @param site of the machine code
  /// @return `site` itself where the thread runs no Python, or the line is not known
  [[nodiscard]] std::uint32_t number(std::uint32_t site);

 private:
  struct Known {
    void* code;  ///< of the function; it is kept, so that no other has its address
    int line;
    std::uint32_t site;
    std::uint32_t number;
  };

  [[nodiscard]] const Known* find(void* code, int line, std::uint32_t site);
  [[nodiscard]] std::uint32_t add(void* code, int line, std::uint32_t site);

  channel::Memory& memory_;
  std::vector<Known> known_;  ///< in the order of their first calls
  std::size_t last_ = 0;
};

}  // namespace orrery::mpi
