// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/one_call.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "kernel/world.hpp"

namespace orrery::kernel {
namespace {

/// Every rank makes the calls, one after the other, and ends. Calls are numbered as routines, from 1.
class Calls final : public op::Streams {
 public:
  explicit Calls(const std::vector<collective::WholeCall>& calls)
      : made_(static_cast<std::size_t>(calls.front().size)), counts_(calls.size()) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      counts_[i] = collective::counts_of(calls[i]);
      const auto routine = static_cast<op::RoutineId>(i + 1);
      operations_.push_back(operation(calls[i], counts_[i]));
      operations_.back().routine = routine;
      operations_.back().tag = static_cast<std::int32_t>(i);  // by which ranks tell calls apart
      if (calls[i].immediate)
        operations_.push_back({.kind = op::Kind::WaitAll, .routine = routine, .requests = started});
    }
  }

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    std::size_t& made = made_[static_cast<std::size_t>(index(rank))];
    if (made == operations_.size()) return op::Pull::End;
    operation = operations_[made++];
    return op::Pull::Ready;
  }
  void wait(WorldRank) override {}
  void reply(WorldRank, const op::Reply&) override {}

 private:
  static constexpr std::array<op::RequestId, 1> started{1};  ///< by a non-blocking call, which is waited for at once

  static op::Operation operation(const collective::WholeCall& call, const std::vector<std::int64_t>& counts) {
    op::Operation operation;
    operation.kind = op::Kind::Collective;
    operation.collective = call.kind;
    if (call.immediate) {
      operation.request = started[0];
    } else {
      operation.flags = op::Blocking;
    }
    if (call.commutative) operation.flags |= op::Commutative;
    if (!call.built_in) operation.flags |= op::UserDefined;
    if (call.in_place) operation.flags |= op::InPlace;
    operation.peer = call.root;
    operation.bytes = call.bytes;
    operation.element = call.element;
    operation.extent = call.extent;
    operation.counts = counts;
    return operation;
  }

  std::vector<std::size_t> made_;                  ///< by rank
  std::vector<std::vector<std::int64_t>> counts_;  ///< of each call: its blocks are alike, so one list serves all ranks
  std::vector<op::Operation> operations_;
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

collective::WholeCall other(const collective::WholeCall& call, collective::CollectiveKind kind, std::int64_t bytes) {
  return {.kind = kind, .size = call.size, .bytes = {bytes}, .element = bytes == 0 ? 1 : 4, .places = call.places};
}

/// What src/measure/collectives does before: whether to measure, a call, two trials and their times, how many there
/// will be. Where places are far from each other, the last broadcast lets some ranks begin late, and they may stay so.
std::vector<collective::WholeCall> before_timed(const collective::WholeCall& call) {
  using enum collective::CollectiveKind;
  const collective::WholeCall number = other(call, Bcast, 4);
  const collective::WholeCall barrier = other(call, Barrier, 0);
  return {number, call, barrier, call, barrier, call, other(call, Reduce, 16), number};
}

void check(const collective::WholeCall& call, const Config& config) {
  if (config.host_of_rank.size() != static_cast<std::size_t>(call.size))
    throw InputError(concat("a call of ", call.size, " ranks on ", config.host_of_rank.size(), " places"));
}

}  // namespace

CallCost cost_of_call(const collective::WholeCall& call, const collective::Choice& choice, Config config,
                      transport::Transport& transport) {
  check(call, config);
  Calls streams({call});
  World world(call.size);
  const Always selector(choice);
  Simulation simulation(std::move(config), transport, selector, streams, world);
  if (simulation.run())
    throw std::logic_error(concat(collective::name(call.kind), " by ", choice.algorithm->name, " deadlocks"));
  return {.time = simulation.now() - SimTime{},
          .messages = simulation.messages(),
          .bytes = simulation.bytes(),
          .events = simulation.events(),
          .stalled = simulation.stalled().messages};
}

std::vector<Duration> timed_calls(const collective::WholeCall& call, const collective::Selector& selector,
                                  Config config, transport::Transport& transport, std::uint32_t repetitions,
                                  OverRanks over) {
  check(call, config);
  if (repetitions == 0) return {};
  std::vector<collective::WholeCall> calls = before_timed(call);
  const std::size_t first = calls.size();
  const collective::WholeCall barrier = other(call, collective::CollectiveKind::Barrier, 0);
  for (std::uint32_t i = 0; i < repetitions; ++i) calls.insert(calls.end(), {barrier, call});
  Calls streams(calls);
  World world(call.size);
  Simulation simulation(std::move(config), transport, selector, streams, world);
  if (simulation.run()) throw std::logic_error(concat(collective::name(call.kind), " after a barrier deadlocks"));
  std::vector<Duration> times(repetitions);
  for (const ProfileRow& row : simulation.profile()) {
    // Routine 0 is computation, then come the calls from 1.
    if (row.routine <= first || (row.routine - first) % 2 != 0) continue;
    Duration& own = times[(row.routine - first) / 2 - 1u];
    own = over == OverRanks::Longest ? std::max(own, row.time) : own + row.time;
  }
  if (over == OverRanks::Mean) {
    for (Duration& time : times) time = Duration{time.s / call.size};
  }
  return times;
}

}  // namespace orrery::kernel
