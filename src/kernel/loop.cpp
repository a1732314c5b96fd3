// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/loop.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "collective/enumerate.hpp"
#include "kernel/world.hpp"

namespace orrery::kernel {
namespace {

/// The streams of all ranks. Turns are numbered as routines, from 1.
class LoopStreams final : public op::Streams {
 public:
  LoopStreams(const std::vector<Body>& bodies, std::uint32_t turns)
      : turns_(turns), bodies_(bodies.size()), at_(bodies.size()), begun_(bodies.size()) {
    const auto ranks = static_cast<int>(bodies.size());
    for (std::size_t rank = 0; rank < bodies.size(); ++rank)
      for (const Step& step : bodies[rank]) bodies_[rank].push_back({step, counts_of(step, ranks)});
  }

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    const auto i = static_cast<std::size_t>(index(rank));
    Place& at = at_[i];
    if (at.step == bodies_[i].size()) {
      at.step = 0;
      ++at.turn;
    }
    if (at.turn == turns_ || bodies_[i].empty()) return op::Pull::End;
    if (at.step == 0) begun_[i].clear();
    operation = of(bodies_[i][at.step++], begun_[i]);
    operation.routine = static_cast<op::RoutineId>(at.turn + 1);
    if (operation.kind == op::Kind::Collective) operation.tag = at.collectives++;
    return op::Pull::Ready;
  }
  void wait(WorldRank) override {}
  void reply(WorldRank, const op::Reply&) override {}

 private:
  struct Place {
    std::uint32_t turn = 0;
    std::size_t step = 0;
    std::int32_t collectives = 0;  ///< number of the next one, by which ranks tell calls apart
  };

  /// With the counts of a collective that has some: its blocks are alike, so they serve all ranks.
  struct WholeStep {
    Step step;
    std::vector<std::int64_t> counts;
  };

  static std::vector<std::int64_t> counts_of(const Step& step, int ranks) {
    if (step.act != Act::Collective) return {};
    return collective::counts_of(
        {.kind = step.collective, .size = ranks, .bytes = step.bytes, .element = step.element});
  }

  static op::Operation of(const WholeStep& whole, std::vector<op::RequestId>& begun) {
    const Step& step = whole.step;
    op::Operation operation{.peer = step.peer, .bytes = step.bytes, .element = step.element};
    switch (step.act) {
      case Act::WaitAll: operation = {.kind = op::Kind::WaitAll, .requests = begun}; return operation;
      case Act::Collective:
        operation.kind = op::Kind::Collective;
        operation.collective = step.collective;
        operation.flags = op::Blocking | op::Commutative;
        operation.counts = whole.counts;
        return operation;
      default: break;
    }
    operation.kind = step.act == Act::Send || step.act == Act::Isend ? op::Kind::Isend : op::Kind::Irecv;
    if (step.act == Act::Send || step.act == Act::Recv) {
      operation.flags = op::Blocking;
    } else {
      begun.push_back(static_cast<op::RequestId>(begun.size() + 1));
      operation.request = begun.back();
    }
    return operation;
  }

  std::uint32_t turns_;
  std::vector<std::vector<WholeStep>> bodies_;     ///< by rank
  std::vector<Place> at_;                          ///< by rank
  std::vector<std::vector<op::RequestId>> begun_;  ///< by rank, in this turn
};

}  // namespace

std::vector<Duration> times_of_turns(const std::vector<Body>& bodies, std::uint32_t turns,
                                     const collective::Selector& selector, Config config,
                                     transport::Transport& transport) {
  constexpr std::uint32_t most = std::numeric_limits<op::RoutineId>::max() - 1;
  if (config.host_of_rank.size() != bodies.size())
    throw InputError(concat("a loop of ", bodies.size(), " ranks on ", config.host_of_rank.size(), " places"));
  if (turns > most) throw InputError(concat("a loop of ", turns, " turns; there may be ", most));
  World world(static_cast<int>(bodies.size()));
  LoopStreams streams(bodies, turns);
  Simulation simulation(std::move(config), transport, selector, streams, world);
  if (simulation.run()) throw InputError("a loop whose ranks wait for each other for ever");
  std::vector<Duration> times(turns);
  for (const ProfileRow& row : simulation.profile())
    if (row.rank == 0 && row.routine > 0) times[row.routine - 1u] += row.time;
  return times;
}

}  // namespace orrery::kernel
