// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/pipelined_ring.hpp"

#include <algorithm>

#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {
namespace {

/// Where a rank is in the row of blocks that pass it, the last block first.
struct Place {
  int block;
  std::int64_t offset = 0;

  [[nodiscard]] Slice next(const Blocks& blocks, std::int64_t chunk, std::int64_t left) const {
    const std::int64_t rest = blocks.bytes(block).count - offset;
    return {output + (blocks.offset(block) + offset), {left > 0 ? std::min(rest, chunk) : 0}};
  }
  void advance(const Blocks& blocks, Bytes by) {
    offset += by.count;
    if (offset < blocks.bytes(block).count) return;
    offset = 0;
    block = before(block, 1, blocks.count());
  }
};

}  // namespace

op::Script pipelined_ring_allgather(int self, Blocks blocks, std::int64_t chunk) {
  const int size = blocks.count();
  const int next = after(self, 1, size);
  const int previous = before(self, 1, size);
  if (size == 1) co_return;
  std::int64_t to_send = blocks.total().count - blocks.bytes(next).count;
  std::int64_t to_receive = blocks.total().count - blocks.bytes(self).count;
  Place sent{self};
  Place received{previous};
  while (to_send > 0 || to_receive > 0) {
    const Slice out = sent.next(blocks, chunk, to_send);
    const Slice in = received.next(blocks, chunk, to_receive);
    co_yield exchange(next, out, previous, in);
    to_send -= out.bytes.count;
    to_receive -= in.bytes.count;
    sent.advance(blocks, out.bytes);
    received.advance(blocks, in.bytes);
  }
}

}  // namespace orrery::collective
