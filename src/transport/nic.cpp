// SPDX-License-Identifier: BSD-3-Clause
#include "transport/nic.hpp"

#include <algorithm>
#include <utility>

namespace orrery::transport {

using platform::HostId;

Nics::Nics(std::unique_ptr<Transport> transport, platform::Platform platform, const settings::Nic& nic)
    : Layer(std::move(transport)),
      platform_(std::move(platform)),
      send_{nic.send_s},
      recv_{nic.recv_s},
      free_(platform_.hosts().size()) {
  settings::check(nic, "node.nic");
}

std::optional<SimTime> Nics::start(const Transfer& transfer, SimTime now) {
  if (transfer.id >= under_.size())
    under_.resize(std::max<std::size_t>(std::size_t{transfer.id} + 1, 2 * under_.size()));
  const HostId from = platform_.host_of(transfer.from), to = platform_.host_of(transfer.to);
  under_[transfer.id] = {.order = starts_++, .to = to, .inside = from == to};
  if (from == to) return below().start(transfer, now);
  const Duration waits = handle(from, now, send_) - now - send_;
  const Duration latency = below().cost(transfer.from, transfer.to, transfer.bytes).latency;
  Transfer waited = transfer;
  waited.setup += std::max(waits - recv_, Duration{} - latency);
  return below().start(waited, now);
}

std::optional<SimTime> Nics::next_event() {
  next_arrival_ = below().next_event();
  if (handed_.empty()) return next_arrival_;
  return next_arrival_ ? std::min(*next_arrival_, handed_.top().time) : handed_.top().time;
}

void Nics::advance(SimTime now, std::vector<TransferId>& ended) {
  if (next_arrival_ && *next_arrival_ <= now) {
    arrived_.clear();
    below().advance(now, arrived_);
    for (const TransferId id : arrived_) {
      const Under& message = under_[id];
      handed_.push({message.inside ? now : handle(message.to, now, recv_), message.order, id});
    }
  }
  for (; !handed_.empty() && handed_.top().time <= now; handed_.pop()) ended.push_back(handed_.top().id);
}

SimTime Nics::handle(HostId host, SimTime now, Duration time) {
  return free_[host] = std::max(now, free_[host]) + time;
}

std::unique_ptr<Transport> behind_nics(std::unique_ptr<Transport> transport, platform::Platform platform,
                                       const settings::Nic& nic) {
  return std::make_unique<Nics>(std::move(transport), std::move(platform), nic);
}

}  // namespace orrery::transport
