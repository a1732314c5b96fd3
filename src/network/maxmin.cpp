// SPDX-License-Identifier: BSD-3-Clause
#include "network/maxmin.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace orrery::network {
namespace {

/// Rates and loads that differ by less than this, relatively, are the same.
constexpr double kTolerance = 1e-9;
/// A flow whose rate moves by less keeps the old one, so that its end need not be moved. Far below the tolerance.
constexpr double kUnchanged = 1e-13;
/// Most changes end after so many steps from link to link. What goes further mostly goes all the way that links pass it
/// on: filling F anew for every step would cost more than the flows on the way that turn out to keep their rates.
constexpr int kNearSteps = 2;
/// Where the last change went far, the next one is taken to do so, too, as long as one in so many flows of F changes.
constexpr std::size_t kWorthwhile = 4;

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
  if (affected_.empty()) return changed_;
  if (goes_far_) affect_downstream();
  fill();
  int step = 1;
  for (; affect_misplaced(); ++step) {
    if (step > kNearSteps) affect_downstream();
    fill();
  }
  commit();
  goes_far_ = goes_far_ ? kWorthwhile * changed_.size() > affected_.size() : step > kNearSteps;
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
    links_[id].contended = contended(id);
    touched_.push_back(id);
  }
}

void MaxMin::affect_held_back(Link link) {
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].bottleneck == link) affect(flow);
  });
}

/// Takes in all flows that a link of F holds back, then those that their links do, and so on. `touched_` and F grow
/// while we walk through them.
void MaxMin::affect_downstream() {
  for (std::size_t i = 0; i < touched_.size(); ++i)
    if (links_[touched_[i]].held_back > 0) affect_held_back(touched_[i]);
}

/// Progressive filling of F: the rates of all members rise together; each stops at its limit or when a link is full.
void MaxMin::fill() {
  prepare_filling();
  const auto later = [](const Level& a, const Level& b) {
    return a.share != b.share ? a.share > b.share : a.link > b.link;
  };
  std::make_heap(levels_.begin(), levels_.end(), later);
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), later);
    const Level level = levels_.back();
    levels_.pop_back();
    // Members that stop below a link's share leave it more for the others. So shares only rise, the smallest one known
    // is a level that all can reach, and a link that has risen is put back.
    fill_up_to(level.share);
    const LinkState& link = links_[level.link];
    if (link.unfilled == 0) continue;
    const double share = link.room / link.unfilled;
    if (share > level.share) {
      levels_.push_back({share, level.link});
      std::push_heap(levels_.begin(), levels_.end(), later);
    } else {
      fill_link(level.link, share);
    }
  }
  fill_up_to(std::numeric_limits<double>::infinity());
}

void MaxMin::prepare_filling() {
  for (const Link id : touched_) {
    LinkState& link = links_[id];
    const Incidence::LinkState& crossed = incidence_.link(id);
    link.unfilled = 0;
    link.room = std::max(0.0, crossed.capacity - crossed.load.value());
    link.fastest_member = 0;
    link.new_share = kNoShare;
  }
  for (const Flow flow : affected_)
    for (const Link link : incidence_.links_of(flow)) ++links_[link].unfilled;
  levels_.clear();
  for (const Link id : touched_) {
    LinkState& link = links_[id];
    link.members = link.unfilled;
    if (link.contended && link.members > 1) levels_.push_back({link.room / link.members, id});
  }
  for (const Flow flow : affected_) limit(flow);
  by_limit_ = affected_;
  next_limited_ = 0;
  const auto less = [this](Flow a, Flow b) { return flows_[a].new_rate < flows_[b].new_rate; };
  const auto less_or_first = [&](Flow a, Flow b) { return less(a, b) || (!less(b, a) && a < b); };
  if (!std::is_sorted(by_limit_.begin(), by_limit_.end(), less))  // equal limits are the rule
    std::sort(by_limit_.begin(), by_limit_.end(), less_or_first);
}

/// The most that a flow may get for reasons that concern no other member: its bound, and links where it is the only
/// one.
void MaxMin::limit(Flow flow) {
  FlowState& state = flows_[flow];
  state.filled = false;
  state.new_rate = state.bound;
  state.bottleneck = kNoLink;
  for (const Link id : incidence_.links_of(flow)) {
    const LinkState& link = links_[id];
    if (!link.contended || link.members > 1 || link.room >= state.new_rate) continue;
    state.new_rate = link.room;
    state.bottleneck = id;
  }
}

/// Gives their limit to all members whose limit is not above a level that every rate can reach.
void MaxMin::fill_up_to(double level) {
  for (; next_limited_ < by_limit_.size(); ++next_limited_) {
    const Flow flow = by_limit_[next_limited_];
    const FlowState& state = flows_[flow];
    if (state.filled) continue;
    if (state.new_rate > level) break;
    if (state.bottleneck != kNoLink) links_[state.bottleneck].new_share = state.new_rate;
    fill_flow(flow, state.new_rate, state.bottleneck);
  }
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
    if (link.members == crossed.flows || !link.contended) continue;
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
