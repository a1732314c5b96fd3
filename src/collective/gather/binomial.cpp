// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a gather along a binomial tree; any size and root.
///
/// Each rank collects the blocks of its subtree and sends them to its parent. p = 6, root 0:
///     1→0 3→2 5→4 | 2→0 (2 blocks) | 4→0 (2 blocks)
/// A root other than 0 collects in scratch memory, where the order of the tree is turned into that of the ranks.
/// Cost: ⌈log2 p⌉ · α + (p − 1)nβ, n bytes per block.
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, call.root};
  const int relative = ranks.relative(call.self);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const bool is_leaf = BinomialNode{relative, call.size}.subtree().last == relative + 1;
  const bool in_place = call.self == call.root && call.root == 0;
  const Region inner = in_place ? output : scratch - blocks.offset(relative);
  const Region base = is_leaf && relative != 0 ? input - blocks.offset(relative) : inner;
  if (base.buffer != op::Buffer::Input) co_yield copy(blocks.at(base, relative).region, {input, call.bytes});
  co_yield binomial_gather(call.self, ranks, blocks, base);
  if (call.self != call.root || in_place) co_return;
  const int first = ranks.relative(0);
  co_yield copy(output, blocks.range(scratch, {first, call.size}));
  co_yield copy(blocks.at(output, call.root).region, blocks.range(scratch, {0, first}));
}

}  // namespace orrery::collective::gather
