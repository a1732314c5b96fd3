// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/bine.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

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
