// SPDX-License-Identifier: BSD-3-Clause

#include "collective/parts/bine.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/doubling_allreduce.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a Bine tree, in segments; any size and root. p = 8:
///     0→3 | 0→7 3→4 | 0→1 3→2 7→6 4→5
/// Cost, one segment: ⌈log2 p⌉ · (α + nβ), n in bytes; as a binomial tree, but distances are two thirds as long.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine_tree(Call call) {
  co_yield tree_bcast(collective::bine_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

namespace {

/// A node with its children in the opposite order: those that have least to wait for come first.
TreeNode upwards(const TreeNode& node) {
  TreeNode turned{.parent = node.parent, .children = {}};
  for (std::size_t i = node.children.size(); i > 0; --i) turned.children.push_back(node.children[i - 1]);
  return turned;
}

}  // namespace

/// Stream of one rank in a reduction along a Bine tree, in segments; any size and root, commutative operation. p = 8:
///     1→0 2→3 6→7 5→4 | 7→0 4→3 | 3→0
/// Cost, one segment: ⌈log2 p⌉ · (α + nβ + nγ), n in bytes; as a binomial tree, but distances are two thirds as long.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine_tree(Call call) {
  const TreeNode node = upwards(collective::bine_tree(call.self, {call.size, call.root}));
  const Region home = node.is_root() ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(node, segments_of(call), home, scratch);
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by Swing for long vectors: a reduce-scatter whose distances are 1, −1, 3, −5, 11,
/// ..., and an allgather back; any size, commutative operation.
///
/// The vector is cut into a block for each of 2^⌊log2 p⌋ ranks, in an order in which what a rank sends is in one piece
/// (`bine_position`). The surplus ranks fold into a neighbour first and get the result last. p = 4; blocks a to d:
///     0:cd↔1:ab 2:ab↔3:cd | 0:b↔3:a 1:d↔2:c | 0:a↔3:b 1:c↔2:d | 0:ab↔1:cd 2:cd↔3:ab
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356
op::Script swing(Call call) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    co_yield accumulator.place(output, {accumulator.value(), call.bytes});
    const Blocks blocks = Blocks::split(call.bytes, call.element, fold.power());
    co_yield bine_reduce_scatter(fold, blocks, output, scratch);
    co_yield bine_allgather(fold, blocks, output);
  }
  co_yield fold_out(fold, {output, call.bytes});
}

/// Stream of one rank in an allreduce by Swing for short vectors: recursive doubling with distances 1, −1, 3, −5, 11,
/// ...; any size, commutative operation. p = 8:
///     0↔1 2↔3 4↔5 6↔7 | 0↔7 1↔2 3↔4 5↔6 | 0↔3 1↔6 2↔5 4↔7
/// The surplus ranks fold into a neighbour first and get the result last.
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
/// Source: De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356
op::Script swing_doubling(Call call) { return doubling_allreduce(call, bine_partner); }

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by a Bine butterfly, nearest exchange first, so that the
/// longest messages go to the nearest rank; p a power of two, commutative operation. Blocks are brought into the order
/// of `bine_position` first. p = 4; blocks a to d of ranks 0 to 3:
///     0:bc↔1:ad 2:ad↔3:bc | 0:d↔3:a 1:c↔2:b
/// Cost: log2 p · α + (p − 1)/p · n(β + γ), n being all blocks, and a copy of each block.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  for (int position = 0; position < call.size; ++position)
    co_yield copy(blocks.at(scratch, position).region, blocks.at(input, bine_number(position, call.size)));
  co_yield bine_reduce_scatter({call.self, call.size}, blocks, scratch, scratch + blocks.total());
  co_yield copy(output, blocks.at(scratch, bine_position(call.self, call.size)));
}

}  // namespace orrery::collective::reduce_scatter_block

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by a Bine butterfly, farthest exchange first, so that the longest messages go to
/// the nearest rank; p a power of two. Blocks lie in the order of `bine_position` until all are there. p = 4; blocks a
/// to d of ranks 0 to 3:
///     0:a↔3:d 1:b↔2:c | 0:ad↔1:bc 2:bc↔3:ad
/// Cost: log2 p · α + (p − 1)/p · nβ, n being all blocks, and a copy of each block.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield copy(blocks.at(scratch, bine_position(call.self, call.size)).region, {input, call.bytes});
  co_yield bine_allgather({call.self, call.size}, blocks, scratch);
  for (int position = 0; position < call.size; ++position)
    co_yield copy(blocks.at(output, bine_number(position, call.size)).region, blocks.at(scratch, position));
}

}  // namespace orrery::collective::allgather
