// SPDX-License-Identifier: BSD-3-Clause
#include "collective/nodes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace orrery::collective {

Nodes::Nodes(const std::vector<std::uint32_t>& node_of_rank) {
  std::unordered_map<std::uint32_t, int> number;
  Ranks ranks_so_far;
  for (const std::uint32_t name : node_of_rank) {
    const auto [found, is_new] = number.try_emplace(name, static_cast<int>(number.size()));
    if (is_new) ranks_so_far.push_back(0);
    node_of_.push_back(found->second);
    place_of_.push_back(ranks_so_far[static_cast<std::size_t>(found->second)]++);
  }
  sort(node_of_, by_node_, begin_of_node_);
  sort(place_of_, by_place_, begin_of_place_);
}

/// Counting sort; keys are numbers from 0 on without a gap.
void Nodes::sort(const Ranks& key_of_rank, Ranks& ranks, Ranks& begins) {
  const int keys = key_of_rank.empty() ? 0 : *std::ranges::max_element(key_of_rank) + 1;
  begins.assign(static_cast<std::size_t>(keys) + 1, 0);
  for (const int key : key_of_rank) ++begins[static_cast<std::size_t>(key) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  ranks.resize(key_of_rank.size());
  Ranks next = begins;
  for (std::size_t rank = 0; rank < key_of_rank.size(); ++rank)
    ranks[static_cast<std::size_t>(next[static_cast<std::size_t>(key_of_rank[rank])]++)] = static_cast<int>(rank);
}

bool Nodes::balanced() const {
  const int last_place = static_cast<int>(begin_of_place_.size()) - 2;
  return last_place >= 0 && at(last_place).size() == static_cast<std::size_t>(count());
}

bool Nodes::consecutive() const { return std::ranges::is_sorted(by_node_); }

}  // namespace orrery::collective
