// SPDX-License-Identifier: BSD-3-Clause
#include "collective/places.hpp"

#include <numeric>
#include <unordered_map>
#include <utility>

namespace orrery::collective {
namespace {

using Parts = std::vector<std::vector<int>>;

/// The ranks by part, parts in the order of their first ranks.
Parts split(const std::vector<int>& ranks, const std::vector<std::uint32_t>& part_of_rank) {
  Parts parts;
  std::unordered_map<std::uint32_t, std::size_t> number;
  for (const int rank : ranks) {
    const auto [found, is_new] = number.try_emplace(part_of_rank[static_cast<std::size_t>(rank)], parts.size());
    if (is_new) parts.emplace_back();
    parts[found->second].push_back(rank);
  }
  return parts;
}

Places::Mask bit(std::string_view level) {
  for (std::size_t i = 0; i < Places::names.size(); ++i)
    if (Places::names[i] == level) return Places::Mask{1} << i;
  return 0;
}

}  // namespace

Grouping::Grouping(int size, const std::vector<const std::vector<std::uint32_t>*>& levels)
    : leaf_of_rank_(static_cast<std::size_t>(size)) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  groups_.push_back({.ranks = size});
  rank_at_.resize(static_cast<std::size_t>(size));
  divide(0, std::move(ranks), levels, 0);
}

void Grouping::divide(int index, std::vector<int> ranks, const std::vector<const std::vector<std::uint32_t>*>& levels,
                      std::size_t level) {
  if (ranks.size() == 1) {
    leaf_of_rank_[static_cast<std::size_t>(ranks[0])] = index;
    rank_at_[static_cast<std::size_t>(group(index).begin)] = ranks[0];
    in_rank_order_ = in_rank_order_ && group(index).begin == ranks[0];
    return;
  }
  Parts parts;
  while (level < levels.size() && parts.size() < 2) parts = split(ranks, *levels[level++]);
  if (parts.size() < 2) {  // nothing divides them but that they are different ranks
    parts.clear();
    for (const int rank : ranks) parts.push_back({rank});
  }
  const auto first = static_cast<int>(groups_.size());
  int begin = group(index).begin;
  for (const std::vector<int>& part : parts) {
    const auto count = static_cast<int>(part.size());
    groups_.push_back({.parent = index, .begin = begin, .ranks = count, .lowest = part[0]});
    begin += count;
  }
  groups_[static_cast<std::size_t>(index)].first_child = first;
  groups_[static_cast<std::size_t>(index)].children = static_cast<int>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    divide(first + static_cast<int>(i), std::move(parts[i]), levels, level);
}

int Grouping::master(int index, int root) const {
  const int place = position(root);
  const Group& of = group(index);
  return place >= of.begin && place < of.begin + of.ranks ? root : of.lowest;
}

std::vector<Grouping::Stage> Grouping::stages(int rank, int root) const {
  std::vector<Stage> found;
  for (int child = leaf(rank); group(child).parent >= 0 && master(child, root) == rank; child = group(child).parent) {
    const int parent = group(child).parent;
    int of_master = leaf(master(parent, root));
    while (group(of_master).parent != parent) of_master = group(of_master).parent;
    const int first = group(parent).first_child;
    found.push_back({parent, child - first, group(parent).children, of_master - first});
  }
  return found;
}

const Nodes* Places::nodes() const {
  if (nodes_) return &*nodes_;
  for (const Level& level : levels_)
    if (level.name == "node") return &nodes_.emplace(level.part_of_rank);
  return nullptr;
}

const Grouping& Places::grouping(Mask mask) const {
  const auto found = groupings_.find(mask);
  if (found != groupings_.end()) return found->second;
  std::vector<const std::vector<std::uint32_t>*> chosen;
  for (const Level& level : levels_)
    if (mask == all_levels || (mask & bit(level.name)) != 0) chosen.push_back(&level.part_of_rank);
  return groupings_.emplace(mask, Grouping(size_, chosen)).first->second;
}

}  // namespace orrery::collective
