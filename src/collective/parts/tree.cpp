// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "collective/parts/contiguous_knomial.hpp"

namespace orrery::collective {
namespace {

int highest_bit(int number) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(number))); }

/// Which section of a row of `length` places a place is in, if they are cut into `count` sections, longer ones first.
struct Section {
  int first;
  int length;
};
Section section_of(int place, int length, int count) {
  const int shorter = length / count;
  const int longer = length % count;
  const int in_longer = longer * (shorter + 1);
  if (place < in_longer) return {place / (shorter + 1) * (shorter + 1), shorter + 1};
  return {in_longer + (place - in_longer) / shorter * shorter, shorter};
}

}  // namespace

TreeNode chains(int self, FromRoot ranks, int count) {
  const int others = ranks.size - 1;
  const int relative = ranks.relative(self);
  count = std::clamp(count, 1, std::clamp(others, 1, 32));
  TreeNode node;
  if (relative == 0) {
    for (int place = 0; place < others; place += section_of(place, others, count).length)
      node.children.push_back(ranks.rank(place + 1));
    return node;
  }
  const Section chain = section_of(relative - 1, others, count);
  node.parent = ranks.rank(relative - 1 == chain.first ? 0 : relative - 1);
  if (relative < chain.first + chain.length) node.children.push_back(ranks.rank(relative + 1));
  return node;
}

TreeNode binary_tree(int self, FromRoot ranks) {
  const int relative = ranks.relative(self);
  const int level = highest_bit(relative + 1);  // nodes on the level; its first is level - 1
  TreeNode node;
  if (relative > 0) {
    const int above = level / 2;
    const int parent = relative - above < level - 1 ? relative - above : relative - level;
    node.parent = ranks.rank(std::max(0, parent));
  }
  for (const int child : {relative + level, relative + 2 * level}) {
    if (child < ranks.size) node.children.push_back(ranks.rank(child));
  }
  return node;
}

TreeNode doubling_tree(int self, FromRoot ranks) {
  const int relative = ranks.relative(self);
  TreeNode node;
  if (relative > 0) node.parent = ranks.rank(relative - highest_bit(relative));
  for (int distance = relative > 0 ? 2 * highest_bit(relative) : 1; relative + distance < ranks.size; distance *= 2)
    node.children.push_back(ranks.rank(relative + distance));
  return node;
}

TreeNode in_order_tree(int self, FromRoot ranks) {
  const int relative = ranks.relative(self);
  TreeNode node;
  for (int distance = 1; distance < ranks.size; distance *= 2) {
    if ((relative & distance) != 0) {
      node.parent = ranks.rank(relative - distance);
      break;
    }
    if (relative + distance < ranks.size) node.children.push_back(ranks.rank(relative + distance));
  }
  return node;
}

namespace {

/// k-nomial tree of digits in base k: the parent of r is r with its lowest digit that is not 0 set to 0.
TreeNode digit_tree(int self, FromRoot ranks, int k, bool descending) {
  k = std::clamp(k, 2, 32);
  const int relative = ranks.relative(self);
  TreeNode node;
  std::int64_t digit = 1;
  for (; digit < ranks.size; digit *= k) {
    if (relative % (digit * k) == 0) continue;
    node.parent = ranks.rank(static_cast<int>(relative / (digit * k) * (digit * k)));
    break;
  }
  for (digit /= k; digit > 0; digit /= k) {
    for (int step = 1; step < k; ++step) {
      const std::int64_t child = relative + digit * (descending ? k - step : step);
      if (child < ranks.size) node.children.push_back(ranks.rank(static_cast<int>(child)));
    }
  }
  return node;
}

}  // namespace

TreeNode knomial_tree(int self, FromRoot ranks, int k) { return digit_tree(self, ranks, k, false); }

TreeNode descending_knomial_tree(int self, FromRoot ranks, int k) { return digit_tree(self, ranks, k, true); }

TreeNode kary_tree(int self, FromRoot ranks, int k) {
  k = std::clamp(k, 1, 32);
  const int relative = ranks.relative(self);
  TreeNode node;
  if (relative > 0) node.parent = ranks.rank((relative - 1) / k);
  const std::int64_t first = std::int64_t{relative} * k + 1;
  for (std::int64_t child = first; child < std::min<std::int64_t>(first + k, ranks.size); ++child)
    node.children.push_back(ranks.rank(static_cast<int>(child)));
  return node;
}

TreeNode contiguous_knomial_tree(int self, FromRoot ranks, int k) {
  const ContiguousKnomial place(ranks.relative(self), ranks.size, k);
  TreeNode node;
  if (place.parent() >= 0) node.parent = ranks.rank(place.parent());
  for (const BlockRange& child : place.children()) node.children.push_back(ranks.rank(child.first));
  return node;
}

TreeNode in_order_binary_tree(int self, int size) {
  TreeNode node;
  // The subtree at hand is the ranks [first, first + size); its root is the last of them, and its left half first.
  for (int first = 0;;) {
    const int root = first + size - 1;
    const int left = size / 2;
    const int left_child = size > 2 ? first + left - 1 : -1;
    const int right_child = size > 1 ? root - 1 : -1;
    if (self == root) {
      if (right_child >= 0) node.children.push_back(right_child);
      if (left_child >= 0) node.children.push_back(left_child);
      return node;
    }
    node.parent = root;
    if (left_child >= 0 && self <= left_child) {
      size = left;
    } else {
      first += size > 2 ? left : 0;
      size = right_child - first + 1;
    }
  }
}

}  // namespace orrery::collective
