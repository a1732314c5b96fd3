// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a gather along a k-nomial tree with contiguous subtrees; any size and root. k is `fanout`, 2
/// if that is less.
///
/// Each rank collects the blocks of its subtree, all children at the same time, and sends them to its parent. A root
/// other than 0 collects in scratch memory, where the order of the tree is turned into that of the ranks. Cost: ⌈log_k
/// p⌉ · (k − 1) · α + (p − 1)nβ, n bytes per block.
op::Script contiguous_knomial(Call call) {
  const FromRoot ranks{call.size, call.root};
  const int relative = ranks.relative(call.self);
  const ContiguousKnomial place(relative, call.size, call.fanout);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const auto children = place.children();
  const bool is_root = call.self == call.root;
  if (children.empty() && !is_root) {
    co_yield send(ranks.rank(place.parent()), {input, call.bytes});
    co_return;
  }
  const bool in_place = is_root && call.root == 0;
  const Region base = in_place ? output : scratch - blocks.offset(relative);
  co_yield copy(blocks.at(base, relative).region, {input, call.bytes});
  Started started;
  for (const BlockRange child : children) co_yield started.irecv(ranks.rank(child.first), blocks.range(base, child));
  co_yield started.wait_all();
  if (!is_root) {
    co_yield send(ranks.rank(place.parent()), blocks.range(base, place.subtree()));
  } else if (!in_place) {
    const int first = ranks.relative(0);
    co_yield copy(output, blocks.range(scratch, {first, call.size}));
    co_yield copy(blocks.at(output, call.root).region, blocks.range(scratch, {0, first}));
  }
}

}  // namespace orrery::collective::gather
