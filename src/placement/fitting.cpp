// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <deque>

#include "base/error.hpp"
#include "placement/parts.hpp"

namespace orrery::placement {

namespace {

/// Gives one rank after the other a place that suits it. Where all of these are taken, others make room: the shortest
/// chain of moves that ends at a free slot, found by going through the leaves breadth first.
class Fitting {
 public:
  Fitting(const Tree& tree, const Kinds& kinds, Mapping mapping)
      : tree_(tree), kinds_(kinds), parts_(tree), mapping_(std::move(mapping)), members_(tree.size()) {}

  Mapping run(const std::atomic<bool>* stop) {
    std::vector<std::uint32_t> homeless;
    for (std::uint32_t rank = 0; rank < mapping_.size(); ++rank) {
      const std::uint32_t leaf = mapping_[rank];
      if (suits(rank, leaf) && has_room(leaf)) {
        members_[leaf].push_back(rank);
      } else {
        homeless.push_back(rank);
      }
    }
    for (const std::uint32_t rank : homeless) {
      look_at(stop);
      settle(rank);
    }
    return std::move(mapping_);
  }

 private:
  [[nodiscard]] bool suits(std::uint32_t rank, std::uint32_t leaf) const {
    return tree_[leaf].slots > 0 && kinds_.suit(rank, leaf);
  }

  [[nodiscard]] bool has_room(std::uint32_t leaf) const { return members_[leaf].size() < tree_[leaf].slots; }

  void settle(std::uint32_t rank) {
    std::vector<std::uint32_t> before(tree_.size(), none);  ///< by leaf: where a rank would come from; itself: `rank`
    std::deque<std::uint32_t> reached;
    for (const std::uint32_t leaf : by_distance(mapping_[rank])) {
      if (!suits(rank, leaf)) continue;
      if (has_room(leaf)) return put(rank, leaf);
      before[leaf] = leaf;
      reached.push_back(leaf);
    }
    while (!reached.empty()) {
      const std::uint32_t leaf = reached.front();
      reached.pop_front();
      if (has_room(leaf)) return move_along(before, leaf, rank);
      for (std::uint32_t next = 0; next < tree_.size(); ++next) {
        if (before[next] != none || who_may_go(leaf, next) == none) continue;
        before[next] = leaf;
        reached.push_back(next);
      }
    }
    throw InputError(concat("rank ", rank, ": no place that suits it is left, whoever else moves"));
  }

  [[nodiscard]] std::vector<std::uint32_t> by_distance(std::uint32_t from) const {
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t part = 0; part < tree_.size(); ++part)
      if (tree_[part].slots > 0) leaves.push_back(part);
    std::stable_sort(leaves.begin(), leaves.end(), [&](std::uint32_t a, std::uint32_t b) {
      return parts_.common_depth(from, a) > parts_.common_depth(from, b);
    });
    return leaves;
  }

  /// A position in the members of `leaf` whose rank `next` suits.
  [[nodiscard]] std::uint32_t who_may_go(std::uint32_t leaf, std::uint32_t next) const {
    for (std::uint32_t i = 0; i < members_[leaf].size(); ++i)
      if (suits(members_[leaf][i], next)) return i;
    return none;
  }

  void move_along(const std::vector<std::uint32_t>& before, std::uint32_t leaf, std::uint32_t rank) {
    while (before[leaf] != leaf) {
      const std::uint32_t from = before[leaf], position = who_may_go(from, leaf);
      put(members_[from][position], leaf);
      members_[from].erase(members_[from].begin() + position);
      leaf = from;
    }
    put(rank, leaf);
  }

  void put(std::uint32_t rank, std::uint32_t leaf) {
    members_[leaf].push_back(rank);
    mapping_[rank] = leaf;
  }

  const Tree& tree_;
  const Kinds& kinds_;
  Parts parts_;
  Mapping mapping_;
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace

Mapping fit(const Tree& tree, const Kinds& kinds, Mapping mapping, const std::atomic<bool>* stop) {
  return Fitting(tree, kinds, std::move(mapping)).run(stop);
}

}  // namespace orrery::placement
