// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "kernel/kernel.hpp"

/// A network, streams and groups that a test can work out by hand.
namespace orrery::kernel::testing {

using Streams = std::vector<std::vector<op::Operation>>;
using Times = std::vector<double>;

/// The list of request 1 alone.
inline constexpr std::array<op::RequestId, 1> first_request{1};

/// Every message takes `latency` + bytes × `per_byte`, without contention; sizes up to the limits are Asynchronous and
/// Detached.
class PlainNetwork final : public transport::Transport {
 public:
  double latency = 1;
  double per_byte = 0;
  double send_overhead = 0;
  double recv_overhead = 0;
  std::int64_t asynchronous_limit = 1000;
  std::int64_t detached_limit = 2000;
  network::Protocol long_protocol = network::Protocol::Synchronous;
  std::map<platform::HostId, double> extra_latency;  ///< by sender
  double frames_each = 1;                            ///< of each message

  network::Cost cost(platform::HostId from, platform::HostId, Bytes bytes) override {
    network::Cost cost;
    cost.protocol = bytes.count <= asynchronous_limit ? network::Protocol::Asynchronous
                    : bytes.count <= detached_limit   ? network::Protocol::Detached
                                                      : long_protocol;
    cost.send_overhead = {send_overhead};
    cost.recv_overhead = {recv_overhead};
    cost.latency = {latency + extra(from)};
    return cost;
  }
  std::optional<SimTime> start(const network::Transfer& transfer, SimTime now) override {
    const double time =
        latency + extra(transfer.from) + transfer.setup.s + per_byte * static_cast<double>(transfer.bytes.count);
    ends_.insert({now.s + time, started_++, transfer.id});
    return std::nullopt;
  }
  [[nodiscard]] double frames(Bytes) const override { return frames_each; }
  std::optional<SimTime> next_event() override {
    if (ends_.empty()) return std::nullopt;
    return SimTime{std::get<0>(*ends_.begin())};
  }
  void advance(SimTime now, std::vector<sharing::TransferId>& ended) override {
    while (!ends_.empty() && std::get<0>(*ends_.begin()) <= now.s) {
      ended.push_back(std::get<2>(*ends_.begin()));
      ends_.erase(ends_.begin());
    }
  }

 private:
  double extra(platform::HostId from) const {
    const auto found = extra_latency.find(from);
    return found == extra_latency.end() ? 0 : found->second;
  }

  std::set<std::tuple<double, std::uint64_t, sharing::TransferId>> ends_;
  std::uint64_t started_ = 0;
};

/// Nodes whose ranks share processors, if there are any.
inline settings::Node sharing_node(const settings::Processors& processors) {
  return processors.count > 0 ? settings::Node{.processors = processors} : settings::Node{};
}

/// Streams written down beforehand; what they were answered is kept.
class WrittenStreams final : public op::Streams {
 public:
  struct Answer {
    op::Reply reply;
    std::vector<std::uint32_t> completed;
  };

  explicit WrittenStreams(std::vector<std::vector<op::Operation>> streams)
      : streams_(std::move(streams)), at_(streams_.size()), answers(streams_.size()) {}

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    const auto r = static_cast<std::size_t>(index(rank));
    if (at_[r] == streams_[r].size()) return op::Pull::End;
    operation = streams_[r][at_[r]++];
    return op::Pull::Ready;
  }
  [[nodiscard]] bool known_ahead() const override { return ahead; }
  void wait(WorldRank) override {}
  void reply(WorldRank rank, const op::Reply& reply) override {
    answers[static_cast<std::size_t>(index(rank))].push_back({reply, {reply.completed.begin(), reply.completed.end()}});
  }
  void take_effect(WorldRank, std::int64_t effect) override { effects.push_back(effect); }

 private:
  std::vector<std::vector<op::Operation>> streams_;
  std::vector<std::size_t> at_;

 public:
  bool ahead = false;                        ///< what a rank does next is known before its time
  std::vector<std::vector<Answer>> answers;  ///< by rank, in order
  std::vector<std::int64_t> effects;         ///< of accumulates, in order
};

/// The world as communicator 0.
class World final : public Groups {
 public:
  explicit World(std::size_t ranks) : members_(ranks) { std::iota(members_.begin(), members_.end(), 0); }
  std::span<const std::int32_t> members(op::CommId comm) override {
    return comm == 0 ? std::span<const std::int32_t>(members_) : std::span<const std::int32_t>();
  }
  void release(op::CommId) override {}

 private:
  std::vector<std::int32_t> members_;
};

// --- operations, as short as a test wants them -----------------------------------------------------------------------

inline op::Operation compute(double seconds) {
  op::Operation operation;
  operation.compute_s = seconds;
  return operation;
}
inline op::Operation send(int dest, std::int64_t bytes, int tag = 0, op::RequestId request = 0) {
  op::Operation operation;
  operation.kind = op::Kind::Isend;
  operation.peer = dest;
  operation.bytes = {bytes};
  operation.tag = tag;
  operation.request = request;
  operation.flags = op::FirstOfCall | (request == 0 ? op::Blocking : 0);
  return operation;
}
inline op::Operation ssend(int dest, std::int64_t bytes, int tag = 0) {
  op::Operation operation = send(dest, bytes, tag);
  operation.mode = op::Mode::Synchronous;
  return operation;
}
inline op::Operation recv(int source, std::int64_t bytes, int tag = 0, op::RequestId request = 0) {
  op::Operation operation = send(source, bytes, tag, request);
  operation.kind = op::Kind::Irecv;
  if (source == op::any_source) operation.flags |= op::WantsMatch;
  return operation;
}
inline op::Operation on_requests(op::Kind kind, std::span<const op::RequestId> requests) {
  op::Operation operation;
  operation.kind = kind;
  operation.requests = requests;
  operation.flags = op::FirstOfCall;
  return operation;
}
inline op::Operation probe(op::Kind kind, int source, int tag = op::any_tag) {
  op::Operation operation = recv(source, 0, tag);
  operation.kind = kind;
  operation.flags = op::FirstOfCall;
  return operation;
}
inline op::Operation collective_call(op::CollectiveKind kind, std::int64_t bytes, int call, op::RequestId request = 0) {
  op::Operation operation;
  operation.kind = op::Kind::Collective;
  operation.collective = kind;
  operation.bytes = {bytes};
  operation.tag = call;
  operation.request = request;
  operation.flags = op::FirstOfCall | op::Commutative | (request == 0 ? op::Blocking : 0);
  return operation;
}
inline op::Operation access(op::Kind kind, int target, std::int64_t bytes, op::RequestId request,
                            std::int64_t effect = 0) {
  op::Operation operation;
  operation.kind = kind;
  operation.peer = target;
  operation.bytes = {bytes};
  operation.request = request;
  operation.element = effect;
  operation.flags = op::FirstOfCall;
  return operation;
}
inline op::Operation lock(int target, bool exclusive) {
  op::Operation operation;
  operation.kind = op::Kind::Lock;
  operation.peer = target;
  operation.flags = static_cast<std::uint8_t>(op::FirstOfCall | (exclusive ? op::Exclusive : 0));
  return operation;
}
inline op::Operation unlock(int target) {
  op::Operation operation;
  operation.kind = op::Kind::Unlock;
  operation.peer = target;
  return operation;
}
inline op::Operation simple(op::Kind kind) {
  op::Operation operation;
  operation.kind = kind;
  return operation;
}

/// One simulation of written streams on the plain network.
struct Bench {
  PlainNetwork network;
  WrittenStreams streams;
  World world;
  std::unique_ptr<collective::Selector> selector = collective::make_selector();
  Config config;
  std::unique_ptr<Simulation> simulation;

  explicit Bench(std::vector<std::vector<op::Operation>> operations) : streams(operations), world(operations.size()) {
    for (std::size_t rank = 0; rank < operations.size(); ++rank) {
      config.host_of_rank.push_back(static_cast<platform::HostId>(rank));
      config.compute_factor.push_back(1);
    }
  }
  std::optional<Deadlock> run() {
    simulation = std::make_unique<Simulation>(config, network, *selector, streams, world);
    return simulation->run();
  }
  double end(std::size_t rank) const { return simulation->end_of_ranks()[rank].s; }
};

}  // namespace orrery::kernel::testing
