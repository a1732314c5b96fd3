// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/four_heap.hpp"

namespace orrery::sharing {

/// Progressive filling: the rates of all flows rise together from 0, in proportion to their weights. A flow stops
/// ("is filled") when it is at its bound or when one of its links is full. The result is max-min fair.
///
/// Flows and links are numbered from 0 here, in the order in which they are added, so memory depends only on the size
/// of the part of a system that is solved.
///
/// Cost: O(n log n), n the number of (flow, link) pairs. No allocation below the largest system so far. Results depend
/// on the order of the links in a flow's route and on `order` of links, not on the order of flows. Up to few_enough
/// flows, the common case, are filled without tables, with bit-identical rates.
class Filling {
 public:
  using Index = std::uint32_t;
  static constexpr Index none = ~Index{0};
  /// Share of a link that holds no flow back. 0 would be the share of flows on a link without room.
  static constexpr double no_share = -1;

  struct Link {
    double room = 0;          ///< capacity left for flows that are not filled; at the end, unused capacity
    double fastest = 0;       ///< highest level of the flows that are filled
    double share = no_share;  ///< level of the flows that it holds back
    std::uint32_t order = 0;
    std::uint32_t flows = 0;
    std::uint32_t members = 0;   ///< a bit for each of its flows with a number below few_enough
    std::uint32_t unfilled = 0;  ///< number of its flows that are not filled
    double weights = 0;          ///< sum of the weights of its flows
    double unfilled_weights = 0;
    std::uint32_t end = 0;  ///< end of its flows in `flows_on_link_`, if it has several; used by `fill_many`

    /// Resets it: none of its flows is filled.
    void begin() {
      fastest = 0;
      share = no_share;
      unfilled = flows;
      unfilled_weights = weights;
    }
  };

  void clear();
  /// @param order unique; decides which of two links with the same share is first
  Index add_link(std::uint32_t order);
  /// @param bound of its rate, positive   @param weight rate relative to flows with weight 1 and the same bottleneck
  void add_flow(double bound, double weight = 1);
  /// Adds a link to the route of the flow that was added last. The link must not be on it.
  void cross(Index id) {
    crossed_.push_back(id);
    Link& link = links_[id];
    ++link.flows;
    link.members |= newest_;
    link.weights += flows_.back().weight;
  }
  /// Sets the capacity of a link, not negative. `fill` changes it: set it before each `fill`.
  void set_room(Index link, double room) { links_[link].room = room; }

  void fill();

  [[nodiscard]] std::span<const Link> links() const { return links_; }
  [[nodiscard]] double rate(Index flow) const { return flows_[flow].level * flows_[flow].weight; }
  /// Rate of a flow per unit of its weight.
  [[nodiscard]] double level(Index flow) const { return flows_[flow].level; }
  /// The link that holds a flow back; none: it runs at its bound.
  [[nodiscard]] Index bottleneck(Index flow) const { return flows_[flow].bottleneck; }

 private:
  struct Flow {
    double bound = 0;
    double weight = 1;
    double level = 0;  ///< before it is filled: its limit
    Index bottleneck = none;
    std::uint32_t first_crossed = 0;
  };

  /// Fair share of a link, by its room so far. It can only rise.
  struct Level {
    double share;
    std::uint32_t order;
    Index link;
    friend bool operator<(const Level& a, const Level& b) {
      return order_key(a.share, a.order) < order_key(b.share, b.order);
    }
  };

  /// Level of a flow at its limit (see `limit`).
  struct Limit {
    double level;
    Index flow;
    auto operator<=>(const Limit&) const = default;
  };

  static constexpr std::size_t few_enough = 8;

  [[nodiscard]] std::span<const Index> crossed_by(Index flow) const;
  void fill_few();
  [[nodiscard]] Level smallest_share() const;
  void fill_few_up_to(double level, std::uint32_t& unfilled);
  void take_from_links(Index flow, double level);
  void fill_many();
  void prepare_links();
  void prepare_flows();
  void limit(Index flow);
  void sort_limits();
  void fill_up_to(double level);
  void fill_flow(Index flow, double level, Index bottleneck);
  void fill_link(Index link, double share);
  void sink(std::size_t place, Level level);
  void pop_level();

  std::uint32_t newest_ = 0;  ///< the bit of the flow that was added last; 0 if its number is not below few_enough
  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<Index> crossed_;        ///< links, flow by flow
  std::vector<Index> flows_on_link_;  ///< link by link
  std::vector<Level> levels_;         ///< heap of the links with several flows, smallest share first
  std::vector<std::uint8_t> filled_;  ///< by flow: whether it is filled
  std::vector<Limit> limits_;         ///< the smallest first
  std::size_t next_limit_ = 0;        ///< flows with earlier limits are filled
  std::size_t unfilled_ = 0;
};

}  // namespace orrery::sharing
