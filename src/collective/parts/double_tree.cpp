// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/double_tree.hpp"

#include <bit>

#include "collective/parts/embed.hpp"
#include "collective/parts/pipeline.hpp"

namespace orrery::collective {
namespace {

/// A tree of the numbers 0 to size − 1: 0 has one child, the others are a binary tree in which a number lies between
/// those of its two subtrees, and odd ones are leaves.
TreeNode between_neighbours(int number, int size) {
  TreeNode node;
  if (number == 0) {
    if (size > 1) node.children.push_back(static_cast<int>(std::bit_floor(static_cast<unsigned>(size - 1))));
    return node;
  }
  const int height = number & -number;
  const int up = (number ^ height) | height << 1;
  node.parent = up < size ? up : number ^ height;
  if (height > 1) node.children.push_back(number - height / 2);
  int distance = height / 2;
  while (distance > 0 && number + distance >= size) distance /= 2;
  if (distance > 0) node.children.push_back(number + distance);
  return node;
}

/// How the second tree numbers what the first calls `number`; the root stays 0.
int second_number(int number, int others) {
  if (number == 0) return 0;
  return others % 2 == 0 ? others + 1 - number : number % others + 1;
}
int first_number(int second, int others) {
  if (second == 0) return 0;
  return others % 2 == 0 ? others + 1 - second : (second + others - 2) % others + 1;
}

template <class RankOf>
TreeNode renamed(const TreeNode& node, RankOf rank_of) {
  TreeNode other;
  if (!node.is_root()) other.parent = rank_of(node.parent);
  for (const int child : node.children) other.children.push_back(rank_of(child));
  return other;
}

}  // namespace

DoubleTree::DoubleTree(const Call& call, int root) {
  const FromRoot ranks{call.size, root};
  const int others = call.size - 1;
  const int self = ranks.relative(call.self);
  nodes_[0] = renamed(between_neighbours(self, call.size), [&](int number) { return ranks.rank(number); });
  nodes_[1] = renamed(between_neighbours(first_number(self, others), call.size),
                      [&](int number) { return ranks.rank(second_number(number, others)); });
  const std::int64_t elements = call.bytes.count / call.element;
  const Bytes second{elements / 2 * call.element};
  segments_[0] = Blocks::segments(call.bytes - second, call.element, call.segment);
  segments_[1] = Blocks::segments(second, call.element, call.segment);
}

op::Script DoubleTree::bcast(std::size_t half) const {
  return tree_bcast(nodes_[half], segments_[half], output + before(half));
}

op::Script DoubleTree::reduce(std::size_t half, Region home, Region spare) const {
  const Region own_spare = spare + before(half) * 2;
  return embed(tree_reduce(nodes_[half], segments_[half], home + before(half), own_spare),
               {.input = input + before(half)});
}

}  // namespace orrery::collective
