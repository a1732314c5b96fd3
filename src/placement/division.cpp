// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <span>

#include "placement/bisection.hpp"
#include "placement/parts.hpp"

namespace orrery::placement {

namespace {

/// Divides ranks among parts. Numbers beyond the ranks stand for free slots, which exchange nothing.
class Division {
 public:
  Division(const Traffic& traffic, const Tree& tree, std::uint64_t seed, const std::atomic<bool>* stop)
      : traffic_(traffic), tree_(tree), stop_(stop), inside_(tree.size()), room_(tree.size(), 0), draw_(seed) {
    for (std::uint32_t part = 0; part < tree.size(); ++part) {
      room_[part] = tree[part].slots;
      if (part > 0) inside_[tree[part].parent].push_back(part);
    }
    for (auto part = static_cast<std::uint32_t>(tree.size()); part-- > 1;) room_[tree[part].parent] += room_[part];
    number_.assign(room_[0], none);
    mapping_.assign(room_[0], 0);
  }

  Mapping run() {
    std::vector<std::uint32_t> all(room_[0]);
    std::iota(all.begin(), all.end(), 0);
    into(0, all);
    mapping_.resize(traffic_.ranks());
    return mapping_;
  }

 private:
  using Ranks = std::vector<std::uint32_t>;

  void into(std::uint32_t part, const Ranks& ranks) {
    if (!inside_[part].empty()) return among(part, inside_[part], ranks);
    for (const std::uint32_t rank : ranks) mapping_[rank] = part;
  }

  /// Halves the parts, and the ranks with them.
  void among(std::uint32_t around, std::span<const std::uint32_t> parts, const Ranks& ranks) {
    if (parts.size() == 1) return into(parts[0], ranks);
    std::size_t half = 0;
    std::uint32_t room = 0;
    while (half + 1 < parts.size() && (half == 0 || room + room_[parts[half]] <= (ranks.size() + 1) / 2))
      room += room_[parts[half++]];
    const Sides sides = bisect(graph_of(around, parts[0], ranks), room, draw_, stop_);
    Ranks first, second;
    for (std::size_t i = 0; i < ranks.size(); ++i) (sides[i] == 0 ? first : second).push_back(ranks[i]);
    among(around, parts.first(half), first);
    among(around, parts.subspan(half), second);
  }

  /// Edges weigh what it costs their ends to be in different parts of `around` rather than in one.
  Graph graph_of(std::uint32_t around, std::uint32_t inside, const Ranks& ranks) {
    Part apart = tree_[around];
    apart.message_s = std::max(0.0, apart.message_s - tree_[inside].message_s);
    apart.byte_s = std::max(0.0, apart.byte_s - tree_[inside].byte_s);
    if (apart.message_s == 0 && apart.byte_s == 0) apart = Part{.message_s = 1, .byte_s = 1};
    Graph graph;
    graph.sizes.assign(ranks.size(), 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) number_[ranks[i]] = static_cast<std::uint32_t>(i);
    for (const std::uint32_t rank : ranks) {
      if (rank < traffic_.ranks()) {
        for (std::uint32_t e = traffic_.offsets[rank]; e < traffic_.offsets[rank + 1]; ++e) {
          const std::uint32_t peer = number_[traffic_.peers[e]];
          if (peer == none || traffic_.peers[e] == rank) continue;
          graph.peers.push_back(peer);
          graph.weights.push_back(pair_s(traffic_, e, apart));
        }
      }
      graph.offsets.push_back(static_cast<std::uint32_t>(graph.peers.size()));
    }
    for (const std::uint32_t rank : ranks) number_[rank] = none;
    return graph;
  }

  const Traffic& traffic_;
  const Tree& tree_;
  const std::atomic<bool>* stop_;
  std::vector<std::vector<std::uint32_t>> inside_;  ///< by part: its parts
  std::vector<std::uint32_t> room_;                 ///< by part: slots of all of its leaves
  std::vector<std::uint32_t> number_;               ///< by rank: in the graph that is being made
  Mapping mapping_;
  SplitMix draw_;
};

}  // namespace

Mapping divide(const Traffic& traffic, const Tree& tree, std::uint64_t seed, const std::atomic<bool>* stop) {
  return Division(traffic, tree, seed, stop).run();
}

}  // namespace orrery::placement
