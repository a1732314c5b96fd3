// SPDX-License-Identifier: BSD-3-Clause
#include "network/filling.hpp"

#include <algorithm>
#include <limits>

namespace orrery::network {

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
  flows_.push_back({.bound = bound, .weight = weight, .first_crossed = static_cast<std::uint32_t>(crossed_.size())});
}

std::span<const Filling::Index> Filling::crossed_by(Index flow) const {
  const std::size_t begin = flows_[flow].first_crossed;
  const std::size_t end = flow + std::size_t{1} < flows_.size() ? flows_[flow + 1].first_crossed : crossed_.size();
  return {crossed_.data() + begin, end - begin};
}

void Filling::fill() {
  prepare_links();
  prepare_flows();
  while (unfilled_ > 0 && !levels_.empty()) {
    // Flows that stop below a link's share leave it more for the others. So shares only rise, the smallest one known
    // is a level that all can reach, and a link that has risen is put back.
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

/// Gives each link with several flows its first level, and room for their numbers.
void Filling::prepare_links() {
  levels_.clear();
  std::uint32_t end = 0;
  for (Index i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    link.fastest = 0;
    link.share = kNoShare;
    link.unfilled = link.flows;
    link.unfilled_weights = link.weights;
    link.end = end;  // rises while flows are noted down
    if (link.flows <= 1) continue;
    end += link.flows;
    levels_.push_back({link.room / link.weights, link.order, i});
  }
  flows_on_link_.resize(end);
  for (std::size_t place = (levels_.size() + 2) / 4; place-- > 0;) sink(place, levels_[place]);
}

void Filling::prepare_flows() {
  unfilled_ = flows_.size();
  limits_.clear();
  for (Index flow = 0; flow < flows_.size(); ++flow) {
    limit(flow);
    limits_.push_back({flows_[flow].level, flow});
  }
  sort_limits();
}

/// The most that a flow may get for reasons that concern no other: its bound, and links where it is the only one.
void Filling::limit(Index flow) {
  const double weight = flows_[flow].weight;
  double most = flows_[flow].bound / weight;
  Index bottleneck = kNone;
  for (const Index id : crossed_by(flow)) {
    Link& link = links_[id];
    if (link.flows > 1) {
      flows_on_link_[link.end++] = flow;
    } else if (link.room / weight < most) {
      most = link.room / weight;
      bottleneck = id;
    }
  }
  flows_[flow].level = most;
  flows_[flow].bottleneck = bottleneck;
  flows_[flow].filled = false;
}

/// Equal limits are the rule: most flows have the largest one, and need not be sorted.
void Filling::sort_limits() {
  next_limit_ = 0;
  if (limits_.empty()) return;
  const double largest = std::max_element(limits_.begin(), limits_.end())->level;
  const auto smaller = [largest](const Limit& limit) { return limit.level < largest; };
  std::sort(limits_.begin(), std::partition(limits_.begin(), limits_.end(), smaller));
}

/// Gives their limit to all flows whose limit is not above a level that every rate can reach.
void Filling::fill_up_to(double level) {
  for (; next_limit_ < limits_.size() && limits_[next_limit_].level <= level; ++next_limit_) {
    const Index flow = limits_[next_limit_].flow;
    const Flow& state = flows_[flow];
    if (state.filled) continue;
    if (state.bottleneck != kNone) links_[state.bottleneck].share = state.level;
    fill_flow(flow, state.level, state.bottleneck);
  }
}

void Filling::fill_flow(Index flow, double level, Index bottleneck) {
  Flow& state = flows_[flow];
  state.filled = true;
  state.level = level;
  state.bottleneck = bottleneck;
  --unfilled_;
  for (const Index id : crossed_by(flow)) {
    Link& link = links_[id];
    link.room = std::max(0.0, link.room - level * state.weight);
    link.fastest = std::max(link.fastest, level);
    link.unfilled_weights -= state.weight;
    --link.unfilled;
  }
}

void Filling::fill_link(Index link, double share) {
  links_[link].share = share;
  const std::uint32_t end = links_[link].end;
  for (std::uint32_t i = end - links_[link].flows; i < end && links_[link].unfilled > 0; ++i) {
    const Index flow = flows_on_link_[i];
    if (!flows_[flow].filled) fill_flow(flow, share, link);
  }
}

/// Puts a level at a place of the heap from which it may have to sink.
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

}  // namespace orrery::network
