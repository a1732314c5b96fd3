// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bruck.hpp"

#include <algorithm>

#include "collective/parts/from_self.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {

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
