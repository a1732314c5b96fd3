// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace orrery::transport {

/// What one rank sent to another.
struct Edge {
  std::int32_t from = 0, to = 0;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// A transport that counts who sends how much to whom: single messages, those that collectives are made of, and legs of
/// one-sided operations. What a receiver dropped and fetches again counts once. Everything is handed on: times stay the
/// same to the last bit.
class Counted final : public Transport {
 public:
  explicit Counted(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  [[nodiscard]] std::vector<Edge> edges() const {  ///< by sender, then by receiver
    std::vector<Edge> found = edges_;
    std::sort(found.begin(), found.end(),
              [](const Edge& a, const Edge& b) { return key(a.from, a.to) < key(b.from, b.to); });
    return found;
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override {
    if (!transfer.fetched) count(transfer);
    return transport_->start(transfer, now);
  }
  Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) override {
    return transport_->cost(from, to, bytes);
  }
  std::optional<SimTime> next_event() override { return transport_->next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { transport_->advance(now, ended); }
  bool record(sharing::LinkLoad& load) override { return transport_->record(load); }
  Duration rts_delay(platform::HostId from, platform::HostId to, SimTime now) override {
    return transport_->rts_delay(from, to, now);
  }
  Duration connect(const Posted& message, SimTime now) override { return transport_->connect(message, now); }
  void take_released(std::vector<TransferId>& released) override { transport_->take_released(released); }
  [[nodiscard]] double frames(Bytes bytes) const override { return transport_->frames(bytes); }
  [[nodiscard]] Stalled stalled() const override { return transport_->stalled(); }
  [[nodiscard]] Connected connected() const override { return transport_->connected(); }

 private:
  [[nodiscard]] static std::uint64_t key(std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 | static_cast<std::uint32_t>(to);
  }

  void count(const Transfer& transfer) {
    const auto [place, fresh] = place_.try_emplace(key(transfer.from_rank, transfer.to_rank), edges_.size());
    if (fresh) edges_.push_back({.from = transfer.from_rank, .to = transfer.to_rank, .messages = 0, .bytes = {}});
    Edge& edge = edges_[place->second];
    ++edge.messages;
    edge.bytes += transfer.bytes;
  }

  std::unique_ptr<Transport> transport_;
  std::unordered_map<std::uint64_t, std::size_t> place_;
  std::vector<Edge> edges_;
};

}  // namespace orrery::transport
