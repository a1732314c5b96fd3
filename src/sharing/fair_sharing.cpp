// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/fair_sharing.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/four_heap.hpp"

namespace orrery::sharing {
namespace {

/// Relative difference below which two levels differ by rounding only.
constexpr double rounding = 1e-13;
/// Relative difference below which two times are one instant: 45 times the spacing of doubles.
constexpr double instant = 1e-14;
/// Weight of the latest gap between changes in the moving average of gaps.
constexpr double latest = 0.125;
/// Number of average gaps for which a level should not have to be published again.
constexpr double horizon = 2;
/// The guard of a link is computed for this multiple of its weight, so that it need not be computed again whenever a
/// flow starts.
constexpr double growth = 1.03;
/// A link stops counting its room when no flow is above this part of its guard.
constexpr double calm = 0.9;
/// Weight of the flows on a link with other bottlenecks, relative to that of the flows that it holds back, above which
/// errors of the published lines matter too much (see `unpublished_change`).
constexpr double mostly = 4;
/// Largest part of a link's level that `unpublished_change` may subtract.
constexpr double most_unpublished = 0.9;
/// Rounds of publications for one change; what is left after them is published when it becomes due.
constexpr int most_rounds = 1000;
/// Number of flows below which a link is not examined whether it may stop counting its room.
constexpr std::uint32_t few_enough = 8;
/// A link that is examined and may not stop counting is examined half as often from then on, at least once in
/// most_patience × (its flows) times that it has room. Measured: a torus of 15^3 with 100,000 random flows takes 20 s
/// with 1 and 16 s with 4; an all-to-all of 256 ranks that arrive late takes a tenth longer with 16 than with 4, as
/// links with room still count.
constexpr std::uint32_t most_patience = 4;

}  // namespace

FairSharing::FairSharing(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes,
                         const Accuracy& accuracy)
    : accuracy_(accuracy),
      unit_(std::uint64_t{1} << accuracy.lacking_bits()),
      shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(std::max(longest_route, 1u))) - 1)),
      buckets_(capacities, burst_bytes),
      memory_(std::make_unique<std::pmr::monotonic_buffer_resource>()),
      rooms_(capacities.size()),
      published_(capacities.size(), infinite),
      order_(Lower{published_.data()}),
      in_order_(capacities.size()),
      dirty_(capacities.size() + 1) {
  links_.reserve(capacities.size());
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    links_.emplace_back(memory_.get()).capacity = capacities[i];
    rooms_[i].rate.reset(capacities[i]);
    links_[i].counts = buckets_.any() && !std::isinf(capacities[i]);
  }
}

/// A published level, to sort links by.
double FairSharing::rounded(double level) const {
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(level) + unit_ / 2) & ~(unit_ - 1));
}

void FairSharing::prepare(Flow flow, std::span<const Link> links, double bound, double weight) {
  assert(bound > 0 && weight > 0);
  assert(links.size() <= std::size_t{1} << shift_ && "a route longer than announced");
  if (flow >= flows_.size()) {
    flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
    assert(flows_.size() << shift_ < own_bound && "more places than 32 bits can number");
    link_of_place_.resize(flows_.size() << shift_);
    position_.resize(link_of_place_.size());
    target_.resize(link_of_place_.size());
  }
  FlowState& state = flows_[flow];
  assert(!state.present);
  state.bound = bound;
  state.weight = weight;
  state.route_length = static_cast<std::uint32_t>(links.size());
  std::copy(links.begin(), links.end(), &link_of_place_[std::size_t{flow} << shift_]);
}

void FairSharing::solve_before(double now_s) {
  if (now_s <= now_s_) return;
  settle();
  now_s_ = now_s;
}

void FairSharing::change_at(double now_s) {
  solve_before(now_s);
  changed_ = true;
}

void FairSharing::add(Flow flow, double now_s, double bytes, double size) {
  change_at(now_s);
  FlowState& state = flows_[flow];
  assert(!state.present && bytes > 0);
  state.present = true;
  state.size = size;
  enter_links(flow);
  join(flow, lowest(flow).holder, bytes / state.weight);
  contribute(flow, -1);
  guard(flow);
}

void FairSharing::change(Flow flow, double now_s, const Share& share, double bytes, double size) {
  FlowState& state = flows_[flow];
  const Share before{state.bound, state.weight};
  if (!state.present) {
    state.bound = share.bound;
    state.weight = share.weight;
    return add(flow, now_s, bytes, size);
  }
  change_at(now_s);
  contribute(flow, 1);
  quit(flow);
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    link.weight += share.weight - before.weight;
    link.bounds.subtract(before.bound);
    link.bounds.add(share.bound);
  }
  state.bound = share.bound;
  state.weight = share.weight;
  state.size = size;
  join(flow, lowest(flow).holder, bytes / share.weight);
  contribute(flow, -1);
  guard(flow);
}

// --- which flow crosses which link -----------------------------------------------------------------------------------

void FairSharing::enter_links(Flow flow) {
  const FlowState& state = flows_[flow];
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    ++link.flows;
    link.weight += state.weight;
    link.bounds.add(state.bound);
    position_[place] = static_cast<std::uint32_t>(link.members.size());
    link.members.push_back({place, own_bound});
    ++place;
  }
}

void FairSharing::leave_links(Flow flow) {
  const FlowState& state = flows_[flow];
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    const std::uint32_t position = position_[place++];
    link.members[position] = link.members.back();
    position_[link.members[position].place] = position;
    link.members.pop_back();
    link.weight -= state.weight;
    if (--link.flows > 0) {
      link.bounds.subtract(state.bound);
      continue;
    }
    link.bounds.reset();
    link.weight = rooms_[id].owed = 0;
    link.guard = infinite;
    link.patience = 0;
    rooms_[id].rate.reset(link.capacity);
    link.counts = buckets_.any() && !std::isinf(link.capacity);
    if (link.counts) mark(id);
  }
}

// --- flows and their bottlenecks -------------------------------------------------------------------------------------

/// The published level of the bottleneck of a flow, or the level at its bound.
double FairSharing::level_of(Flow flow) const {
  const FlowState& state = flows_[flow];
  return state.holder == own_bound ? state.bound / state.weight : published_[state.holder];
}

double FairSharing::service_left(Flow flow, double now_s) const {
  const FlowState& state = flows_[flow];
  if (state.holder == own_bound)
    return std::max(0.0, state.remaining - state.bound * (now_s - state.since_s)) / state.weight;
  const LinkState& link = links_[state.holder];
  return std::max(0.0, link.ends[state.end].service - link.service - link.level * (now_s - link.since_s));
}

double FairSharing::rate(Flow flow) const {
  const FlowState& state = flows_[flow];
  return state.holder == own_bound ? state.bound : links_[state.holder].level * state.weight;
}

/// The bottleneck of a flow by published levels, with its level; of equal ones, the link with the smallest number.
FairSharing::Place FairSharing::lowest(Flow flow) const {
  Place place{flows_[flow].bound / flows_[flow].weight, own_bound};
  for (const Link id : links_of(flow)) {
    if (published_[id] > place.level * (1 + accuracy_.level)) continue;
    const double level = rounded(published_[id]), lowest = rounded(place.level);
    if (level < lowest || (level == lowest && id < place.holder && place.holder != own_bound))
      place = {published_[id], id};
  }
  return place;
}

/// The bottleneck of a flow without `except` and links in the queue to publish: those examine it when they publish.
FairSharing::Place FairSharing::lowest_settled(Flow flow, Link except) {
  Place place{flows_[flow].bound / flows_[flow].weight, own_bound};
  for (const Link id : links_of(flow)) {
    if (id == except || published_[id] >= place.level) continue;
    if (links_[id].queued)
      links_[id].recheck = true;
    else
      place = {published_[id], id};
  }
  return place;
}

/// Subtracts the rate of a flow from the room of all its links but its bottleneck (sign −1), or adds it again (sign 1).
void FairSharing::contribute(Flow flow, double sign) {
  const FlowState& state = flows_[flow];
  const double rate = sign * state.weight * level_of(flow);
  const double beyond = state.holder == own_bound ? 0 : sign * state.weight * deviation(state.holder);
  for (const Link id : links_of(flow)) {
    if (!links_[id].counts || id == state.holder) continue;
    rooms_[id].rate.add(rate);
    rooms_[id].owed += beyond;
    mark(id);
  }
}

void FairSharing::join(Flow flow, Link holder, double service_left) {
  FlowState& state = flows_[flow];
  state.holder = holder;
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    links_[id].members[position_[place++]].holder = holder;
    if (holder == own_bound) ++links_[id].at_bound;
  }
  if (holder == own_bound) {
    state.remaining = service_left * state.weight;
    state.since_s = now_s_;
    const auto event = static_cast<std::uint32_t>(links_.size() + flow);
    events_.push({now_s_ + state.remaining / state.bound, event, event});
    return;
  }
  LinkState& link = links_[holder];
  bring_up(holder);
  link.held_weight += state.weight;
  link.smallest = std::min(link.smallest, state.size / state.weight);
  link.lowest_bound = std::min(link.lowest_bound, state.bound / state.weight);
  push_end(link, {link.service + service_left, flow});
  rooms_[holder].holds = true;
  mark(holder);
  link.even = link.even && state.weight == 1;
  place = flow << shift_;
  for (const Link id : links_of(flow)) {
    if (id != holder && links_[id].counts) aim(holder, place);
    ++place;
  }
}

void FairSharing::quit(Flow flow) {
  const FlowState& state = flows_[flow];
  if (state.holder == own_bound) {
    events_.erase(static_cast<std::uint32_t>(links_.size() + flow));
    for (const Link id : links_of(flow)) --links_[id].at_bound;
    return;
  }
  LinkState& link = links_[state.holder];
  bring_up(state.holder);
  erase_end(link, state.end);
  link.held_weight -= state.weight;
  mark(state.holder);
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    if (id != state.holder && links_[id].counts) forget(state.holder, place);
    ++place;
  }
  if (link.holds()) return;
  link.held_weight = link.service = link.told_service = 0;
  rooms_[state.holder].owed = 0;
  rooms_[state.holder].holds = false;
  link.level = link.smallest = link.ceiling = link.lowest_bound = infinite;
  leave_order(state.holder);
  published_[state.holder] = infinite;
  link.even = true;
  if (events_.contains(state.holder)) events_.erase(state.holder);
}

/// Gives a flow another bottleneck.
void FairSharing::hold(Flow flow, Link holder) {
  const double left = service_left(flow, now_s_);
  contribute(flow, 1);
  quit(flow);
  join(flow, holder, left);
  contribute(flow, -1);
  guard(flow);
}

void FairSharing::end(Flow flow, std::vector<Flow>& ended) {
  changed_ = true;
  ended.push_back(flow);
  const double lacked = service_left(flow, now_s_);
  contribute(flow, 1);
  quit(flow);
  leave_links(flow);
  flows_[flow].remaining = lacked;
  flows_[flow].present = false;
}

// --- which links count their room ------------------------------------------------------------------------------------

/// Makes the links of a flow with a new bottleneck count their room, where they could become full.
void FairSharing::guard(Flow flow) {
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    if (link.counts) continue;
    if (std::isinf(link.guard) ? link.can_be_full() : link.capacity < link.guard * link.weight)
      guard_anew(id);
    else if (!std::isinf(link.guard))
      keep_below(flow, id);
  }
}

void FairSharing::guard_anew(Link id) {
  LinkState& link = links_[id];
  link.guard = link.capacity / (growth * link.weight);
  for (const Member& member : link.members) {
    keep_below(flow_of(member), id);
    if (std::isinf(link.guard)) return;
  }
}

/// Makes a link count its room if a flow is above its guard and the link can be full.
void FairSharing::keep_below(Flow flow, Link id) {
  LinkState& link = links_[id];
  if (level_of(flow) > link.guard) {
    link.guard = infinite;
    if (link.can_be_full()) count(id);
  } else if (flows_[flow].holder != own_bound) {
    double& ceiling = links_[flows_[flow].holder].ceiling;
    ceiling = std::min(ceiling, link.guard);
  }
}

void FairSharing::count(Link id) {
  LinkState& link = links_[id];
  link.counts = true;
  link.patience = std::max(2 * link.patience, std::max(few_enough, link.flows));
  Room& room = rooms_[id];
  room.idle_counts = link.patience;
  room.rate.reset(link.capacity);
  room.owed = 0;
  link.since_s = now_s_;
  for (const Member& member : link.members) {
    const Flow flow = flow_of(member);
    room.rate.subtract(flows_[flow].weight * level_of(flow));
    if (member.holder == own_bound) continue;
    room.owed -= flows_[flow].weight * deviation(member.holder);
    aim(member.holder, member.place);
  }
  mark(id);
}

/// Stops counting the room of a link that has had room for long, if no flow on it is above its guard. If one is, it
/// will stay so for a while, and the next check comes later.
void FairSharing::stop_counting(Link id) {
  LinkState& link = links_[id];
  if (buckets_.any()) return;
  link.patience =
      std::max(link.patience, std::min(2 * link.patience, std::max(few_enough, link.flows) * most_patience));
  rooms_[id].idle_counts = link.patience;
  const double guard = link.capacity / (growth * link.weight);
  const auto above = [&](const Member& member) { return level_of(flow_of(member)) > calm * guard; };
  if (std::any_of(link.members.begin(), link.members.end(), above)) return;
  link.guard = guard;
  link.counts = false;
  for (const Member& member : link.members) {
    if (member.holder == own_bound) continue;
    LinkState& holder = links_[member.holder];
    holder.ceiling = std::min(holder.ceiling, guard);
    forget(member.holder, member.place);
  }
}

/// If the level of a link rose above the guard of another link on the routes of its flows, that link counts its room.
void FairSharing::check_ceiling(Link id) {
  LinkState& link = links_[id];
  if (published_[id] <= link.ceiling) return;
  link.ceiling = infinite;
  for (const End& end : link.ends) {
    for (const Link other : links_of(end.flow))
      if (!links_[other].counts && !std::isinf(links_[other].guard)) keep_below(end.flow, other);
  }
}

void FairSharing::aim(Link holder, std::uint32_t place) {
  std::pmr::vector<Target>& targets = links_[holder].targets;
  target_[place] = static_cast<std::uint32_t>(targets.size());
  targets.push_back({link_of_place_[place], place});
}

void FairSharing::forget(Link holder, std::uint32_t place) {
  std::pmr::vector<Target>& targets = links_[holder].targets;
  const Target last = targets.back();
  targets[target_[place]] = last;
  target_[last.place] = target_[place];
  targets.pop_back();
}

// --- links and their virtual time ------------------------------------------------------------------------------------

void FairSharing::bring_up(Link id) {
  LinkState& link = links_[id];
  if (!link.holds()) {
    link.since_s = now_s_;
    return;
  }
  if (link.since_s < now_s_) {
    link.service += link.level * (now_s_ - link.since_s);
    link.since_s = now_s_;
  }
  double& owed = rooms_[id].owed;
  if (owed == 0) return;
  link.service -= owed / link.held_weight;
  owed = 0;
}

/// Service of a link, for a unit of weight, beyond its published line.
double FairSharing::deviation(Link id) const {
  const LinkState& link = links_[id];
  const double service = link.service + link.level * (now_s_ - link.since_s);
  return service - (link.told_service + published_[id] * (now_s_ - link.told_at_s));
}

/// Time at which a link needs attention: a flow of it ends, or its service is too far from the published line.
double FairSharing::attention(Link id) const {
  const LinkState& link = links_[id];
  if (!(link.level > 0)) return infinite;
  const double left = std::max(0.0, link.ends.front().service - link.service);
  return std::min(link.since_s + left / link.level, line_ends(id));
}

/// Time at which the service of a link is too far from the published line.
double FairSharing::line_ends(Link id) const {
  const LinkState& link = links_[id];
  const double apart = link.level - published_[id];
  if (std::abs(apart) <= rounding * link.level) return infinite;
  const double ahead = link.service - (link.told_service + published_[id] * (link.since_s - link.told_at_s));
  const double tolerance = accuracy_.service * link.smallest;
  const double left = apart > 0 ? tolerance - ahead : tolerance + ahead;
  return link.since_s + std::max(0.0, left) / std::abs(apart);
}

/// Sets the event of a link. It may be earlier than the link needs attention; `next_event` moves it when it is first.
void FairSharing::watch(Link id) {
  const double time_s = attention(id);
  if (!events_.contains(id))
    events_.push({time_s, id, id});
  else if (time_s < events_.time_of(id))
    events_.move(id, time_s);
}

void FairSharing::rebase(LinkState& link) {
  if (link.service < long_service * link.smallest) return;
  link.smallest = infinite;
  for (End& end : link.ends) {
    end.service -= link.service;
    link.smallest = std::min(link.smallest, flows_[end.flow].size / flows_[end.flow].weight);
  }
  link.told_service -= link.service;
  link.service = 0;
}

// --- the order of published levels -----------------------------------------------------------------------------------

void FairSharing::enter_order(Link id) {
  if (unused_.empty()) {
    in_order_[id] = order_.insert(id).first;
    return;
  }
  unused_.back().value() = id;
  in_order_[id] = order_.insert(std::move(unused_.back())).position;
  unused_.pop_back();
}

void FairSharing::leave_order(Link id) { unused_.push_back(order_.extract(in_order_[id])); }

/// Changes the published level of a link that holds flows back, and its place in the order.
void FairSharing::publish_level(Link id, double level) {
  const auto place = in_order_[id];
  const auto next = std::next(place);
  const bool stays = (place == order_.begin() || published_[*std::prev(place)] < level) &&
                     (next == order_.end() || level < published_[*next]);
  if (stays) {
    published_[id] = level;
    return;
  }
  auto node = order_.extract(place);
  published_[id] = level;
  in_order_[id] = order_.insert(std::move(node)).position;
}

/// Whether another link has the published level of this link, or is passed by it on its rise to `level`.
bool FairSharing::meets_higher(Link id, double level) const {
  const auto place = in_order_[id];
  const auto next = std::next(place);
  if (next != order_.end() && published_[*next] < level) return true;
  return place != order_.begin() && published_[*std::prev(place)] >= published_[id] * (1 - 2 * accuracy_.level);
}

// --- levels ----------------------------------------------------------------------------------------------------------

double FairSharing::next_event() {
  settle();
  while (!events_.empty()) {
    const EventHeap::Event& first = events_.first();
    if (first.transfer >= links_.size()) return first.time_s;
    const double time_s = attention(first.transfer);
    if (time_s <= first.time_s) return first.time_s;
    events_.move(first.transfer, time_s);
  }
  return infinite;
}

bool FairSharing::is_due(double time_s, double soon_s) const {
  return time_s <= std::max(now_s_ * (1 + instant), now_s_ + soon_s);
}

void FairSharing::advance(double now_s, std::vector<Flow>& ended) {
  settle();
  now_s_ = now_s;
  while (!events_.empty()) {
    const EventHeap::Event first = events_.first();
    if (first.transfer >= links_.size()) {
      const auto flow = static_cast<Flow>(first.transfer - links_.size());
      if (!is_due(first.time_s, accuracy_.together * flows_[flow].size / flows_[flow].bound)) break;
      end(flow, ended);
      continue;
    }
    LinkState& link = links_[first.transfer];
    const double together = std::max(accuracy_.together * link.smallest, link.level * now_s_ * instant);
    if (!is_due(first.time_s, together / link.level)) break;
    const double time_s = attention(first.transfer);
    if (!is_due(time_s, together / link.level)) {
      events_.move(first.transfer, time_s);
      continue;
    }
    const double line_s = line_ends(first.transfer);
    bring_up(first.transfer);
    const UnpublishedChange unpublished = unpublished_change(first.transfer);
    const double service = link.service - unpublished.service;
    const double level = link.level - unpublished.level, soon_s = together / link.level;
    const double left = link.ends.front().service - service;
    if (left > level * soon_s && !is_due(line_s, soon_s)) {
      events_.move(first.transfer, std::min(now_s_ + left / level, line_s));
      continue;
    }
    events_.move(first.transfer, infinite);
    mark(first.transfer);
    const std::size_t before = ended.size();
    while (link.holds() && link.ends.front().service - service <= level * soon_s) end(link.ends.front().flow, ended);
    if (ended.size() == before) enqueue(first.transfer);
  }
}

/// A link that mostly carries flows with other bottlenecks multiplies the errors of their published lines. So before
/// one of its own flows ends, it adds up what these bottlenecks have not published yet.
FairSharing::UnpublishedChange FairSharing::unpublished_change(Link id) const {
  const LinkState& link = links_[id];
  if (link.weight - link.held_weight < mostly * link.held_weight) return {};
  double service = 0, level = 0;
  for (const Member& member : link.members) {
    if (member.holder == id || member.holder == own_bound) continue;
    const double weight = flows_[flow_of(member)].weight;
    service += weight * deviation(member.holder);
    level += weight * (links_[member.holder].level - published_[member.holder]);
  }
  return {service / link.held_weight, std::min(level / link.held_weight, most_unpublished * link.level)};
}

namespace {
constexpr auto later = [](const auto& a, const auto& b) {
  return std::tie(a.level, a.fair, a.link) > std::tie(b.level, b.fair, b.link);
};
}  // namespace

void FairSharing::settle() {
  if (dirty_count_ == 0 && queue_.empty()) return;
  const double gap_s = now_s_ - changed_at_s_;
  if (std::exchange(changed_, false) && gap_s > 0) {
    gap_s_ = std::isinf(gap_s_) ? gap_s : gap_s_ + latest * (gap_s - gap_s_);
    changed_at_s_ = now_s_;
    horizon_s_ = horizon * gap_s_;
  } else {
    horizon_s_ = std::max(horizon * gap_s_, gap_s);
  }
  for (int round = 0;; ++round) {
    if (round == most_rounds) horizon_s_ = 0;
    for (std::size_t i = 0; i < dirty_count_; ++i) evaluate(dirty_[i]);
    dirty_count_ = 0;
    if (queue_.empty()) return;
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), later);
      const Link id = queue_.back().link;
      queue_.pop_back();
      process(id);
    }
  }
}

/// Computes the level of a link after a change of its room or its weight.
void FairSharing::evaluate(Link id) {
  rooms_[id].dirty = false;
  const double room = rooms_[id].rate.value();
  if (!rooms_[id].holds) return look_idle(id, room);
  LinkState& link = links_[id];
  if (!link.counts) return;
  bring_up(id);
  if (buckets_.any()) buckets_.set_load(id, now_s_, link.capacity);
  link.level = room / link.held_weight;
  const double ahead = deviation(id);
  const double apart = link.level - published_[id];
  const double tolerance = accuracy_.service * link.smallest;
  if (!(link.level > 0) ||
      (std::abs(apart) > rounding * link.level && std::abs(ahead) + std::abs(apart) * horizon_s_ > tolerance))
    return enqueue(id);
  // Most events stay as they are, or become later.
  const double until_s = events_.contains(id) ? events_.time_of(id) - now_s_ : infinite;
  if (link.ends.front().service - link.service < link.level * until_s || std::abs(ahead + apart * until_s) > tolerance)
    watch(id);
}

/// Checks a link that holds no flow back: if it carries more than its capacity, it is queued to hold flows back. Mostly
/// only its room is checked.
void FairSharing::look_idle(Link id, double room) {
  if (room >= 0 && rooms_[id].idle_counts > 0 && !buckets_.any()) {
    --rooms_[id].idle_counts;
    return;
  }
  const LinkState& link = links_[id];
  if (!link.counts) return;
  if (buckets_.any()) buckets_.set_load(id, now_s_, link.capacity - room);
  if (room < -accuracy_.level * link.capacity)
    enqueue(id);
  else
    stop_counting(id);
}

/// Puts a link into the queue to publish. Links that hold no flow back come last: when the others have published, they
/// may have room again.
void FairSharing::enqueue(Link id) {
  LinkState& link = links_[id];
  if (std::exchange(link.queued, true)) return;
  queue_.push_back({link.holds() ? rounded(published_[id]) : infinite, link.capacity / link.weight, id});
  std::push_heap(queue_.begin(), queue_.end(), later);
}

void FairSharing::process(Link id) {
  LinkState& link = links_[id];
  link.queued = false;
  bring_up(id);
  if (!link.holds()) {
    link.recheck = false;
    if (rooms_[id].rate.value() >= -accuracy_.level * link.capacity) return;
    begin_to_hold(id);
  } else {
    link.level = rooms_[id].rate.value() / link.held_weight;
    if (std::exchange(link.recheck, false)) {
      while (give_away(id, true) || (link.holds() && take_over(id, true))) {
      }
    } else if (link.level > published_[id]) {
      give_away(id, false);
    } else {
      take_over(id, false);
    }
  }
  if (link.holds()) publish(id);
}

/// A link that carries more than its capacity begins to hold back its flows with the highest levels.
void FairSharing::begin_to_hold(Link id) {
  LinkState& link = links_[id];
  candidates_.clear();
  double highest = 0;
  for (const Member& member : link.members) {
    const Flow flow = flow_of(member);
    candidates_.push_back({level_of(flow), flow});
    highest = std::max(highest, candidates_.back().level);
  }
  published_[id] = highest;
  enter_order(id);
  link.told_at_s = link.since_s = now_s_;
  rooms_[id].owed = link.told_service = link.service = link.level = 0;
  take_highest(id);
}

/// After the level of a link rose, its flows with a lower bottleneck elsewhere get that bottleneck.
bool FairSharing::give_away(Link id, bool all) {
  LinkState& link = links_[id];
  bool any = false;
  for (;;) {
    candidates_.clear();
    const double level = link.level * (1 - accuracy_.level);
    if (link.lowest_bound < level) {
      link.lowest_bound = infinite;
      for (const End& end : link.ends) {
        const Place place = lowest_settled(end.flow, id);
        if (place.level < level)
          candidates_.push_back({place.level, end.flow});
        else
          link.lowest_bound = std::min(link.lowest_bound, flows_[end.flow].bound / flows_[end.flow].weight);
      }
    } else if (all || meets_higher(id, level)) {
      for (const Target& target : link.targets) {
        if (published_[target.link] >= level) continue;
        if (links_[target.link].queued)
          links_[target.link].recheck = true;
        else
          candidates_.push_back({0, target.place >> shift_});
      }
    }
    if (candidates_.empty()) return any;
    any = true;
    for (const Candidate& candidate : candidates_) {
      const Place place = lowest_settled(candidate.flow, id);
      if (flows_[candidate.flow].holder == id) hold(candidate.flow, place.holder);
    }
    if (!link.holds()) return any;
    link.level = rooms_[id].rate.value() / link.held_weight;
  }
}

/// After the level of a link fell, it becomes the bottleneck of its flows with higher levels.
/// @param all examine all flows on the link; if false, only those whose bottlenecks have levels in the range of the
/// fall
bool FairSharing::take_over(Link id, bool all) {
  LinkState& link = links_[id];
  candidates_.clear();
  const double level = link.level * (1 + accuracy_.level);
  if (all || link.at_bound > 0 || !take_from_met(id, level)) {
    candidates_.clear();
    for (const Member& member : link.members) {
      if (member.holder == id) continue;
      const double other = member.holder == own_bound ? level_of(flow_of(member)) : published_[member.holder];
      if (other > level) consider({other, flow_of(member)}, member.holder);
    }
  }
  if (candidates_.empty()) return false;
  take_highest(id);
  return true;
}

/// Collects the flows of a link whose bottlenecks have levels in the range of its fall. False: examining all its flows
/// would be faster.
bool FairSharing::take_from_met(Link id, double level) {
  const LinkState& link = links_[id];
  std::size_t seen = 0;
  const auto take_from = [&](Link met) {
    seen += links_[met].targets.size();
    for (const Target& target : links_[met].targets)
      if (target.link == id) consider({published_[met], target.place >> shift_}, met);
    return seen <= link.members.size();
  };
  const auto own = in_order_[id];
  for (auto place = own; place != order_.begin() && published_[*std::prev(place)] > level;)
    if (!take_from(*--place)) return false;
  const double same = published_[id] * (1 + 2 * accuracy_.level);
  for (auto place = std::next(own); place != order_.end() && published_[*place] <= same; ++place)
    if (published_[*place] > level && !take_from(*place)) return false;
  return true;
}

/// Adds a flow to the candidates that a link may take over from their present bottleneck. If that bottleneck is in the
/// queue to publish, it examines the flow itself when it publishes.
void FairSharing::consider(const Candidate& candidate, Link holder) {
  if (holder != own_bound && links_[holder].queued)
    links_[holder].recheck = true;
  else
    candidates_.push_back(candidate);
}

/// Takes over candidates, the highest first, while they are above the level of the link; each one raises that level.
void FairSharing::take_highest(Link id) {
  LinkState& link = links_[id];
  const auto lower = [](const Candidate& a, const Candidate& b) {
    return a.level != b.level ? a.level < b.level : a.flow > b.flow;
  };
  std::make_heap(candidates_.begin(), candidates_.end(), lower);
  while (!candidates_.empty() && candidates_.front().level > link.level * (1 + accuracy_.level)) {
    hold(candidates_.front().flow, id);
    link.level = rooms_[id].rate.value() / link.held_weight;
    std::pop_heap(candidates_.begin(), candidates_.end(), lower);
    candidates_.pop_back();
  }
}

/// Publishes the level of a link: updates the room of all links on the routes of the flows that it holds back.
void FairSharing::publish(Link id) {
  LinkState& link = links_[id];
  bring_up(id);
  link.level = rooms_[id].rate.value() / link.held_weight;
  const double change = link.level - published_[id];
  const double beyond = deviation(id);
  for (const Target& target : link.targets) {
    const double weight = link.even ? 1 : flows_[target.place >> shift_].weight;
    Room& room = rooms_[target.link];
    room.rate.subtract(weight * change);
    room.owed += weight * beyond;
    mark(target.link);
  }
  rebase(link);
  publish_level(id, link.level);
  link.told_service = link.service;
  link.told_at_s = now_s_;
  watch(id);
  check_ceiling(id);
}

// --- heaps of ends ---------------------------------------------------------------------------------------------------

namespace {
constexpr std::size_t children = 4;
}

void FairSharing::push_end(LinkState& link, End end) {
  link.ends.push_back(end);
  rise(link, link.ends.size() - 1, end);
}

void FairSharing::erase_end(LinkState& link, std::uint32_t place) {
  const End last = link.ends.back();
  link.ends.pop_back();
  if (place == link.ends.size()) return;
  last.service < link.ends[place].service ? rise(link, place, last) : sink(link, place, last);
}

void FairSharing::rise(LinkState& link, std::size_t place, End end) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / children;
    if (!(end.service < link.ends[parent].service)) break;
    link.ends[place] = link.ends[parent];
    flows_[link.ends[place].flow].end = static_cast<std::uint32_t>(place);
    place = parent;
  }
  link.ends[place] = end;
  flows_[end.flow].end = static_cast<std::uint32_t>(place);
}

void FairSharing::sink(LinkState& link, std::size_t place, End end) {
  for (std::size_t begin = children * place + 1; begin < link.ends.size(); begin = children * place + 1) {
    std::size_t first = begin;
    for (std::size_t child = begin + 1; child < std::min(begin + children, link.ends.size()); ++child)
      if (link.ends[child].service < link.ends[first].service) first = child;
    if (!(link.ends[first].service < end.service)) break;
    link.ends[place] = link.ends[first];
    flows_[link.ends[place].flow].end = static_cast<std::uint32_t>(place);
    place = first;
  }
  link.ends[place] = end;
  flows_[end.flow].end = static_cast<std::uint32_t>(place);
}

}  // namespace orrery::sharing
