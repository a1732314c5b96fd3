// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/flow_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery::sharing {
namespace {

std::vector<double> capacities(const platform::Platform& platform) {
  std::vector<double> capacities;
  capacities.reserve(platform.link_count());
  for (platform::LinkId id = 0; id < platform.link_count(); ++id) {
    const platform::Link link = platform.link(id);
    // A link that is not shared bounds each flow alone, by the bandwidth of its route.
    capacities.push_back(link.shared ? link.bandwidth.bytes_per_s : std::numeric_limits<double>::infinity());
  }
  return capacities;
}

}  // namespace

FlowEngine::FlowEngine(const platform::Platform& platform, double burst_bytes, const Accuracy& accuracy)
    : FlowEngine(capacities(platform), platform.longest_route(), burst_bytes, accuracy) {}

FlowEngine::FlowEngine(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes,
                       const Accuracy& accuracy)
    : sharing_(capacities, longest_route, burst_bytes, accuracy) {}

void FlowEngine::ask(Gate& gate, std::size_t links) {
  gate_ = &gate;
  sharing_.count_flows(links);
}

void FlowEngine::start(TransferId id, SimTime now, Duration latency, double bytes,
                       std::span<const platform::LinkId> links, Bandwidth bound, bool asks, double weight) {
  if (id >= moving_.size()) moving_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * moving_.size()));
  moving_[id] = {.order = started_++, .bytes = bytes, .phase = Phase::Latency, .asks = asks};
  sharing_.prepare(id, links, bound.bytes_per_s, weight);
  latencies_.push({(now + latency).s, moving_[id].order, id});
}

void FlowEngine::reweigh(TransferId id, SimTime now, double weight) {
  if (load_ != nullptr) reach(now);
  sharing_.reweigh(id, now.s, weight);
}

std::optional<SimTime> FlowEngine::next_event() {
  double next_s = sharing_.next_event();
  if (!latencies_.empty()) next_s = std::min(next_s, latencies_.first().time_s);
  if (std::isinf(next_s)) return std::nullopt;
  return SimTime{next_s};
}

void FlowEngine::advance(SimTime now, std::vector<TransferId>& ended) {
  const double instant_ends_s = now.s * (1 + instant);
  const std::size_t ended_before = ended.size();
  const bool shares = sharing_.next_event() <= instant_ends_s;
  if (load_ != nullptr) reach(now);
  if (shares) end_flows(now, ended);
  while (!latencies_.empty() && latencies_.first().time_s <= instant_ends_s) {
    const TransferId id = latencies_.first().transfer;
    latencies_.pop();
    latency_over(id, now, ended);
  }
  const auto started_before = [this](TransferId a, TransferId b) { return moving_[a].order < moving_[b].order; };
  const auto batch = ended.begin() + static_cast<std::ptrdiff_t>(ended_before);
  if (!std::is_sorted(batch, ended.end(), started_before)) std::sort(batch, ended.end(), started_before);
}

void FlowEngine::end_flows(SimTime now, std::vector<TransferId>& ended) {
  const std::size_t before = ended.size();
  sharing_.advance(now.s, ended);
  if (load_ == nullptr) return;
  for (std::size_t i = before; i < ended.size(); ++i) load_->end(ended[i], sharing_.links_of(ended[i]));
}

/// Before rates change at `now`, what flows have left at the ends of buckets until then follows from their rates.
void FlowEngine::reach(SimTime now) {
  load_->reach(
      now.s, [this](TransferId id, double at_s) { return sharing_.remaining_bytes(id, at_s); },
      [this](TransferId id) { return sharing_.links_of(id); });
}

void FlowEngine::latency_over(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  if (const Duration longer = held(id); longer.s > 0) return latencies_.push({(now + longer).s, moving_[id].order, id});
  pass_burst(id, now);
  if (moving_[id].bytes <= 0) return ended.push_back(id);
  moving_[id].phase = Phase::Bandwidth;
  sharing_.add(id, now.s, moving_[id].bytes);
  if (load_ != nullptr) load_->begin(id, moving_[id].bytes);
}

Duration FlowEngine::held(TransferId id) {
  Moving& transfer = moving_[id];
  if (gate_ == nullptr || transfer.bytes <= 0 || !std::exchange(transfer.asks, false)) return {};
  return gate_->holds(sharing_.links_of(id));
}

/// Takes tokens from the links. Flows that started earlier at the same instant may have no rates yet, so they are no
/// load on the links, but they have taken their tokens.
void FlowEngine::pass_burst(TransferId id, SimTime now) {
  double& bytes = moving_[id].bytes;
  if (!sharing_.buckets().any() || bytes <= 0) return;
  const double passed = sharing_.buckets().take(sharing_.links_of(id), now.s, bytes);
  if (load_ != nullptr) load_->pass(sharing_.links_of(id), passed);
  bytes -= passed;
}

double FlowEngine::remaining_bytes(TransferId id, SimTime now) const {
  return moving_[id].phase == Phase::Latency ? moving_[id].bytes : sharing_.remaining_bytes(id, now.s);
}

}  // namespace orrery::sharing
