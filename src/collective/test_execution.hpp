// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "op/script.hpp"

/// Executes the streams of all ranks of a collective call on real buffers, as strictly as MPI allows: sends complete
/// only when they are matched, what is received appears only at the wait, and no byte is read before it was written.
namespace orrery::collective::test {

/// A buffer that knows which of its bytes were written.
struct Memory {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> written;  ///< 1 or 0 per byte

  static Memory of(std::vector<std::uint8_t> content);
  static Memory blank(std::size_t size);
  bool operator==(const Memory&) const = default;
};

/// The buffers of one rank; scratch memory grows as it is used.
struct RankMemory {
  Memory input;  ///< never written
  Memory output;
  Memory scratch;
};

/// One element of a reduction: `higher` = `lower` op `higher`.
struct Reduction {
  std::int64_t element = 1;  ///< bytes
  void (*combine)(const std::uint8_t* lower, std::uint8_t* higher) = nullptr;
};

/// What a stream must not do, and deadlock.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Order : std::uint8_t {
  Ascending,   ///< ranks run in turn from 0 on, each as far as it can
  Descending,  ///< from the last one on
};

/// Gives for each rank, of up to 64, the set of ranks that it has heard of, itself included: a bit each.
/// @throws Fault naming rank and operation: deadlock; a request that is never waited for, does not exist or is used
/// twice; sizes of a message that differ; memory outside of a buffer; a write to the input; a read of bytes that were
/// never written; memory of a pending request that is touched; an element that is cut by a reduction
/// @param first_group of an inter-communicator, how many ranks its first group has; 0: it is none
std::vector<std::uint64_t> execute(std::vector<op::Script> scripts, std::vector<RankMemory>& memory,
                                   Reduction reduction, Order order, int first_group = 0);

}  // namespace orrery::collective::test
