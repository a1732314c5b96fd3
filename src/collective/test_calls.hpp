// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collective/collective.hpp"
#include "collective/test_execution.hpp"

namespace orrery::collective::test {

/// One collective call of all ranks: what each passes, what it holds before, and what MPI says that it holds after.
struct Example {
  std::vector<Call> calls;
  std::vector<RankMemory> before;
  std::vector<Memory> output_after;
  Reduction reduction;
  std::vector<std::vector<std::int64_t>> counts;  ///< what `calls` point to

  [[nodiscard]] int size() const { return static_cast<int>(calls.size()); }
};

struct Shape {
  CollectiveKind kind = CollectiveKind::Barrier;
  int size = 1;
  int root = 0;
  std::int64_t elements = 1;  ///< of a vector, or of a block; v-collectives: of blocks on average, some of them empty
  bool commutative = true;
  Bytes segment = {};
  bool equal_blocks = false;  ///< of v-collectives
  int fanout = 0;
  bool immediate = false;
};

/// Elements have 2 bytes. The operation that commutes adds two numbers modulo 256; the one that does not composes
/// affine maps x → ax + b modulo 251, so that a result depends on every operand and on their order.
[[nodiscard]] Example make_example(const Shape& shape);

/// Executes an algorithm; what is wrong, or nothing, also where it does not accept the call.
/// @param places and `hierarchy` of the calls
[[nodiscard]] std::string run(const Algorithm& algorithm, const Shape& shape, Order order,
                              const Places* places = nullptr, const Hierarchy& hierarchy = {});

}  // namespace orrery::collective::test
