// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/flow_bundles.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace orrery::sharing {
namespace {

constexpr std::size_t first_slots = 1024;

}  // namespace

FlowBundles::FlowBundles(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes,
                         const Accuracy& accuracy)
    : together_(accuracy.together),
      sharing_(capacities, longest_route, burst_bytes, accuracy),
      longest_route_(std::max(longest_route, 1u)),
      slots_(first_slots, none) {}

void FlowBundles::prepare(Flow flow, std::span<const Link> links, double bound, double weight) {
  if (flow >= flows_.size()) {
    flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
    links_.resize(flows_.size() * longest_route_);
  }
  FlowState& state = flows_[flow];
  assert(state.bundle == none && links.size() <= longest_route_);
  state.bound = bound;
  state.weight = weight;
  state.route_length = static_cast<std::uint32_t>(links.size());
  std::copy(links.begin(), links.end(), &links_[std::size_t{flow} * longest_route_]);
}

void FlowBundles::add(Flow flow, double now_s, double bytes) {
  assert(bytes > 0);
  count(flow, 1);
  put(flow, now_s, bytes);
}

void FlowBundles::count(Flow flow, int more) {
  if (flows_on_.empty()) return;
  for (const Link link : links_of(flow)) flows_on_[link] += static_cast<std::uint32_t>(more);
}

void FlowBundles::put(Flow flow, double now_s, double bytes) {
  FlowState& state = flows_[flow];
  const std::size_t hash = hash_of(flow);
  Bundle bundle = slot(hash);
  const bool joins = bundle != none && belongs(flow, bundle);
  if (!joins) bundle = make(flow, hash);
  state.bundle = bundle;
  BundleState& among = bundles_[bundle];
  const double size = bytes / state.weight;
  among.smallest = std::min(among.smallest, size);
  if (!joins) {
    state.end = size;
    push(among, flow);
    sharing_.add(bundle, now_s, bytes, bytes);
    return;
  }
  sharing_.solve_before(now_s);
  const double now_served = service(bundle, now_s);
  state.end = now_served + size;
  push(among, flow);
  tell(bundle, now_s, now_served);
}

void FlowBundles::reweigh(Flow flow, double now_s, double weight) {
  FlowState& state = flows_[flow];
  if (state.weight == weight) return;
  if (state.bundle == none) {
    state.weight = weight;
    return;
  }
  const Bundle bundle = state.bundle;
  BundleState& among = bundles_[bundle];
  sharing_.solve_before(now_s);
  const double now_served = service(bundle, now_s);
  const double bytes = (state.end - now_served) * state.weight;
  state.weight = weight;
  if (among.flows == 1) {  // the bundle stays, but must not be found by its old weight
    if (slot(among.hash) == bundle) slot(among.hash) = none;
    among.weight = weight;
    among.smallest = state.end = bytes / weight;
    tell(bundle, now_s, 0);
    return;
  }
  remove(among, flow);
  tell(bundle, now_s, now_served);
  state.bundle = none;
  put(flow, now_s, bytes);
}

void FlowBundles::advance(double now_s, std::vector<Flow>& ended) {
  ended_.clear();
  sharing_.advance(now_s, ended_);
  for (const Bundle bundle : ended_) {
    BundleState& among = bundles_[bundle];
    const double first = flows_[among.first].end;
    const double now_served = first - sharing_.lacked(bundle);
    const double together = std::max(first, now_served + together_ * among.smallest);
    while (among.flows > 0 && flows_[among.first].end <= together) {
      const Flow flow = among.first;
      pop(among);
      ended.push_back(flow);
      flows_[flow].bundle = none;
      count(flow, -1);
    }
    if (among.flows == 0)
      free(bundle);
    else
      tell(bundle, now_s, now_served);
  }
}

double FlowBundles::remaining_bytes(Flow flow, double now_s) const {
  const FlowState& state = flows_[flow];
  if (bundles_[state.bundle].flows == 1) return sharing_.remaining_bytes(state.bundle, now_s);
  return std::max(0.0, state.end - service(state.bundle, now_s)) * state.weight;
}

double FlowBundles::rate(Flow flow) const {
  const Bundle bundle = flows_[flow].bundle;
  return sharing_.rate(bundle) / bundles_[bundle].flows;
}

// --- bundles ---------------------------------------------------------------------------------------------------------

std::size_t FlowBundles::hash_of(Flow flow) const {
  const FlowState& state = flows_[flow];
  std::uint64_t hash =
      std::bit_cast<std::uint64_t>(state.bound) ^ std::rotl(std::bit_cast<std::uint64_t>(state.weight), 7);
  for (const Link link : links_of(flow)) hash = (std::rotl(hash, 5) ^ link) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

bool FlowBundles::belongs(Flow flow, Bundle bundle) const {
  const FlowState& state = flows_[flow];
  const BundleState& among = bundles_[bundle];
  const std::span<const Link> own = links_of(flow), theirs = sharing_.links_of(bundle);
  return among.bound == state.bound && among.weight == state.weight &&
         std::equal(own.begin(), own.end(), theirs.begin(), theirs.end());
}

FlowBundles::Bundle FlowBundles::make(Flow flow, std::size_t hash) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Bundle>(bundles_.size()));
    bundles_.emplace_back();
    if (2 * bundles_.size() > slots_.size()) more_slots();
  }
  const Bundle bundle = unused_.back();
  unused_.pop_back();
  const FlowState& state = flows_[flow];
  BundleState& made = bundles_[bundle];
  made.bound = state.bound;
  made.weight = state.weight;
  made.smallest = std::numeric_limits<double>::infinity();
  made.hash = hash;
  slot(hash) = bundle;
  sharing_.prepare(bundle, links_of(flow), state.bound, state.weight);
  return bundle;
}

void FlowBundles::free(Bundle bundle) {
  if (slot(bundles_[bundle].hash) == bundle) slot(bundles_[bundle].hash) = none;
  unused_.push_back(bundle);
}

void FlowBundles::more_slots() {
  slots_.assign(2 * slots_.size(), none);
  for (Bundle bundle = 0; bundle < bundles_.size(); ++bundle) {
    if (bundles_[bundle].flows > 0) slot(bundles_[bundle].hash) = bundle;
  }
}

/// The service S of a bundle.
double FlowBundles::service(Bundle bundle, double now_s) const {
  return flows_[bundles_[bundle].first].end - sharing_.service_left(bundle, now_s);
}

/// Gives FairSharing the first end of a bundle and its number of flows.
void FlowBundles::tell(Bundle bundle, double now_s, double service) {
  BundleState& among = bundles_[bundle];
  if (service > long_service * among.smallest) {
    list(among);
    for (const Flow flow : listed_) flows_[flow].end -= service;
    service = 0;
  }
  const double weight = among.flows * among.weight;
  sharing_.change(bundle, now_s, {among.flows * among.bound, weight}, (flows_[among.first].end - service) * weight,
                  among.smallest * weight);
}

// --- heaps of ends ---------------------------------------------------------------------------------------------------

/// Melds two heaps; none is the empty heap.
FlowBundles::Flow FlowBundles::meld(Flow a, Flow b) {
  if (a == none) return b;
  if (b == none) return a;
  if (flows_[b].end < flows_[a].end || (flows_[b].end == flows_[a].end && b < a)) std::swap(a, b);
  flows_[b].sibling = std::exchange(flows_[a].child, b);
  return a;
}

void FlowBundles::push(BundleState& bundle, Flow flow) {
  flows_[flow].child = flows_[flow].sibling = none;
  bundle.first = meld(bundle.first, flow);
  ++bundle.flows;
}

/// Removes the root: its children are melded in pairs, and the pairs are melded from the last to the first.
void FlowBundles::pop(BundleState& bundle) {
  Flow pairs = none;
  for (Flow next = flows_[bundle.first].child; next != none;) {
    const Flow a = next, b = flows_[a].sibling;
    next = b == none ? none : flows_[b].sibling;
    flows_[a].sibling = none;
    if (b != none) flows_[b].sibling = none;
    const Flow pair = meld(a, b);
    flows_[pair].sibling = pairs;
    pairs = pair;
  }
  bundle.first = none;
  while (pairs != none) {
    const Flow pair = std::exchange(pairs, flows_[pairs].sibling);
    flows_[pair].sibling = none;
    bundle.first = meld(bundle.first, pair);
  }
  --bundle.flows;
}

/// Removes any flow. This is rare, so the heap is built again.
void FlowBundles::remove(BundleState& bundle, Flow flow) {
  list(bundle);
  bundle.first = none;
  bundle.flows = 0;
  for (const Flow other : listed_) {
    if (other != flow) push(bundle, other);
  }
}

/// Puts all flows of a bundle into `listed_`.
void FlowBundles::list(const BundleState& bundle) {
  listed_.assign(1, bundle.first);
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    for (Flow below = flows_[listed_[i]].child; below != none; below = flows_[below].sibling) listed_.push_back(below);
  }
}

}  // namespace orrery::sharing
