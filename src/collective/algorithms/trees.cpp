// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/radix_tree.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a k-nomial tree, in segments; any size and root. k is `fanout`, 4 if that is
/// less than 2. p = 6, k = 3, root 0:
///     0→3 | 0→1 0→2 3→4 3→5
/// Cost of one segment: (k − 1) · ⌈log_k p⌉ · (α + nβ) at most, n in bytes.
op::Script knomial(Call call) {
  const int k = call.fanout > 1 ? call.fanout : 4;
  co_yield tree_bcast(knomial_tree(call.self, {call.size, call.root}, k), segments_of(call), output);
}

/// Stream of one rank in a broadcast along a complete tree, with a radix k and in segments (`bcast_along`); any size
/// and root; with k = 1 a complete tree is a chain.
op::Script kary_tree(Call call) {
  const TreeNode node = collective::kary_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield bcast_along(node, call);
}

/// Stream of one rank in a broadcast along a k-nomial tree whose subtrees are of consecutive ranks, with a radix k and
/// in segments (`bcast_along`); any size and root; with k = 1 a complete tree is a chain.
op::Script contiguous_knomial_tree(Call call) {
  const TreeNode node = collective::contiguous_knomial_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield bcast_along(node, call);
}

/// Stream of one rank in a broadcast along a k-nomial tree whose children come in descending order of size, with a
/// radix k and in segments (`bcast_along`); any size and root; with k = 1 a complete tree is a chain.
op::Script descending_knomial_tree(Call call) {
  const TreeNode node = collective::descending_knomial_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield bcast_along(node, call);
}

/// Stream of one rank in a broadcast along a binary tree, in segments; any size and root. p = 6:
///     0→1 0→2 | 1→3 1→5 2→4
/// Cost, s segments: (log2 p + s − 1) · 2(α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binary_tree(Call call) {
  co_yield tree_bcast(collective::binary_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a binary tree, in segments; any size and root, operations that
/// commute.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binary(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(binary_tree(call.self, ranks), segments_of(call), home, scratch);
}

/// Stream of one rank in a reduction along a binary tree that combines operands in the order of the ranks, in segments;
/// any size, root and associative operation. The tree ends at the last rank, which sends the result to the root.
/// p = 5, root 0:
///     2→3 0→1 | 3→4 1→4 | 4→0
/// Cost, s segments: (log2 p + s − 1) · 2(α + n/s · (β + γ)) + α + nβ, n in bytes.
op::Script in_order_binary(Call call) {
  const int top = call.size - 1;
  const bool is_root = call.self == call.root;
  const Region home = is_root && call.root == top ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(in_order_binary_tree(call.self, call.size), segments_of(call), home, scratch);
  if (call.root == top) co_return;
  if (call.self == top) co_yield send(call.root, {home, call.bytes});
  if (is_root) co_yield recv(top, {output, call.bytes});
}

/// Stream of one rank in a reduction along a complete tree, with a radix k and in segments (`reduce_along`); any size
/// and root, operations that commute; with k = 1 a complete tree is a chain.
op::Script kary_tree(Call call) {
  const TreeNode node = collective::kary_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield reduce_along(node, call);
}

/// Stream of one rank in a reduction along a k-nomial tree whose subtrees are of consecutive ranks, with a radix k and
/// in segments (`reduce_along`); any size and root, operations that commute; with k = 1 a complete tree is a chain.
op::Script contiguous_knomial_tree(Call call) {
  const TreeNode node = collective::contiguous_knomial_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield reduce_along(node, call);
}

/// Stream of one rank in a reduction along a k-nomial tree whose children come in descending order of size, with a
/// radix k and in segments (`reduce_along`); any size and root, operations that commute; with k = 1 a complete tree is
/// a chain.
op::Script descending_knomial_tree(Call call) {
  const TreeNode node = collective::descending_knomial_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield reduce_along(node, call);
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce along a complete tree, with a radix k and in segments (`up_and_down`); any size,
/// any associative operation. Operations that do not commute take the tree of consecutive ranks.
op::Script kary_tree(Call call) {
  const FromRoot ranks{call.size, 0};
  const int k = radix_of(call);
  const TreeNode node = call.commutative ? collective::kary_tree(call.self, ranks, k)
                                         : collective::contiguous_knomial_tree(call.self, ranks, k);
  co_yield up_and_down(node, call);
}

/// Stream of one rank in an allreduce along a k-nomial tree whose subtrees are of consecutive ranks, with a radix k and
/// in segments (`up_and_down`); any size, any associative operation.
op::Script contiguous_knomial_tree(Call call) {
  const TreeNode node = collective::contiguous_knomial_tree(call.self, {call.size, 0}, radix_of(call));
  co_yield up_and_down(node, call);
}

/// Stream of one rank in an allreduce along a k-nomial tree whose children come in descending order of size, with a
/// radix k and in segments (`up_and_down`); any size, any associative operation. Operations that do not commute take
/// the tree of consecutive ranks.
op::Script descending_knomial_tree(Call call) {
  const FromRoot ranks{call.size, 0};
  const int k = radix_of(call);
  const TreeNode node = call.commutative ? collective::descending_knomial_tree(call.self, ranks, k)
                                         : collective::contiguous_knomial_tree(call.self, ranks, k);
  co_yield up_and_down(node, call);
}

}  // namespace orrery::collective::allreduce

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

namespace orrery::collective::barrier {

namespace {

/// Whether the two ranks that differ by this distance are nodes of the tree that are still at work.
bool joined(int peer, int distance, int size) { return peer % distance == 0 && peer < size; }

}  // namespace

/// Stream of one rank in a barrier along a binomial tree to rank 0 and back; any size. p = 4:
///     1→0 3→2 | 2→0 | 0→2 | 0→1 2→3
/// Cost: 2⌈log2 p⌉ · α.
op::Script tree(Call call) {
  const auto depth = static_cast<int>(std::bit_ceil(static_cast<unsigned>(call.size)));
  for (int distance = 1; distance < depth; distance *= 2) {
    const int peer = call.self ^ distance;
    if (!joined(peer, distance, call.size)) continue;
    co_yield peer > call.self ? await_signal(peer) : signal(peer);
  }
  for (int distance = depth / 2; distance > 0; distance /= 2) {
    const int peer = call.self ^ distance;
    if (!joined(peer, distance, call.size)) continue;
    co_yield peer > call.self ? signal(peer) : await_signal(peer);
  }
}

}  // namespace orrery::collective::barrier
