// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/filling.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace orrery::sharing {

void Filling::clear() {
  flows_.clear();
  links_.clear();
  crossed_.clear();
}

Filling::Index Filling::add_link(std::uint32_t order) {
  links_.push_back({.order = order});
  return static_cast<Index>(links_.size() - 1);
}

void Filling::add_flow(double bound, double weight) {
  newest_ = flows_.size() < few_enough ? std::uint32_t{1} << flows_.size() : 0;
  flows_.push_back({.bound = bound, .weight = weight, .first_crossed = static_cast<std::uint32_t>(crossed_.size())});
}

std::span<const Filling::Index> Filling::crossed_by(Index flow) const {
  const std::size_t begin = flows_[flow].first_crossed;
  const std::size_t end = flow + std::size_t{1} < flows_.size() ? flows_[flow + 1].first_crossed : crossed_.size();
  return {crossed_.data() + begin, end - begin};
}

void Filling::fill() { flows_.size() <= few_enough ? fill_few() : fill_many(); }

/// Same result as `fill_many`, by a search of all links and unfilled flows in each step.
void Filling::fill_few() {
  for (Link& link : links_) link.begin();
  for (Index flow = 0; flow < flows_.size(); ++flow) limit(flow);
  std::uint32_t unfilled = (std::uint32_t{1} << flows_.size()) - 1;
  while (unfilled != 0) {
    const Level level = smallest_share();
    const std::uint32_t before = unfilled;
    fill_few_up_to(level.share, unfilled);
    if (unfilled != before) continue;  // flows that stopped below the share leave more for the others
    links_[level.link].share = level.share;
    for (std::uint32_t left = links_[level.link].members & unfilled; left != 0; left &= left - 1) {
      const auto flow = static_cast<Index>(std::countr_zero(left));
      flows_[flow].level = level.share;
      flows_[flow].bottleneck = level.link;
      take_from_links(flow, level.share);
    }
    unfilled &= ~links_[level.link].members;
  }
}

/// Smallest share of the links with several flows that are not all filled; infinity if there is no such link.
Filling::Level Filling::smallest_share() const {
  Level smallest{std::numeric_limits<double>::infinity(), none, none};
  for (Index i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    if (link.flows <= 1 || link.unfilled == 0) continue;
    const Level level{link.room / link.unfilled_weights, link.order, i};
    if (level < smallest) smallest = level;
  }
  return smallest;
}

/// Same as `fill_up_to`, for few flows: the smallest limit first.
void Filling::fill_few_up_to(double level, std::uint32_t& unfilled) {
  while (unfilled != 0) {
    auto first = static_cast<Index>(std::countr_zero(unfilled));
    for (std::uint32_t left = unfilled & (unfilled - 1); left != 0; left &= left - 1) {
      const auto flow = static_cast<Index>(std::countr_zero(left));
      if (flows_[flow].level < flows_[first].level) first = flow;
    }
    const Flow& flow = flows_[first];
    if (flow.level > level) return;
    if (flow.bottleneck != none) links_[flow.bottleneck].share = flow.level;
    take_from_links(first, flow.level);
    unfilled &= ~(std::uint32_t{1} << first);
  }
}

void Filling::take_from_links(Index flow, double level) {
  const double weight = flows_[flow].weight;
  for (const Index id : crossed_by(flow)) {
    Link& link = links_[id];
    link.room = std::max(0.0, link.room - level * weight);
    link.fastest = std::max(link.fastest, level);
    link.unfilled_weights -= weight;
    --link.unfilled;
  }
}

void Filling::fill_many() {
  prepare_links();
  prepare_flows();
  while (unfilled_ > 0 && !levels_.empty()) {
    // Flows that stop below the share of a link leave more for the others. So shares only rise, and all unfilled flows
    // reach the smallest share known. A link whose share has risen goes back into the heap.
    const Level level = levels_.front();
    fill_up_to(level.share);
    const Link& link = links_[level.link];
    const double share = link.unfilled > 0 ? link.room / link.unfilled_weights : 0;
    if (link.unfilled > 0 && share > level.share) {
      sink(0, {share, level.order, level.link});
    } else {
      pop_level();
      if (link.unfilled > 0) fill_link(level.link, share);
    }
  }
  fill_up_to(std::numeric_limits<double>::infinity());
}

/// Puts the first share of each link with several flows into the heap, and assigns a range of `flows_on_link_` to them.
void Filling::prepare_links() {
  levels_.clear();
  std::uint32_t end = 0;
  for (Index i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    link.begin();
    link.end = end;  // begin of the range; `prepare_flows` fills it and moves `end`
    if (link.flows <= 1) continue;
    end += link.flows;
    levels_.push_back({link.room / link.weights, link.order, i});
  }
  flows_on_link_.resize(end);
  for (std::size_t place = (levels_.size() + 2) / 4; place-- > 0;) sink(place, levels_[place]);
}

void Filling::prepare_flows() {
  unfilled_ = flows_.size();
  filled_.assign(flows_.size(), 0);
  limits_.clear();
  for (Index flow = 0; flow < flows_.size(); ++flow) {
    limit(flow);
    limits_.push_back({flows_[flow].level, flow});
    for (const Index id : crossed_by(flow)) {
      if (links_[id].flows > 1) flows_on_link_[links_[id].end++] = flow;
    }
  }
  sort_limits();
}

/// Computes the limit of a flow: the highest level that its bound and the links where it is the only flow allow.
void Filling::limit(Index flow) {
  const double weight = flows_[flow].weight;
  double most = flows_[flow].bound / weight;
  Index bottleneck = none;
  for (const Index id : crossed_by(flow)) {
    const Link& link = links_[id];
    if (link.flows == 1 && link.room / weight < most) {
      most = link.room / weight;
      bottleneck = id;
    }
  }
  flows_[flow].level = most;
  flows_[flow].bottleneck = bottleneck;
}

/// Sorts the limits. Most flows have the largest limit, so only the others need be sorted.
void Filling::sort_limits() {
  next_limit_ = 0;
  if (limits_.empty()) return;
  const double largest = std::max_element(limits_.begin(), limits_.end())->level;
  const auto smaller = [largest](const Limit& limit) { return limit.level < largest; };
  std::sort(limits_.begin(), std::partition(limits_.begin(), limits_.end(), smaller));
}

/// Fills all flows whose limit is at most `level`, a level that all unfilled flows reach.
void Filling::fill_up_to(double level) {
  for (; next_limit_ < limits_.size() && limits_[next_limit_].level <= level; ++next_limit_) {
    const Index flow = limits_[next_limit_].flow;
    if (filled_[flow] != 0) continue;
    const Flow& state = flows_[flow];
    if (state.bottleneck != none) links_[state.bottleneck].share = state.level;
    fill_flow(flow, state.level, state.bottleneck);
  }
}

void Filling::fill_flow(Index flow, double level, Index bottleneck) {
  Flow& state = flows_[flow];
  filled_[flow] = 1;
  state.level = level;
  state.bottleneck = bottleneck;
  --unfilled_;
  take_from_links(flow, level);
}

void Filling::fill_link(Index link, double share) {
  links_[link].share = share;
  const std::uint32_t end = links_[link].end;
  for (std::uint32_t i = end - links_[link].flows; i < end && links_[link].unfilled > 0; ++i) {
    const Index flow = flows_on_link_[i];
    if (filled_[flow] == 0) fill_flow(flow, share, link);
  }
}

/// Puts a level into the heap at `place` or below, as its order demands.
void Filling::sink(std::size_t place, Level level) {
  for (std::size_t begin = 4 * place + 1; begin < levels_.size(); begin = 4 * place + 1) {
    const std::size_t first = first_child(levels_.data(), begin, levels_.size());
    if (!(levels_[first] < level)) break;
    levels_[place] = levels_[first];
    place = first;
  }
  levels_[place] = level;
}

void Filling::pop_level() {
  const Level last = levels_.back();
  levels_.pop_back();
  if (!levels_.empty()) sink(0, last);
}

}  // namespace orrery::sharing
