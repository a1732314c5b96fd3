// SPDX-License-Identifier: BSD-3-Clause
#include "network/maxmin.hpp"

#include <algorithm>
#include <cassert>

namespace orrery::network {
namespace {

/// Rates and loads that differ by less than this, relatively, are the same.
constexpr double kTolerance = 1e-9;
/// A flow whose rate moves by less keeps the old one, so that its end need not be moved. Far below the tolerance.
constexpr double kUnchanged = 1e-13;
/// Rounds in which F grows by neighbours before it takes in all that is connected.
constexpr int kPatience = 8;

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities, std::uint32_t longest_route)
    : incidence_(capacities, longest_route), links_(capacities.size()) {}

bool MaxMin::contended(Link link) const {
  const Incidence::LinkState& state = incidence_.link(link);
  return state.bounds.value() > state.capacity * (1 + kTolerance);
}

void MaxMin::prepare(Flow flow, std::span<const Link> links, double bound) {
  assert(bound > 0);
  if (flow >= flows_.size()) {
    incidence_.make_room(flow);
    flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
  }
  assert(!flows_[flow].present);
  incidence_.prepare(flow, links);
  flows_[flow].bound = bound;
}

void MaxMin::add(Flow flow) {
  FlowState& state = flows_[flow];
  assert(!state.present);
  incidence_.insert(flow, state.bound);
  state.rate = 0;
  state.bottleneck = kNoLink;
  state.present = true;
  if (!state.awaits_solve) arrived_.push_back(flow);
  state.awaits_solve = true;
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  assert(state.present);
  if (state.bottleneck != kNoLink) --links_[state.bottleneck].held_back;
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (link.held_back == 0 || link.lost_flow) continue;
    link.lost_flow = true;
    freed_.push_back(id);
  }
  incidence_.erase(flow, state.bound, state.rate);
  state.present = false;
}

std::span<const MaxMin::Flow> MaxMin::solve() {
  begin_solve();
  if (!affected_.empty()) {
    fill();
    for (int round = 0; affect_misplaced(); ++round) {
      if (round == kPatience) affect_component();
      fill();
    }
    commit();
  }
  return changed_;
}

/// Starts F, and gives flows that no contended link concerns their bound without further ado.
void MaxMin::begin_solve() {
  ++solve_number_;
  changed_.clear();
  affected_.clear();
  touched_.clear();
  for (const Link link : freed_) {
    links_[link].lost_flow = false;
    affect_held_back(link);
  }
  freed_.clear();
  for (const Flow flow : arrived_) {
    flows_[flow].awaits_solve = false;
    if (flows_[flow].present && !runs_at_its_bound(flow)) affect(flow);
  }
  arrived_.clear();
}

bool MaxMin::runs_at_its_bound(Flow flow) {
  const std::span<const Link> links = incidence_.links_of(flow);
  if (std::any_of(links.begin(), links.end(), [this](Link link) { return contended(link); })) return false;
  FlowState& state = flows_[flow];
  state.rate = state.bound;
  for (const Link link : links) incidence_.link(link).load.add(state.rate);
  changed_.push_back(flow);
  return true;
}

/// Takes a flow into F: its links forget it.
void MaxMin::affect(Flow flow) {
  FlowState& state = flows_[flow];
  if (state.affected == solve_number_) return;
  state.affected = solve_number_;
  affected_.push_back(flow);
  if (state.bottleneck != kNoLink) --links_[state.bottleneck].held_back;
  for (const Link id : incidence_.links_of(flow)) {
    incidence_.link(id).load.subtract(state.rate);
    if (links_[id].touched == solve_number_) continue;
    links_[id].touched = solve_number_;
    touched_.push_back(id);
  }
}

void MaxMin::affect_held_back(Link link) {
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].bottleneck == link) affect(flow);
  });
}

/// Takes in all flows that contended links join to F. `touched_` and F grow while we walk through them.
void MaxMin::affect_component() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const Link link = touched_[i];
    if (contended(link)) incidence_.for_each_flow(link, [this](Flow flow) { affect(flow); });
  }
}

/// Progressive filling of F: the rates of all members rise together; each stops at its bound or when a link is full.
void MaxMin::fill() {
  prepare_filling();
  std::size_t next = 0;
  const auto later = [](const Level& a, const Level& b) {
    return a.share != b.share ? a.share > b.share : a.link > b.link;
  };
  std::make_heap(levels_.begin(), levels_.end(), later);
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), later);
    const Level level = levels_.back();
    levels_.pop_back();
    LinkState& link = links_[level.link];
    // Members that stop below a link's share leave it more for the others: its share only rises, so that the
    // smallest one known is up to date or can be put back.
    for (; next < by_bound_.size() && flows_[by_bound_[next]].bound <= level.share; ++next)
      if (!flows_[by_bound_[next]].filled) fill_flow(by_bound_[next], flows_[by_bound_[next]].bound, kNoLink);
    if (link.unfilled == 0) continue;
    const double share = link.room / link.unfilled;
    if (share > level.share) {
      levels_.push_back({share, level.link});
      std::push_heap(levels_.begin(), levels_.end(), later);
    } else {
      fill_link(level.link, share);
    }
  }
  for (; next < by_bound_.size(); ++next)
    if (!flows_[by_bound_[next]].filled) fill_flow(by_bound_[next], flows_[by_bound_[next]].bound, kNoLink);
}

void MaxMin::prepare_filling() {
  for (const Link id : touched_) {
    LinkState& link = links_[id];
    const Incidence::LinkState& crossed = incidence_.link(id);
    link.members = 0;
    link.room = std::max(0.0, crossed.capacity - crossed.load.value());
    link.fastest_member = 0;
    link.new_share = kNoShare;
  }
  for (const Flow flow : affected_) {
    flows_[flow].filled = false;
    for (const Link link : incidence_.links_of(flow)) ++links_[link].members;
  }
  levels_.clear();
  for (const Link id : touched_) {
    LinkState& link = links_[id];
    link.unfilled = link.members;
    if (contended(id)) levels_.push_back({link.room / link.unfilled, id});
  }
  by_bound_ = affected_;
  const auto slower = [this](Flow a, Flow b) { return flows_[a].bound < flows_[b].bound; };
  const auto slower_or_first = [&](Flow a, Flow b) { return slower(a, b) || (!slower(b, a) && a < b); };
  if (!std::is_sorted(by_bound_.begin(), by_bound_.end(), slower))  // equal bounds are the rule
    std::sort(by_bound_.begin(), by_bound_.end(), slower_or_first);
}

void MaxMin::fill_flow(Flow flow, double rate, Link bottleneck) {
  FlowState& state = flows_[flow];
  state.filled = true;
  state.new_rate = rate;
  state.bottleneck = bottleneck;
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    link.room = std::max(0.0, link.room - rate);
    link.fastest_member = std::max(link.fastest_member, rate);
    --link.unfilled;
  }
}

void MaxMin::fill_link(Link link, double share) {
  links_[link].new_share = share;
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].affected == solve_number_ && !flows_[flow].filled) fill_flow(flow, share, link);
  });
}

/// Looks for flows outside F that the new rates put out of place, and takes them in. False: there are none.
bool MaxMin::affect_misplaced() {
  const std::size_t before = affected_.size();
  const std::size_t links = touched_.size();
  for (std::size_t i = 0; i < links; ++i) {
    const Link id = touched_[i];
    const LinkState& link = links_[id];
    const Incidence::LinkState& crossed = incidence_.link(id);
    if (link.members == crossed.flows || !contended(id)) continue;
    const bool full = link.room <= kTolerance * crossed.capacity;
    const bool overtaken = link.fastest_member > link.share * (1 + kTolerance);
    if (link.held_back > 0 && (!full || overtaken)) affect_held_back(id);
    if (link.new_share != kNoShare) affect_faster(id);
  }
  return affected_.size() > before;
}

/// Flows outside F that are faster than the members that this link holds back must slow down.
void MaxMin::affect_faster(Link link) {
  const double most = links_[link].new_share * (1 + kTolerance);
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].rate > most) affect(flow);
  });
}

void MaxMin::commit() {
  for (const Flow flow : affected_) {
    FlowState& state = flows_[flow];
    if (state.bottleneck != kNoLink) {
      LinkState& link = links_[state.bottleneck];
      // While others remain their share stands, lest it creep away from them by one tolerance at a time.
      if (link.held_back++ == 0) link.share = state.new_rate;
    }
    const double change = state.new_rate - state.rate;
    if (std::max(change, -change) > kUnchanged * state.rate) {
      state.rate = state.new_rate;
      changed_.push_back(flow);
    }
    for (const Link link : incidence_.links_of(flow)) incidence_.link(link).load.add(state.rate);
  }
}

}  // namespace orrery::network
