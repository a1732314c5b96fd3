// SPDX-License-Identifier: BSD-3-Clause
#include "network/flow_engine.hpp"

#include <algorithm>
#include <cmath>
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
  if (!wanted.any()) return;
  timeouts_ = std::move(wanted);
  sharing_.count_flows(platform.link_count());
}

FlowEngine::FlowEngine(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes)
    : sharing_(capacities, longest_route, burst_bytes) {}

void FlowEngine::start(TransferId id, SimTime now, Duration latency, double bytes,
                       std::span<const platform::LinkId> links, Bandwidth bound, bool may_stall, double weight) {
  if (id >= moving_.size()) moving_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * moving_.size()));
  moving_[id] = {.order = started_++, .bytes = bytes, .phase = Phase::Latency, .may_stall = may_stall};
  sharing_.prepare(id, links, bound.bytes_per_s, weight);
  latencies_.push({(now + latency).s, moving_[id].order, id});
}

void FlowEngine::reweigh(TransferId id, SimTime now, double weight) { sharing_.reweigh(id, now.s, weight); }

std::optional<SimTime> FlowEngine::next_event() {
  double next_s = sharing_.next_event();
  if (!latencies_.empty()) next_s = std::min(next_s, latencies_.first().time_s);
  if (std::isinf(next_s)) return std::nullopt;
  return SimTime{next_s};
}

void FlowEngine::advance(SimTime now, std::vector<TransferId>& ended) {
  const double instant_ends_s = now.s * (1 + kInstant);
  const std::size_t ended_before = ended.size();
  if (sharing_.next_event() <= instant_ends_s) sharing_.advance(now.s, ended);
  while (!latencies_.empty() && latencies_.first().time_s <= instant_ends_s) {
    const TransferId id = latencies_.first().transfer;
    latencies_.pop();
    latency_over(id, now, ended);
  }
  const auto started_before = [this](TransferId a, TransferId b) { return moving_[a].order < moving_[b].order; };
  const auto batch = ended.begin() + static_cast<std::ptrdiff_t>(ended_before);
  if (!std::is_sorted(batch, ended.end(), started_before)) std::sort(batch, ended.end(), started_before);
}

void FlowEngine::latency_over(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  if (timeouts_ && stalls(id)) return latencies_.push({(now + timeouts_->wait()).s, moving_[id].order, id});
  pass_burst(id, now);
  if (moving_[id].bytes <= 0) return ended.push_back(id);
  moving_[id].phase = Phase::Bandwidth;
  sharing_.add(id, now.s, moving_[id].bytes);
}

/// Whether a message that is about to enter its bandwidth phase waits for a time-out first. Each is drawn for once.
bool FlowEngine::stalls(TransferId id) {
  Moving& transfer = moving_[id];
  if (transfer.bytes <= 0) return false;
  if (!std::exchange(transfer.may_stall, false)) return false;
  if (!timeouts_->strike(sharing_.links_of(id), [this](FlowBundles::Link link) { return sharing_.flows_on(link); }))
    return false;
  ++stalled_.messages;
  stalled_.time += timeouts_->wait();
  return true;
}

/// Flows that were let go at one instant before this one may not have their rates yet: they are no load then, but have
/// taken what tokens there were.
void FlowEngine::pass_burst(TransferId id, SimTime now) {
  double& bytes = moving_[id].bytes;
  if (sharing_.buckets().any() && bytes > 0) bytes -= sharing_.buckets().take(sharing_.links_of(id), now.s, bytes);
}

double FlowEngine::remaining_bytes(TransferId id, SimTime now) const {
  return moving_[id].phase == Phase::Latency ? moving_[id].bytes : sharing_.remaining_bytes(id, now.s);
}

}  // namespace orrery::network
