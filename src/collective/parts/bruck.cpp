// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bruck.hpp"

#include <algorithm>

#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {
namespace {

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

}  // namespace

op::Script bruck_allgather(int self, Blocks blocks, int radix) {
  const int size = blocks.count();
  const FromSelf mine{self, blocks};
  co_yield copy(scratch, {input, blocks.bytes(self)});
  Started started;
  radix = std::max(2, std::min(radix, size));
  for (std::int64_t step = 1; step < size; step *= radix) {
    for (std::int64_t distance = step; distance < std::min<std::int64_t>(step * radix, size); distance += step) {
      const auto have = static_cast<int>(distance);
      const auto end = static_cast<int>(std::min<std::int64_t>(distance + step, size));
      co_yield started.irecv(after(self, have, size), mine.range(scratch, have, end));
      co_yield started.isend(before(self, have, size), mine.range(scratch, 0, end - have));
    }
    co_yield started.wait_all();
  }
  co_yield copy(blocks.at(output, self).region, mine.range(scratch, 0, size - self));
  co_yield copy(output, mine.range(scratch, size - self, size));
}

}  // namespace orrery::collective
