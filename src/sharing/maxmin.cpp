// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/maxmin.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace orrery::sharing {
namespace {

/// Relative change of a level below which a flow keeps its rate, so that its end need not be moved. Far below the
/// tolerance.
constexpr double unchanged = 1e-13;
/// Times that F is filled before all flows downstream of it join. Most changes are solved by then. A change that
/// spreads further mostly reaches all flows downstream: filling F again for each step would cost more than including
/// flows that turn out to keep their rates.
constexpr int near_steps = 2;
/// If the last change spread far, the next one begins with all flows downstream, as long as more than one in so many
/// flows of F changes.
constexpr std::size_t worthwhile = 4;
/// Flows in F up to which filling F again is cheap, however far the change spreads.
constexpr std::size_t few_enough = 8;

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities, std::uint32_t longest_route)
    : incidence_(capacities.size(), longest_route), links_(capacities.size()), rooms_(longest_route) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

void MaxMin::prepare(Flow flow, std::span<const Link> links, double bound, double weight) {
  assert(bound > 0 && weight > 0);
  if (flow >= flows_.size()) {
    incidence_.make_room(flow);
    flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
    bottlenecks_.resize(flows_.size(), no_link);
  }
  assert(!flows_[flow].present);
  incidence_.prepare(flow, links);
  flows_[flow].bound = bound;
  flows_[flow].weight = flows_[flow].next_weight = weight;
}

void MaxMin::reweigh(Flow flow, double weight) {
  assert(weight > 0);
  FlowState& state = flows_[flow];
  state.next_weight = weight;
  if (!state.present || state.awaits_solve) {
    state.weight = weight;
  } else if (!std::exchange(state.reweighed, true)) {
    reweighed_.push_back(flow);
  }
}

void MaxMin::add(Flow flow) {
  FlowState& state = flows_[flow];
  assert(!state.present);
  state.level = 0;
  incidence_.insert(flow);
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    ++link.flows;
    link.bounds.add(state.bound);
    link.contended = link.can_be_full();
    if (link.contended && !link.counts_load) count_load(id);
  }
  state.present = true;
  bottlenecks_[flow] = no_link;
  if (!state.awaits_solve) arrived_.push_back(flow);
  state.awaits_solve = true;
}

void MaxMin::count_load(Link id) {
  LinkState& link = links_[id];
  link.counts_load = true;
  incidence_.for_each_flow(id, [&](Flow flow) {
    link.load.add(flows_[flow].rate());
    return true;
  });
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  assert(state.present);
  if (bottlenecks_[flow] != no_link) --links_[bottlenecks_[flow]].held_back;
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (--link.flows == 0) {
      link.bounds.reset();
      link.load.reset();
      link.contended = link.counts_load = false;
    } else {
      link.bounds.subtract(state.bound);
      if (link.counts_load) link.load.subtract(state.rate());
      link.contended = link.contended && link.can_be_full();
    }
    if (!link.contended) link.share = not_known;
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
  int step = 1;
  if (goes_far_) {
    affect_downstream();
  } else if (affected_.size() == 1) {
    if (solve_alone(affected_.front())) return changed_;
    ++step;
  }
  fill();
  for (; affect_misplaced(); ++step) {
    if (step > near_steps) affect_downstream();
    fill();
  }
  commit();
  goes_far_ = affected_.size() > few_enough &&
              (goes_far_ ? worthwhile * changed_.size() > affected_.size() : step > near_steps);
  return changed_;
}

/// Starts F. New flows that cross no contended link get their bound at once and do not join F.
void MaxMin::begin_solve() {
  changed_.clear();
  affected_.clear();
  entered_ = 0;
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
  for (const Flow flow : reweighed_) {
    FlowState& state = flows_[flow];
    if (!std::exchange(state.reweighed, false) || !state.present || state.weight == state.next_weight) continue;
    affect(flow);
    state.level = state.rate() / state.next_weight;
    state.weight = state.next_weight;
  }
  reweighed_.clear();
}

bool MaxMin::runs_at_its_bound(Flow flow) {
  const std::span<const Link> links = incidence_.links_of(flow);
  if (std::any_of(links.begin(), links.end(), [this](Link link) { return links_[link].contended; })) return false;
  FlowState& state = flows_[flow];
  state.level = state.bound / state.weight;
  for (const Link id : links) {
    LinkState& link = links_[id];
    if (link.counts_load) link.load.add(state.rate());
  }
  changed_.push_back(flow);
  return true;
}

/// Adds a flow to F, and takes its rate from the loads of its links.
void MaxMin::affect(Flow flow) {
  FlowState& state = flows_[flow];
  if (std::exchange(state.affected, true)) return;
  affected_.push_back(flow);
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (link.counts_load) link.load.subtract(state.rate());
  }
  if (bottlenecks_[flow] != no_link) --links_[bottlenecks_[flow]].held_back;
}

/// Gives the only flow of F the capacity that all others leave. False if this violates the fairness of others, which
/// have then joined F.
bool MaxMin::solve_alone(Flow flow) {
  const FlowState& state = flows_[flow];
  Placed placed{state.bound / state.weight, no_link};
  std::size_t rooms = 0;
  for (const Link id : incidence_.links_of(flow)) {
    const LinkState& link = links_[id];
    if (!link.contended) continue;
    const double left = std::max(0.0, link.capacity - link.load.value());
    rooms_[rooms++] = {id, left};
    if (left / state.weight < placed.level) placed = {left / state.weight, id};
  }
  for (std::size_t i = 0; i < rooms; ++i) {
    const auto [id, left] = rooms_[i];
    const LinkState& link = links_[id];
    if (link.flows == 1) continue;
    const bool full = left - placed.level * state.weight <= tolerance_part * link.capacity;
    if (!full || placed.level > link.share * (1 + tolerance_part)) affect_held_back(id);
    if (id == placed.bottleneck && link.share > placed.level) affect_faster(id, placed.level * (1 + tolerance_part));
  }
  if (affected_.size() > 1) return false;
  commit(flow, placed);
  for (std::size_t i = 0; i < rooms; ++i) forget_share(rooms_[i].link);
  return true;
}

void MaxMin::enter_affected() {
  for (; entered_ < affected_.size(); ++entered_) enter(affected_[entered_]);
}

/// Adds a flow of F to the filling.
void MaxMin::enter(Flow flow) {
  filling_.add_flow(flows_[flow].bound, flows_[flow].weight);
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (!link.counts_load) continue;
    if (link.in_filling == untouched) touch(id);
    if (link.in_filling != uncontended) filling_.cross(link.in_filling);
  }
}

/// Adds a link to the filling, if it is contended, for the first flow of F on it.
void MaxMin::touch(Link id) {
  LinkState& link = links_[id];
  touched_.push_back(id);
  link.in_filling = uncontended;
  if (!link.contended) return;
  link.in_filling = filling_.add_link(id);
  contended_.push_back(id);
}

void MaxMin::affect_held_back(Link link) {
  if (links_[link].held_back == 0) return;
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (bottlenecks_[flow] == link) affect(flow);
    return links_[link].held_back > 0;
  });
}

/// Adds to F all flows that the links of F hold back, then those that the links of these hold back, and so on.
/// `touched_` and F grow during the loop.
void MaxMin::affect_downstream() {
  enter_affected();
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    affect_held_back(touched_[i]);
    enter_affected();
  }
}

/// Computes rates for F in the capacity that the flows outside F leave.
void MaxMin::fill() {
  enter_affected();
  for (Filling::Index i = 0; i < contended_.size(); ++i) {
    const LinkState& link = links_[contended_[i]];
    filling_.set_room(i, std::max(0.0, link.capacity - link.load.value()));
  }
  filling_.fill();
}

/// Adds to F the flows outside F whose rates are not max-min fair beside the new rates. False: there are none.
bool MaxMin::affect_misplaced() {
  const std::size_t before = affected_.size();
  for (Filling::Index i = 0; i < contended_.size(); ++i) {
    const Link id = contended_[i];
    const LinkState& link = links_[id];
    const Filling::Link& filled = filling_.links()[i];
    if (filled.flows == link.flows) continue;
    const bool full = filled.room <= tolerance_part * link.capacity;
    const bool overtaken = filled.fastest > link.share * (1 + tolerance_part);
    if (!full || overtaken) affect_held_back(id);
    if (filled.share != Filling::no_share && link.share > filled.share)
      affect_faster(id, filled.share * (1 + tolerance_part));
  }
  return affected_.size() > before;
}

/// Adds to F the flows on a link with a level above `most`, that of the flows of F which the link holds back.
void MaxMin::affect_faster(Link link, double most) {
  incidence_.for_each_flow(link, [&](Flow flow) {
    if (flows_[flow].level > most) affect(flow);
    return true;
  });
}

void MaxMin::commit() {
  for (Filling::Index member = 0; member < affected_.size(); ++member) {
    const Filling::Index held_by = filling_.bottleneck(member);
    commit(affected_[member], {filling_.level(member), held_by == Filling::none ? no_link : contended_[held_by]});
  }
  for (const Link link : touched_) links_[link].in_filling = untouched;
  for (const Link link : contended_) forget_share(link);
}

void MaxMin::commit(Flow flow, const Placed& placed) {
  FlowState& state = flows_[flow];
  state.affected = false;
  bottlenecks_[flow] = placed.bottleneck;
  if (placed.bottleneck != no_link) {
    LinkState& link = links_[placed.bottleneck];
    // While the link holds others back, it keeps their share, which would otherwise drift by one tolerance at a time.
    if (link.held_back++ == 0) link.share = placed.level;
  }
  const double change = placed.level - state.level;
  if (std::max(change, -change) > unchanged * state.level) {
    state.level = placed.level;
    changed_.push_back(flow);
  }
  for (const Link id : incidence_.links_of(flow)) {
    LinkState& link = links_[id];
    if (link.counts_load) link.load.add(state.rate());
  }
}

/// A link that holds no flow back has no share: flows on it may become faster than those that it held back.
void MaxMin::forget_share(Link link) {
  if (links_[link].held_back == 0) links_[link].share = not_known;
}

}  // namespace orrery::sharing
