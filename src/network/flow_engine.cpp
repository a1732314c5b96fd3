// SPDX-License-Identifier: BSD-3-Clause
#include "network/flow_engine.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace orrery::network {
namespace {

std::vector<double> capacities(const platform::Platform& platform) {
  std::vector<double> capacities;
  capacities.reserve(platform.link_count());
  for (platform::LinkId id = 0; id < platform.link_count(); ++id) {
    const platform::Link link = platform.link(id);
    // What is not shared bounds each flow by itself, through the bandwidth of its route.
    capacities.push_back(link.shared ? link.bandwidth.bytes_per_s : std::numeric_limits<double>::infinity());
  }
  return capacities;
}

}  // namespace

FlowEngine::FlowEngine(const platform::Platform& platform, double burst_bytes, const TimeoutParameters& timeouts,
                       std::uint64_t seed)
    : FlowEngine(capacities(platform), platform.longest_route(), burst_bytes) {
  Timeouts wanted(platform, timeouts, seed);
  if (wanted.any()) timeouts_ = std::move(wanted);
}

FlowEngine::FlowEngine(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes)
    : solver_(capacities, longest_route), buckets_(capacities, burst_bytes) {}

void FlowEngine::start(TransferId id, SimTime now, Duration latency, double bytes,
                       std::span<const platform::LinkId> links, Bandwidth bound, bool may_stall, double weight) {
  if (id >= moving_.size()) moving_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * moving_.size()));
  moving_[id] = {.order = started_++, .remaining_bytes = bytes, .phase = Phase::Latency, .may_stall = may_stall};
  solver_.prepare(id, links, bound.bytes_per_s, weight);
  events_.push({(now + latency).s, moving_[id].order, id});
}

void FlowEngine::reweigh(TransferId id, SimTime now, double weight) {
  if (solver_.weight(id) == weight) return;
  if (now.s > changed_at_s_) {
    settle();
    changed_at_s_ = now.s;
  }
  solver_.reweigh(id, weight);
  settled_ = false;
}

std::optional<SimTime> FlowEngine::next_event() {
  settle();
  if (events_.empty()) return std::nullopt;
  return SimTime{events_.first().time_s};
}

void FlowEngine::advance(SimTime now, std::vector<TransferId>& ended) {
  settle();
  changed_at_s_ = now.s;
  const double instant_ends_s = now.s * (1 + kInstant);
  const std::size_t ended_before = ended.size();
  while (!events_.empty() && events_.first().time_s <= instant_ends_s) {
    const TransferId id = events_.first().transfer;
    events_.pop();
    if (timeouts_ && stalls(id)) {
      events_.push({(now + timeouts_->wait()).s, moving_[id].order, id});
      continue;
    }
    if (moving_[id].phase == Phase::Latency) pass_burst(id, now);
    if (moving_[id].phase == Phase::Latency && moving_[id].remaining_bytes > 0) {
      enter_bandwidth_phase(id, now);
    } else {
      leave(id);
      ended.push_back(id);
    }
  }
  const auto started_before = [this](TransferId a, TransferId b) { return moving_[a].order < moving_[b].order; };
  const auto batch = ended.begin() + static_cast<std::ptrdiff_t>(ended_before);
  if (!std::is_sorted(batch, ended.end(), started_before)) std::sort(batch, ended.end(), started_before);
}

/// Whether a message that is about to enter its bandwidth phase waits for a time-out first. Each is drawn for once.
bool FlowEngine::stalls(TransferId id) {
  Moving& transfer = moving_[id];
  if (transfer.phase != Phase::Latency || transfer.remaining_bytes <= 0) return false;
  if (!std::exchange(transfer.may_stall, false)) return false;
  if (!timeouts_->strike(solver_.links_of(id), [this](MaxMin::Link link) { return solver_.flows_on(link); }))
    return false;
  ++stalled_.messages;
  stalled_.time += timeouts_->wait();
  return true;
}

void FlowEngine::enter_bandwidth_phase(TransferId id, SimTime now) {
  moving_[id].phase = Phase::Bandwidth;
  moving_[id].since_s = now.s;
  solver_.add(id);
  settled_ = false;
}

/// Flows that were let go at one instant before this one may not have their rates yet: they are no load then, but have
/// taken what tokens there were.
void FlowEngine::pass_burst(TransferId id, SimTime now) {
  double& remaining = moving_[id].remaining_bytes;
  if (buckets_.any() && remaining > 0) remaining -= buckets_.take(solver_.links_of(id), now.s, remaining);
}

double FlowEngine::remaining_bytes(TransferId id, SimTime now) const {
  const Moving& transfer = moving_[id];
  return std::max(0.0, transfer.remaining_bytes - transfer.rate * (now.s - transfer.since_s));
}

void FlowEngine::leave(TransferId id) {
  if (moving_[id].phase == Phase::Latency) return;  // an empty message never was a flow
  if (buckets_.any()) buckets_.change_rate(solver_.links_of(id), changed_at_s_, moving_[id].rate, 0);
  solver_.remove(id);
  settled_ = false;
}

void FlowEngine::settle() {
  if (settled_) return;
  settled_ = true;
  for (const TransferId id : solver_.solve()) change_rate(id);
}

void FlowEngine::change_rate(TransferId id) {
  Moving& transfer = moving_[id];
  const bool first_rate = transfer.rate == 0;
  transfer.remaining_bytes -= transfer.rate * (changed_at_s_ - transfer.since_s);
  transfer.since_s = changed_at_s_;
  if (buckets_.any()) buckets_.change_rate(solver_.links_of(id), changed_at_s_, transfer.rate, solver_.rate(id));
  transfer.rate = solver_.rate(id);
  assert(transfer.rate > 0 && "a flow starves");
  const double end_s = changed_at_s_ + std::max(0.0, transfer.remaining_bytes) / transfer.rate;
  if (first_rate)
    events_.push({end_s, transfer.order, id});
  else
    events_.move(id, end_s);
}

}  // namespace orrery::network
