// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a scatter along a binomial tree; any size and root.
///
/// Each rank receives the blocks of its subtree and sends its children theirs. p = 6, root 0:
///     0→4 (2 blocks) | 0→2 (2 blocks) 4→5 | 0→1 2→3
/// A root other than 0 first puts the blocks into the order of the tree in scratch memory.
/// Cost: ⌈log2 p⌉ · α + (p − 1)nβ, n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, call.root};
  const int relative = ranks.relative(call.self);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const bool is_leaf = BinomialNode{relative, call.size}.subtree().last == relative + 1;
  const bool in_place = call.self == call.root && call.root == 0;
  if (call.self == call.root && !in_place) {
    const int first = ranks.relative(0);
    co_yield copy(blocks.at(scratch, first).region, blocks.range(input, {0, call.root}));
    co_yield copy(scratch, blocks.range(input, {call.root, call.size}));
  }
  const Region inner = in_place ? input : scratch - blocks.offset(relative);
  const Region base = is_leaf && relative != 0 ? output - blocks.offset(relative) : inner;
  co_yield binomial_scatter(call.self, ranks, blocks, base);
  if (base.buffer != op::Buffer::Output) co_yield copy(output, blocks.at(base, relative));
}

}  // namespace orrery::collective::scatter
