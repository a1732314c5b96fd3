// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collective/parts/blocks.hpp"

namespace orrery::collective {

/// The blocks in the order of the ring from `first` on: where the i-th of them lies.
struct FromSelf {
  int first;
  Blocks blocks;

  [[nodiscard]] std::int64_t offset(int i) const {
    const int block = first + i;
    const std::int64_t start = blocks.offset(first);
    if (block <= blocks.count()) return blocks.offset(block) - start;
    return blocks.total().count - start + blocks.offset(block - blocks.count());
  }
  [[nodiscard]] Slice range(Region base, int from, int to) const {
    return {base + offset(from), {offset(to) - offset(from)}};
  }
};

}  // namespace orrery::collective
