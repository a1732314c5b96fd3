// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/one_call.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"

namespace orrery::kernel {
namespace {

/// Every rank makes the call and ends.
class OneCall final : public op::Streams {
 public:
  explicit OneCall(const collective::WholeCall& call)
      : counts_(collective::counts_of(call)), called_(static_cast<std::size_t>(call.size)) {
    operation_.kind = op::Kind::Collective;
    operation_.collective = call.kind;
    operation_.flags = op::Blocking;
    if (call.commutative) operation_.flags |= op::Commutative;
    operation_.peer = call.root;
    operation_.bytes = call.bytes;
    operation_.element = call.element;
    operation_.counts = counts_;
  }

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    const auto self = static_cast<std::size_t>(index(rank));
    if (called_[self]) return op::Pull::End;
    called_[self] = true;
    operation = operation_;
    return op::Pull::Ready;
  }
  void wait(WorldRank) override {}
  void reply(WorldRank, const op::Reply&) override {}

 private:
  std::vector<std::int64_t> counts_;  ///< blocks are all alike, so one list serves all ranks
  std::vector<bool> called_;
  op::Operation operation_;
};

class World final : public Groups {
 public:
  explicit World(int size) : members_(static_cast<std::size_t>(size)) {
    std::iota(members_.begin(), members_.end(), 0);
  }
  std::span<const std::int32_t> members(op::CommId) override { return members_; }
  void release(op::CommId) override {}

 private:
  std::vector<std::int32_t> members_;
};

class Always final : public collective::Selector {
 public:
  explicit Always(collective::Choice choice) : choice_(std::move(choice)) {}
  [[nodiscard]] collective::Choice choose(const collective::Call&) const override { return choice_; }
  [[nodiscard]] std::string_view name() const override { return choice_.algorithm->name; }
  [[nodiscard]] bool needs_places() const override { return choice_.algorithm->topology; }

 private:
  collective::Choice choice_;
};

}  // namespace

CallCost cost_of_call(const collective::WholeCall& call, const collective::Choice& choice, Config config,
                      network::NetworkModel& network) {
  if (config.host_of_rank.size() != static_cast<std::size_t>(call.size))
    throw InputError(concat("a call of ", call.size, " ranks on ", config.host_of_rank.size(), " places"));
  OneCall streams(call);
  World world(call.size);
  const Always selector(choice);
  Simulation simulation(std::move(config), network, selector, streams, world);
  if (simulation.run())
    throw std::logic_error(concat(collective::name(call.kind), " by ", choice.algorithm->name, " deadlocks"));
  return {.time = simulation.now() - SimTime{},
          .messages = simulation.messages(),
          .bytes = simulation.bytes(),
          .events = simulation.events()};
}

}  // namespace orrery::kernel
