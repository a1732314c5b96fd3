// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "op/op.hpp"

namespace orrery::replay {

/// Other message sizes: what the same program would send on a problem that is so much larger. Collectives stay
/// multiples of their element.
class ByteScale {
 public:
  explicit ByteScale(double factor) : factor_(factor) {}

  /// Until the next operation of the same rank its counts are kept here.
  void apply(std::int32_t rank, op::Operation& operation);

 private:
  double factor_;
  std::unordered_map<std::int32_t, std::vector<std::int64_t>> counts_;  ///< scaled, by rank
};

}  // namespace orrery::replay
