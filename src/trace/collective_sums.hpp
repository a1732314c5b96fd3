// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "op/op.hpp"
#include "trace/file.hpp"

namespace orrery::trace {

/// Blocking collective calls of a trace that are alike: of one communicator, size, root and operation.
struct CollectiveSum {
  op::CollectiveKind kind;
  op::CommId comm;
  /// As `collective::Call::bytes`; of kinds with counts the block that all counts have, of reduce_scatter all blocks
  /// together. -1: blocks differ, or this rank does not know them all.
  std::int64_t bytes;
  std::int32_t root;
  std::int64_t element, extent;
  bool commutative, built_in, in_place;
  std::uint32_t ran;        ///< number in the table of algorithms; 0: not known
  std::uint64_t calls = 0;  ///< each rank counted
  std::uint32_t ranks = 0;  ///< that made such calls
  double time_s = 0;        ///< inside of them, summed over ranks; 0 where the trace does not say
};

/// All of them, the longest first. Cost: the trace is read through once.
[[nodiscard]] std::vector<CollectiveSum> collective_sums(const File& file);

}  // namespace orrery::trace
