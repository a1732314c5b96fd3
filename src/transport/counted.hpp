// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transport/layer.hpp"

namespace orrery::transport {

/// What one rank sent to another.
struct Edge {
  std::int32_t from = 0, to = 0;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// A transport that counts who sends how much to whom: single messages, those that collectives are made of, and legs of
/// one-sided operations. What a receiver dropped and fetches again counts once. Times stay the same to the last bit.
class Counted final : public Layer {
 public:
  explicit Counted(std::unique_ptr<Transport> below) : Layer(std::move(below)) {}

  [[nodiscard]] std::vector<Edge> edges() const {  ///< by sender, then by receiver
    std::vector<Edge> found = edges_;
    std::sort(found.begin(), found.end(),
              [](const Edge& a, const Edge& b) { return key(a.from, a.to) < key(b.from, b.to); });
    return found;
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override {
    if (!transfer.fetched) count(transfer);
    return below().start(transfer, now);
  }

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

  std::unordered_map<std::uint64_t, std::size_t> place_;
  std::vector<Edge> edges_;
};

}  // namespace orrery::transport
