// SPDX-License-Identifier: BSD-3-Clause
#include "placement/bisection.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <utility>

#include "placement/parts.hpp"

namespace orrery::placement {

namespace {

constexpr std::uint32_t few_enough = 48;  ///< vertices: so few are not merged further

std::vector<std::uint32_t> in_random_order(std::uint32_t number, SplitMix& draw) {
  std::vector<std::uint32_t> order(number);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint32_t i = number; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::uint32_t>(draw.uniform() * i)]);
  return order;
}

/// Vertices change sides one after the other, each at most once in a pass; the best state on the way is kept.
class Changes {
 public:
  /// @param slack sizes that a side may be off by on the way   @param tolerance and at the end
  Changes(const Graph& graph, std::uint32_t first, std::int64_t slack, std::int64_t tolerance, Sides& sides)
      : graph_(graph), slack_(slack), tolerance_(tolerance), sides_(sides), gains_(graph.vertices()) {
    surplus_ = -static_cast<std::int64_t>(first);
    for (std::uint32_t v = 0; v < graph.vertices(); ++v)
      if (sides[v] == 0) surplus_ += graph.sizes[v];
  }

  /// @return whether it became better
  bool pass() {
    prepare();
    double won = 0;
    State best{excess(), 0};
    std::size_t kept = 0;
    const std::size_t patience = 64 + graph_.vertices() / 8;
    for (std::uint32_t v = next(); v != none && moved_.size() < kept + patience; v = next()) {
      won += gains_[v];
      move(v);
      const State now{excess(), -won};
      if (now.first < best.first ||
          (now.first == best.first && now.second < best.second - 1e-12 * (1 + std::abs(won)))) {
        best = now;
        kept = moved_.size();
      }
    }
    while (moved_.size() > kept) {
      flip(moved_.back());
      moved_.pop_back();
    }
    return kept > 0;
  }

 private:
  using State = std::pair<std::int64_t, double>;   ///< sizes off, and loss
  using Entry = std::pair<double, std::uint32_t>;  ///< gain, and vertex
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.first < b.first || (a.first == b.first && a.second > b.second);
    }
  };
  using Queue = std::priority_queue<Entry, std::vector<Entry>, Later>;

  [[nodiscard]] std::int64_t excess() const { return std::max<std::int64_t>(0, std::abs(surplus_) - tolerance_); }

  void prepare() {
    moved_.clear();
    done_.assign(graph_.vertices(), 0);
    queues_[0] = queues_[1] = Queue();
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v) {
      gains_[v] = 0;
      for (std::uint32_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e)
        gains_[v] += sides_[v] != sides_[graph_.peers[e]] ? graph_.weights[e] : -graph_.weights[e];
      queues_[sides_[v]].push({gains_[v], v});
    }
  }

  /// The first of a queue that still is as it says, and may go.
  std::uint32_t top(std::uint8_t side) {
    Queue& queue = queues_[side];
    while (!queue.empty()) {
      const auto [gain, v] = queue.top();
      if (!done_[v] && gain == gains_[v]) {
        const std::int64_t size = graph_.sizes[v];
        const std::int64_t after = std::abs(surplus_ + (side == 0 ? -size : size));
        if (after <= slack_ || after < std::abs(surplus_)) return v;
        return none;
      }
      queue.pop();
    }
    return none;
  }

  std::uint32_t next() {
    const std::uint32_t a = top(0), b = top(1);
    if (a == none || b == none) return a == none ? b : a;
    if (gains_[a] != gains_[b]) return gains_[a] > gains_[b] ? a : b;
    return surplus_ > 0 ? a : b;
  }

  void flip(std::uint32_t v) {
    const std::int64_t size = graph_.sizes[v];
    surplus_ += sides_[v] == 0 ? -size : size;
    sides_[v] ^= 1;
  }

  void move(std::uint32_t v) {
    flip(v);
    done_[v] = 1;
    moved_.push_back(v);
    for (std::uint32_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const std::uint32_t u = graph_.peers[e];
      gains_[u] += sides_[v] != sides_[u] ? 2 * graph_.weights[e] : -2 * graph_.weights[e];
      if (!done_[u]) queues_[sides_[u]].push({gains_[u], u});
    }
  }

  const Graph& graph_;
  std::int64_t slack_, tolerance_, surplus_;  ///< sizes that the first side has too much
  Sides& sides_;
  std::vector<double> gains_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> moved_;
  Queue queues_[2];
};

/// What is wanted of a division.
struct Wanted {
  std::uint32_t first;  ///< sizes on the first side
  std::int64_t slack;   ///< by which it may be off on the way: much lets whole clusters change sides, little is quick
  const std::atomic<bool>* stop;
};

void refine(const Graph& graph, const Wanted& wanted, Sides& sides) {
  const std::int64_t largest = *std::max_element(graph.sizes.begin(), graph.sizes.end());
  Changes changes(graph, wanted.first, std::max(wanted.slack, largest), largest == 1 ? 0 : largest, sides);
  for (int turn = 0; turn < 12 && changes.pass(); ++turn) look_at(wanted.stop);
}

/// By vertex: the vertex of the smaller graph that it becomes a part of. Each takes the free neighbour with the
/// heaviest edge; those without neighbours go together, too.
std::vector<std::uint32_t> matched(const Graph& graph, std::uint32_t& number, SplitMix& draw) {
  const std::uint64_t total = std::accumulate(graph.sizes.begin(), graph.sizes.end(), std::uint64_t{0});
  const std::uint64_t most = std::max<std::uint64_t>(2, total / (few_enough / 3));
  std::vector<std::uint32_t> joined(graph.vertices(), none);
  std::uint32_t lonely = none;
  number = 0;
  for (const std::uint32_t v : in_random_order(graph.vertices(), draw)) {
    if (joined[v] != none) continue;
    std::uint32_t other = none;
    double heaviest = 0;
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const std::uint32_t u = graph.peers[e];
      const double weight = graph.weights[e] / graph.sizes[u];
      if (u == v || joined[u] != none || weight <= heaviest || graph.sizes[u] + graph.sizes[v] > most) continue;
      heaviest = weight;
      other = u;
    }
    const bool alone = graph.offsets[v] == graph.offsets[v + 1];
    if (alone) other = std::exchange(lonely, lonely == none ? v : none);
    if (alone && (other == none || graph.sizes[other] + graph.sizes[v] > most)) {
      joined[v] = number++;
      continue;
    }
    joined[v] = alone ? joined[other] : number++;
    if (other != none) joined[other] = joined[v];
  }
  return joined;
}

Graph merged(const Graph& graph, const std::vector<std::uint32_t>& joined, std::uint32_t number) {
  Graph small;
  small.sizes.assign(number, 0);
  std::vector<std::vector<std::uint32_t>> members(number);
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    small.sizes[joined[v]] += graph.sizes[v];
    members[joined[v]].push_back(v);
  }
  std::vector<std::uint32_t> place(number, none);
  for (std::uint32_t vertex = 0; vertex < number; ++vertex) {
    const auto begin = static_cast<std::uint32_t>(small.peers.size());
    for (const std::uint32_t v : members[vertex]) {
      for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
        const std::uint32_t peer = joined[graph.peers[e]];
        if (peer == vertex) continue;
        if (place[peer] == none || place[peer] < begin) {
          place[peer] = static_cast<std::uint32_t>(small.peers.size());
          small.peers.push_back(peer);
          small.weights.push_back(0);
        }
        small.weights[place[peer]] += graph.weights[e];
      }
    }
    for (std::uint32_t e = begin; e < small.peers.size(); ++e) place[small.peers[e]] = none;
    small.offsets.push_back(static_cast<std::uint32_t>(small.peers.size()));
  }
  return small;
}

/// The first side grows from a vertex: what is tied to it most, measured against the rest, joins next.
Sides grown(const Graph& graph, std::uint32_t first, SplitMix& draw) {
  Sides sides(graph.vertices(), 1);
  std::vector<double> ties(graph.vertices(), 0);
  for (std::uint32_t v = 0; v < graph.vertices(); ++v)
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) ties[v] -= graph.weights[e];
  std::uint64_t size = 0;
  auto next = static_cast<std::uint32_t>(draw.uniform() * graph.vertices());
  while (next != none) {
    sides[next] = 0;
    size += graph.sizes[next];
    for (std::uint32_t e = graph.offsets[next]; e < graph.offsets[next + 1]; ++e)
      ties[graph.peers[e]] += 2 * graph.weights[e];
    next = none;
    for (std::uint32_t v = 0; v < graph.vertices(); ++v)
      if (sides[v] == 1 && size + graph.sizes[v] <= first && (next == none || ties[v] > ties[next])) next = v;
  }
  return sides;
}

Sides divided(const Graph& graph, const Wanted& wanted, SplitMix& draw) {
  if (graph.vertices() > few_enough) {
    std::uint32_t number = 0;
    const std::vector<std::uint32_t> joined = matched(graph, number, draw);
    if (number < graph.vertices() - graph.vertices() / 20) {
      const Sides small = divided(merged(graph, joined, number), wanted, draw);
      Sides sides(graph.vertices());
      for (std::uint32_t v = 0; v < graph.vertices(); ++v) sides[v] = small[joined[v]];
      refine(graph, wanted, sides);
      return sides;
    }
  }
  Sides best;
  for (int start = 0; start < 8; ++start) {
    Sides sides = grown(graph, wanted.first, draw);
    refine(graph, wanted, sides);
    if (best.empty() || cut_of(graph, sides) < cut_of(graph, best)) best = std::move(sides);
  }
  return best;
}

}  // namespace

double cut_of(const Graph& graph, const Sides& sides) {
  double cut = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v)
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      if (sides[v] != sides[graph.peers[e]]) cut += graph.weights[e];
  return cut / 2;
}

Sides bisect(const Graph& graph, std::uint32_t first, SplitMix& draw, const std::atomic<bool>* stop) {
  if (first == 0 || first >= graph.vertices()) return Sides(graph.vertices(), first == 0 ? 1 : 0);
  const std::size_t work = graph.peers.size() + graph.vertices();
  const std::size_t starts = std::clamp<std::size_t>(1'000'000 / work, 4, 24);
  Sides best;
  double least = 0;
  for (std::size_t start = 0; start < starts; ++start) {
    look_at(stop);
    Sides sides = divided(graph, {first, start % 2 == 0 ? 1 : graph.vertices() / 8, stop}, draw);
    const double cut = cut_of(graph, sides);
    if (!best.empty() && cut >= least) continue;
    best = std::move(sides);
    least = cut;
    if (least == 0) break;
  }
  return best;
}

}  // namespace orrery::placement
