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

op::Script bruck_allgather(int self, Blocks blocks) {
  const int size = blocks.count();
  const FromSelf mine{self, blocks};
  co_yield copy(scratch, {input, blocks.bytes(self)});
  for (int have = 1; have < size; have *= 2) {
    const int more = std::min(have, size - have);
    co_yield exchange(before(self, have, size), mine.range(scratch, 0, more),  //
                      after(self, have, size), mine.range(scratch, have, have + more));
  }
  co_yield copy(blocks.at(output, self).region, mine.range(scratch, 0, size - self));
  co_yield copy(output, mine.range(scratch, size - self, size));
}

}  // namespace orrery::collective
