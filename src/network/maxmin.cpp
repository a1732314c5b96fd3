// SPDX-License-Identifier: BSD-3-Clause
#include "network/maxmin.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

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
    : incidence_(capacities.size(), longest_route), links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

bool MaxMin::contended(const LinkState& link) { return link.bounds.value() > link.capacity * (1 + kTolerance); }

void MaxMin::prepare(Flow flow, std::span<const Link> links, double bound, double weight) {
  assert(bound > 0 && weight > 0);
  if (flow >= flows_.size()) {
    incidence_.make_room(flow);
    flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
    bottlenecks_.resize(flows_.size(), kNoLink);
  }
  assert(!flows_[flow].present);
  incidence_.prepare(flow, links);
  flows_[flow].bound = bound;
  flows_[flow].weight = weight;
}

void MaxMin::add(Flow flow) {
  FlowState& state = flows_[flow];
  assert(!state.present);
  incidence_.insert(flow);
  for (const Link id : incidence_.links_of(flow)) {
    ++links_[id].flows;
    links_[id].bounds.add(state.bound);
  }
  state.level = 0;
  state.present = true;
  bottlenecks_[flow] = kNoLink;
  if (!state.awaits_solve) arrived_.push_back(flow);
  state.awaits_solve = true;
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  assert(state.present);
  if (bottlenecks_[flow] != kNoLink) --links_[bottlenecks_[flow]].held_back;
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (--link.flows == 0) {
      link.bounds.reset();
      link.load.reset();
    } else {
      link.bounds.subtract(state.bound);
      link.load.subtract(state.rate());
    }
    if (link.held_back == 0 || link.lost_flow) continue;
    link.lost_flow = true;
    freed_.push_back(id);
  }
  incidence_.erase(flow);
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
  changed_.clear();
  affected_.clear();
  touched_.clear();
  contended_.clear();
  filling_.clear();
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
  if (std::any_of(links.begin(), links.end(), [this](Link link) { return contended(links_[link]); })) return false;
  FlowState& state = flows_[flow];
  state.level = state.bound / state.weight;
  for (const Link link : links) links_[link].load.add(state.rate());
  changed_.push_back(flow);
  return true;
}

/// Takes a flow into F: its links forget it.
void MaxMin::affect(Flow flow) {
  FlowState& state = flows_[flow];
  if (std::exchange(state.affected, true)) return;
  affected_.push_back(flow);
  filling_.add_flow(state.bound, state.weight);
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    link.load.subtract(state.rate());
    if (link.in_filling == kUntouched) touch(id);
    if (link.in_filling != kUncontended) filling_.cross(link.in_filling);
  }
  if (bottlenecks_[flow] != kNoLink) --links_[bottlenecks_[flow]].held_back;
}

/// The first flow of F on a link. None of its flows is faster than those that it holds back.
void MaxMin::touch(Link id) {
  LinkState& link = links_[id];
  touched_.push_back(id);
  link.in_filling = kUncontended;
  if (!contended(link)) return;
  link.in_filling = filling_.add_link(id);
  contended_.push_back({id, link.held_back > 0 ? link.share : std::numeric_limits<double>::infinity()});
}

void MaxMin::affect_held_back(Link link) {
  if (links_[link].held_back == 0) return;
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (bottlenecks_[flow] == link) affect(flow);
    return links_[link].held_back > 0;
  });
}

/// Takes in all flows that a link of F holds back, then those that their links do, and so on. `touched_` and F grow
/// while we walk through them.
void MaxMin::affect_downstream() {
  for (std::size_t i = 0; i < touched_.size(); ++i) affect_held_back(touched_[i]);
}

/// Rates for F in what the flows outside leave.
void MaxMin::fill() {
  for (Filling::Index i = 0; i < contended_.size(); ++i) {
    const LinkState& link = links_[contended_[i].link];
    filling_.set_room(i, std::max(0.0, link.capacity - link.load.value()));
  }
  filling_.fill();
}

/// Looks for flows outside F that the new rates put out of place, and takes them in. False: there are none.
bool MaxMin::affect_misplaced() {
  const std::size_t before = affected_.size();
  const std::size_t links = contended_.size();
  for (std::size_t i = 0; i < links; ++i) {
    const auto [id, fastest_outside] = contended_[i];
    const Filling::Link filled = filling_.links()[i];  // a copy: the filling grows
    const LinkState& link = links_[id];
    if (filled.flows == link.flows) continue;
    const bool full = filled.room <= kTolerance * link.capacity;
    const bool overtaken = filled.fastest > link.share * (1 + kTolerance);
    if (!full || overtaken) affect_held_back(id);
    if (filled.share != Filling::kNoShare && fastest_outside > filled.share)
      affect_faster(id, filled.share * (1 + kTolerance));
  }
  return affected_.size() > before;
}

/// Flows outside F that are faster than the members that this link holds back must slow down.
void MaxMin::affect_faster(Link link, double most) {
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].level > most) affect(flow);
    return true;
  });
}

void MaxMin::commit() {
  for (Filling::Index member = 0; member < affected_.size(); ++member) commit(member);
  for (const Link link : touched_) links_[link].in_filling = kUntouched;
}

void MaxMin::commit(Filling::Index member) {
  const Flow flow = affected_[member];
  FlowState& state = flows_[flow];
  state.affected = false;
  const double level = filling_.level(member);
  const Filling::Index held_by = filling_.bottleneck(member);
  bottlenecks_[flow] = held_by == Filling::kNone ? kNoLink : contended_[held_by].link;
  if (held_by != Filling::kNone) {
    LinkState& link = links_[bottlenecks_[flow]];
    // While others remain their share stands, lest it creep away from them by one tolerance at a time.
    if (link.held_back++ == 0) link.share = level;
  }
  const double change = level - state.level;
  if (std::max(change, -change) > kUnchanged * state.level) {
    state.level = level;
    changed_.push_back(flow);
  }
  for (const Link link : incidence_.links_of(flow)) links_[link].load.add(state.rate());
}

}  // namespace orrery::network
