// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/nodes.hpp"

namespace orrery::collective {

/// Ranks in groups of groups: a tree whose root (group 0) is all ranks and whose leaves are single ranks. A level that
/// does not divide a group is not in it. The children of a group are numbered one after the other, by their lowest
/// ranks; `position` is the place of a rank if ranks are listed group by group.
class Grouping {
 public:
  struct Group {
    int parent = -1;
    int first_child = 0;
    int children = 0;  ///< 0: a leaf
    int begin = 0;     ///< position of its first rank
    int ranks = 0;
    int lowest = 0;  ///< rank
  };
  /// A group whose subgroups talk to each other, each through one rank, its master.
  struct Stage {
    int group;  ///< 0: the outermost
    int self;   ///< which of the subgroups this rank speaks for
    int count;  ///< subgroups
    int root;   ///< which of them has the master of the whole group
  };

  /// @param part_of_rank by level, outermost first, then by rank
  Grouping(int size, const std::vector<const std::vector<std::uint32_t>*>& part_of_rank);

  [[nodiscard]] const Group& group(int index) const { return groups_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int leaf(int rank) const { return leaf_of_rank_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int rank_at(int position) const { return rank_at_[static_cast<std::size_t>(position)]; }
  [[nodiscard]] int position(int rank) const { return group(leaf(rank)).begin; }
  /// Positions are ranks: each group has consecutive ranks.
  [[nodiscard]] bool in_rank_order() const { return in_rank_order_; }

  /// The lowest rank of a group speaks for it; that of a group with the root is the root.
  [[nodiscard]] int master(int group, int root) const;
  /// In which this rank takes part, innermost first.
  [[nodiscard]] std::vector<Stage> stages(int rank, int root) const;

 private:
  void divide(int group, std::vector<int> ranks, const std::vector<const std::vector<std::uint32_t>*>& levels,
              std::size_t level);

  std::vector<Group> groups_;
  std::vector<int> leaf_of_rank_;
  std::vector<int> rank_at_;
  bool in_rank_order_ = true;
};

/// Where the ranks of a communicator are: in which part of the hardware, level by level, outermost first.
class Places {
 public:
  struct Level {
    std::string name;                         ///< one of `names`, or another
    std::vector<std::uint32_t> part_of_rank;  ///< any numbers
  };
  static constexpr std::array<std::string_view, 5> names{"site", "cluster", "cabinet", "node", "socket"};
  using Mask = std::uint32_t;                   ///< a bit for each of `names`
  static constexpr Mask all_levels = ~Mask{0};  ///< those of other names, too

  Places(int size, std::vector<Level> levels) : size_(size), levels_(std::move(levels)) {}

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  /// Groups by the levels of the mask; made when it is first asked for. Valid as long as this.
  [[nodiscard]] const Grouping& grouping(Mask mask = all_levels) const;
  /// Null where the level "node" is not known; valid as long as this, too.
  [[nodiscard]] const Nodes* nodes() const;

 private:
  int size_;
  std::vector<Level> levels_;
  mutable std::map<Mask, Grouping> groupings_;
  mutable std::optional<Nodes> nodes_;
};

}  // namespace orrery::collective
