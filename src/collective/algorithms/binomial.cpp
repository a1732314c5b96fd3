// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along the binomial tree whose distances double, in segments; any size and root.
/// p = 6, root 0:
///     0→1 | 0→2 1→3 | 0→4 1→5
/// Cost of one segment: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binomial(Call call) {
  co_yield tree_bcast(doubling_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

/// Stream of one rank in a broadcast along a binomial tree; any size and root.
///
/// Who has the data sends it half-way through the ranks for which it is responsible. p = 6, root 0:
///     0→4 | 0→2 4→5 | 0→1 2→3
/// Cost: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script binomial_halving(Call call) {
  co_yield binomial_bcast(call.self, {call.size, call.root}, {output, call.bytes});
}

/// Stream of one rank in a broadcast along the binomial tree whose distances double, in which the root and rank 0
/// change places; any size and root. p = 6, root 2:
///     2→1 | 2→0 1→3 | 2→4 1→5
/// Cost: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial_swapped(Call call) {
  const FromRoot ranks = FromRoot::swapped(call.size, call.root);
  co_yield tree_bcast(doubling_tree(call.self, ranks), Blocks::segments(call.bytes, call.element, {}), output);
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a binomial tree; any size, root and associative operation.
///
/// Each rank combines what its subtree has and sends it to its parent. p = 6, root 0:
///     1→0 3→2 5→4 | 2→0 | 4→0
/// The tree hangs below the root if the operation commutes, and the vector may go in segments; otherwise it hangs below
/// rank 0, which sends the result to the root.
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ), n in bytes; α + nβ more in the latter case.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, call.commutative ? call.root : 0};
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes * 2;
  if (call.commutative) {
    co_yield tree_reduce(in_order_tree(call.self, ranks), segments_of(call), home, scratch);
    co_return;
  }
  Accumulator accumulator(call.self, call.commutative, home, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  const Slice result{accumulator.value(), call.bytes};
  if (call.root == 0) {
    if (is_root) co_yield accumulator.place(output, result);
  } else if (call.self == 0) {
    co_yield send(call.root, result);
  } else if (is_root) {
    co_yield recv(0, {output, call.bytes});
  }
}

HandOver binomial_swapped_hands_over(const Call& call) {
  return call.commutative ? HandOver{} : HandOver{"binomial", does_not_commute};
}

/// Stream of one rank in a reduction along a binomial tree, in which the root and rank 0 change places; any size, root
/// and associative operation. p = 6, root 2:
///     1→2 3→0 5→4 | 0→2 | 4→2
/// If the operation does not commute the tree hangs below rank 0, which sends the result to the root.
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ), n in bytes; α + nβ more in the latter case.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial_swapped(Call call) {
  if (binomial_swapped_hands_over(call)) {
    co_yield binomial(call);
    co_return;
  }
  const bool is_root = call.self == call.root;
  Accumulator accumulator(call.self, call.commutative, is_root ? output : scratch + call.bytes, scratch);
  co_yield binomial_reduce(call.self, FromRoot::swapped(call.size, call.root), &accumulator, call.bytes);
  if (is_root) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce along two binomial trees, one to rank 0, in which the subtree of a rank are the
/// ranks from it on, and one back, whose distances double; any size, any associative operation. p = 4:
///     1→0 3→2 | 2→0 | 0→1 | 0→2 1→3
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, 0};
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  if (call.self == 0) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  co_yield tree_bcast(doubling_tree(call.self, ranks), Blocks::segments(call.bytes, call.element, {}), output);
}

/// Stream of one rank in an allreduce as a binomial reduction to rank 0 and a binomial broadcast; any size, any
/// associative operation. p = 6:
///     1→0 3→2 5→4 | 2→0 | 4→0 | 0→4 | 0→2 4→5 | 0→1 2→3
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ), n in bytes.
op::Script reduce_bcast(Call call) {
  const FromRoot ranks{call.size, 0};
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  if (call.self == 0) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  co_yield binomial_bcast(call.self, ranks, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce

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
