// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/split_mix.hpp"
#include "placement/parts.hpp"

namespace orrery::placement {

namespace {

constexpr std::size_t most_leaves = 12;  ///< that a rank is tried on in a pass: those with most of what it exchanges
constexpr int most_passes = 24;

/// Swaps pairs while that lowers C; each trial costs what the two ranks have entries. Numbers beyond the ranks are free
/// slots.
class Exchange {
 public:
  Exchange(const Traffic& traffic, const Tree& tree, const Kinds& kinds, Mapping mapping, std::uint64_t seed)
      : traffic_(traffic),
        tree_(tree),
        kinds_(kinds),
        parts_(tree),
        mapping_(std::move(mapping)),
        members_(tree.size()),
        crossing_(crossing_bytes(traffic, parts_, mapping_)),
        ties_(tree.size(), 0),
        draw_(seed),
        busiest_first_(tree.size()),
        least_(1e-12 * cost(traffic, tree, mapping_).total_s()),
        enough_(2e8 * least_) {
    std::iota(busiest_first_.begin(), busiest_first_.end(), 0);
    for (std::uint32_t rank = 0; rank < mapping_.size(); ++rank) join(rank, mapping_[rank]);
    for (std::uint32_t part = 0; part < tree.size(); ++part) {
      while (members_[part].size() < tree[part].slots) {
        mapping_.push_back(part);
        join(static_cast<std::uint32_t>(mapping_.size() - 1), part);
      }
      if (tree[part].slots > 0) leaves_.push_back(part);
    }
    find_busiest();
  }

  Mapping run(const std::atomic<bool>* stop) {
    for (int pass = 0; pass < most_passes; ++pass) {
      double won = 0;
      for (std::uint32_t rank = 0; rank < traffic_.ranks(); ++rank) {
        look_at(stop);
        won += improve(rank);
      }
      if (won <= enough_ * static_cast<double>(pass)) break;
    }
    mapping_.resize(traffic_.ranks());
    return std::move(mapping_);
  }

 private:
  /// How the bytes that cross borders change along the way of a leaf, by depth.
  struct Way {
    std::uint32_t leaf = 0, from = 0;  ///< depths from `from` on have only one of the two leaves
    std::vector<double> bytes;
  };

  void join(std::uint32_t rank, std::uint32_t leaf) {
    position_.resize(std::max<std::size_t>(position_.size(), rank + 1));
    position_[rank] = static_cast<std::uint32_t>(members_[leaf].size());
    members_[leaf].push_back(rank);
  }

  [[nodiscard]] double busy_s(std::uint32_t part) const { return crossing_[part] * tree_[part].border_byte_s; }

  /// The busiest parts first: enough that one of them is on neither way of a swap.
  void find_busiest() {
    const std::size_t enough = std::min(tree_.size(), std::size_t{2} * parts_.levels() + 1);
    std::partial_sort(
        busiest_first_.begin(), busiest_first_.begin() + static_cast<std::ptrdiff_t>(enough), busiest_first_.end(),
        [&](std::uint32_t a, std::uint32_t b) { return busy_s(a) > busy_s(b) || (busy_s(a) == busy_s(b) && a < b); });
  }

  [[nodiscard]] bool suits(std::uint32_t rank, std::uint32_t leaf) const {
    return rank >= traffic_.ranks() || kinds_.suit(rank, leaf);
  }

  /// Leaves that have most of what a rank exchanges, and one that is drawn.
  std::vector<std::uint32_t> near(std::uint32_t rank) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t e = traffic_.offsets[rank]; e < traffic_.offsets[rank + 1]; ++e) {
      const std::uint32_t leaf = mapping_[traffic_.peers[e]];
      if (ties_[leaf] == 0) found.push_back(leaf);
      ties_[leaf] += 1e-300 + pair_s(traffic_, e, tree_[0]);
    }
    std::stable_sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) { return ties_[a] > ties_[b]; });
    for (const std::uint32_t leaf : found) ties_[leaf] = 0;
    if (found.size() > most_leaves) found.resize(most_leaves);
    found.push_back(leaves_[static_cast<std::size_t>(draw_.uniform() * static_cast<double>(leaves_.size()))]);
    return found;
  }

  /// Makes the best swap of a rank, if one lowers C. @return seconds that it won
  double improve(std::uint32_t rank) {
    double best = -least_;
    std::uint32_t with = none;
    for (const std::uint32_t leaf : near(rank)) {
      if (leaf == mapping_[rank] || !suits(rank, leaf)) continue;
      bool tried_free = false;
      for (const std::uint32_t other : members_[leaf]) {
        const bool free = other >= traffic_.ranks();
        if ((free && std::exchange(tried_free, true)) || !suits(other, mapping_[rank])) continue;
        const double change = trial(rank, other);
        if (change < best) {
          best = change;
          with = other;
        }
      }
    }
    if (with == none) return 0;
    swap(rank, with);
    return -best;
  }

  /// What C becomes more by a swap.
  double trial(std::uint32_t rank, std::uint32_t other) {
    prepare(rank, other);
    double more = 0;
    if (rank < traffic_.ranks()) more += leave(rank, other, here_, there_);
    if (other < traffic_.ranks()) more += leave(other, rank, there_, here_);
    double busiest = 0;
    for (const Way* way : {&here_, &there_})
      for (std::uint32_t depth = way->from; depth <= parts_.depth(way->leaf); ++depth) {
        const std::uint32_t part = parts_.around(way->leaf, depth);
        busiest = std::max(busiest, (crossing_[part] + way->bytes[depth]) * tree_[part].border_byte_s);
      }
    for (const std::uint32_t part : busiest_first_) {
      if (changes(here_, part) || changes(there_, part)) continue;
      busiest = std::max(busiest, busy_s(part));
      break;
    }
    return more / traffic_.ranks() + busiest - busy_s(busiest_first_.front());
  }

  void prepare(std::uint32_t rank, std::uint32_t other) {
    const std::uint32_t from = parts_.common_depth(mapping_[rank], mapping_[other]) + 1;
    here_.leaf = mapping_[rank];
    there_.leaf = mapping_[other];
    for (Way* way : {&here_, &there_}) {
      way->from = from;
      way->bytes.assign(parts_.levels(), 0);
    }
  }

  [[nodiscard]] bool changes(const Way& way, std::uint32_t part) const {
    const std::uint32_t depth = parts_.depth(part);
    return depth >= way.from && depth <= parts_.depth(way.leaf) && parts_.around(way.leaf, depth) == part;
  }

  /// A rank goes from the leaf of `old` to that of `fresh`; what it exchanges with `partner`, who comes back, stays as
  /// it is.
  /// @return seconds that its pairs take more
  double leave(std::uint32_t rank, std::uint32_t partner, Way& old, Way& fresh) {
    double more = 0;
    for (std::uint32_t e = traffic_.offsets[rank]; e < traffic_.offsets[rank + 1]; ++e) {
      const std::uint32_t peer = traffic_.peers[e];
      if (peer == partner || peer == rank) continue;
      const std::uint32_t leaf = mapping_[peer];
      const std::uint32_t before = parts_.common_depth(old.leaf, leaf), after = parts_.common_depth(fresh.leaf, leaf);
      if (before != after)
        more += pair_s(traffic_, e, tree_[parts_.around(leaf, after)]) -
                pair_s(traffic_, e, tree_[parts_.around(leaf, before)]);
      shift(old, before, traffic_.bytes[e]);
      shift(fresh, after, -traffic_.bytes[e]);
    }
    return more;
  }

  /// Bytes with a peer no longer cross borders that have it not (sign +: they begin to cross those that have it).
  void shift(Way& way, std::uint32_t common, double bytes) const {
    for (std::uint32_t depth = way.from; depth <= parts_.depth(way.leaf); ++depth)
      way.bytes[depth] += depth <= common ? bytes : -bytes;
  }

  void swap(std::uint32_t rank, std::uint32_t other) {
    trial(rank, other);
    for (const Way* way : {&here_, &there_})
      for (std::uint32_t depth = way->from; depth <= parts_.depth(way->leaf); ++depth)
        crossing_[parts_.around(way->leaf, depth)] += way->bytes[depth];
    std::swap(members_[mapping_[rank]][position_[rank]], members_[mapping_[other]][position_[other]]);
    std::swap(position_[rank], position_[other]);
    std::swap(mapping_[rank], mapping_[other]);
    find_busiest();
  }

  const Traffic& traffic_;
  const Tree& tree_;
  const Kinds& kinds_;
  Parts parts_;
  Mapping mapping_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> position_, leaves_;
  std::vector<double> crossing_, ties_;
  SplitMix draw_;
  std::vector<std::uint32_t> busiest_first_;
  double least_;   ///< seconds: less is rounding, no gain
  double enough_;  ///< seconds: the later a pass, the more of these it must win for another one
  Way here_, there_;
};

}  // namespace

Mapping exchange(const Traffic& traffic, const Tree& tree, const Kinds& kinds, Mapping mapping, std::uint64_t seed,
                 const std::atomic<bool>* stop) {
  return Exchange(traffic, tree, kinds, std::move(mapping), seed).run(stop);
}

}  // namespace orrery::placement
