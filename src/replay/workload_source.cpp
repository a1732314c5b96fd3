// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload_source.hpp"

#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "replay/workload/draws.hpp"

namespace orrery::replay {
namespace {

using namespace workload;

struct Begin {
  Turn turn;
  op::Script operator()(const Compute&) const { return {}; }
  op::Script operator()(const Halo& what) const { return halo(&what, turn); }
  op::Script operator()(const Wavefront& what) const { return wavefront(&what, turn); }
  op::Script operator()(const MasterWorker& what) const { return master_worker(&what, turn); }
  op::Script operator()(const Collective& what) const { return workload::collective(&what, turn); }
  op::Script operator()(const Random& what) const { return workload::random(&what, turn); }
};

}  // namespace

WorkloadSource::WorkloadSource(std::vector<Phase> phases, std::int32_t ranks, std::int64_t steps, double bytes_factor,
                               const Routines& routines)
    : phases_(std::move(phases)), steps_(steps), routines_(routines), scale_(bytes_factor) {
  if (ranks < 1) throw InputError("a workload needs a rank");
  if (steps < 0) throw InputError(concat("a workload of ", steps, " steps"));
  for (const Phase& phase : phases_) check(phase, ranks);
  ranks_.resize(static_cast<std::size_t>(ranks));
  world_.resize(ranks_.size());
  std::iota(world_.begin(), world_.end(), 0);
  if (phases_.empty()) steps_ = 0;
}

op::Pull WorkloadSource::next(WorldRank world_rank, op::Operation& operation) {
  const std::int32_t number = index(world_rank);
  Rank& rank = ranks_[static_cast<std::size_t>(number)];
  for (;;) {
    if (const op::Operation* const found = rank.script.next()) {
      operation = *found;
      break;
    }
    rank.script = {};
    if (rank.step > steps_) return op::Pull::End;
    if (begin_phase(number, rank)) continue;
    operation = {.kind = op::Kind::Finalize, .flags = op::FirstOfCall, .routine = routines_.finalize};
    ++rank.step;
    break;
  }
  operation.compute_s += std::exchange(rank.compute_s, 0);
  if (operation.kind == op::Kind::Collective) operation.tag = rank.collectives++;
  constexpr std::uint64_t often = 1024;
  if (++operations_ % often == 0) given_.store(operations_, std::memory_order_relaxed);
  scale_.apply(number, operation);
  return op::Pull::Ready;
}

/// False after the last one.
bool WorkloadSource::begin_phase(std::int32_t number, Rank& rank) {
  while (rank.step < steps_) {
    if (rank.phase == phases_.size()) {
      rank.phase = 0;
      ++rank.step;
      continue;
    }
    const Phase& phase = phases_[rank.phase];
    if (std::cmp_greater_equal(rank.repetition, phase.repeat)) {
      rank.repetition = 0;
      ++rank.phase;
      continue;
    }
    ++rank.repetition;
    const std::uint64_t drawn = draw(phase.seed, rank.time, static_cast<std::uint64_t>(number));
    rank.compute_s += phase.compute_s * around_one(phase.imbalance, drawn);
    const Turn turn{number, static_cast<std::int32_t>(ranks_.size()), rank.time++, &routines_, &rank.answer};
    rank.script = std::visit(Begin{turn}, phase.what);
    return true;
  }
  return false;
}

void WorkloadSource::reply(WorldRank rank, const op::Reply& reply) {
  ranks_[static_cast<std::size_t>(index(rank))].answer = {reply.source, reply.tag};
}

std::span<const std::int32_t> WorkloadSource::members(op::CommId comm) {
  return comm == 0 ? std::span<const std::int32_t>(world_) : std::span<const std::int32_t>();
}

}  // namespace orrery::replay
