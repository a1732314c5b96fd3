// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a scatter along a k-nomial tree with contiguous subtrees; any size and root. k is `fanout`, 2
/// if that is less.
///
/// Each rank receives the blocks of its subtree and sends its children theirs. A root other than 0 first puts the
/// blocks into the order of the tree in scratch memory. Cost: ⌈log_k p⌉ · (k − 1) · α + (p − 1)nβ, n bytes per block.
op::Script contiguous_knomial(Call call) {
  const FromRoot ranks{call.size, call.root};
  const int relative = ranks.relative(call.self);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const bool is_root = call.self == call.root;
  const bool is_leaf = ContiguousKnomial(relative, call.size, call.fanout).children().empty();
  const bool in_place = is_root && call.root == 0;
  if (call.bytes.count == 0) co_return;
  if (is_root && !in_place) {
    co_yield copy(blocks.at(scratch, ranks.relative(0)).region, blocks.range(input, {0, call.root}));
    co_yield copy(scratch, blocks.range(input, {call.root, call.size}));
  }
  const Region inner = in_place ? input : scratch - blocks.offset(relative);
  const Region base = is_leaf && !is_root ? output - blocks.offset(relative) : inner;
  co_yield knomial_scatter(call.self, ranks, blocks, base, call.fanout);
  if (base.buffer != op::Buffer::Output) co_yield copy(output, blocks.at(base, relative));
}

}  // namespace orrery::collective::scatter
