// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "op/script.hpp"

/// Synthetic workloads: communication patterns as streams, made as they are read. Nothing is kept per message, and a
/// rank that waits costs one coroutine.
namespace orrery::replay::workload {

/// Ranks as a grid, in the order of the rows: the last dimension varies fastest. Unused dimensions are 1.
using Grid = std::array<std::int32_t, 4>;

/// Exchange with the neighbours in each direction of each dimension: all receives, all sends, then a wait for both.
struct Halo {
  Grid grid{1, 1, 1, 1};
  std::array<std::int64_t, 4> bytes{};  ///< of a message, by dimension
  bool periodic = true;                 ///< ranks at the ends of a dimension are neighbours
};

/// Planes that go through the grid from a corner: each rank receives from its neighbours on that side, computes, and
/// sends to those on the other. Successive sweeps start in all corners in turn, as in transport codes.
struct Wavefront {
  Grid grid{1, 1, 1, 1};
  std::array<std::int64_t, 4> bytes{};
  std::int32_t planes = 1;  ///< that follow each other through the grid, pipelined
  std::int32_t sweeps = 1;
  double compute_s = 0;  ///< of a plane on a rank
};

/// Rank 0 deals tasks to whoever asks next; the others compute and return results.
struct MasterWorker {
  std::int64_t tasks = 0;
  std::int64_t task_bytes = 0, result_bytes = 0;
  double compute_s = 0;  ///< mean of a task
  double imbalance = 0;  ///< tasks take from (1 - imbalance) to (1 + imbalance) times that
  std::uint64_t seed = 0;
};

/// One collective call of all ranks.
struct Collective {
  op::CollectiveKind kind = op::CollectiveKind::Barrier;
  std::int64_t bytes =
      0;  ///< as `collective::Call` has it; of v-collectives, what each rank sends to, or gets for, each
  std::int64_t element = 8;  ///< bytes
  std::int32_t root = 0;
};

/// Rounds in each of which every rank sends a message to a rank of a random permutation, and receives one; a rank that
/// is sent to itself skips the round.
struct Random {
  std::int32_t messages = 1;  ///< rounds
  std::int64_t least_bytes = 0, most_bytes = 0;
  std::uint64_t seed = 0;
};

/// Only what `Phase::compute_s` says.
struct Compute {};

struct Phase {
  std::variant<Compute, Halo, Wavefront, MasterWorker, Collective, Random> what;
  std::int32_t repeat = 1;
  double compute_s = 0;  ///< of every rank, before each repetition
  double imbalance = 0;  ///< it takes from (1 - imbalance) to (1 + imbalance) times that, drawn for each rank and time
  std::uint64_t seed = 0;  ///< of these draws
};

/// Numbers of the routines that the patterns call.
struct Routines {
  op::RoutineId isend = 0, irecv = 0, send = 0, recv = 0, waitall = 0, sendrecv = 0, finalize = 0;
  std::array<op::RoutineId, op::collective_kinds> collective{};
};

/// What the kernel answered the last receive that asked.
struct Answer {
  std::int32_t source = 0, tag = 0;
};

/// Who runs a pattern, and for which time.
struct Turn {
  std::int32_t self = 0, size = 1;
  std::uint64_t time = 0;  ///< how many phases, repetitions included, came before
  const Routines* routines = nullptr;
  const Answer* answer = nullptr;  ///< of this rank
};

[[nodiscard]] op::Script halo(const Halo* halo, Turn turn);
[[nodiscard]] op::Script wavefront(const Wavefront* wavefront, Turn turn);
[[nodiscard]] op::Script master_worker(const MasterWorker* work, Turn turn);
[[nodiscard]] op::Script random(const Random* random, Turn turn);
[[nodiscard]] op::Script collective(const Collective* call, Turn turn);

/// Rank that is `step` away in a dimension; -1: outside of the grid.
[[nodiscard]] std::int32_t neighbour(const Grid& grid, std::int32_t rank, int dimension, std::int32_t step,
                                     bool periodic);

/// @throws InputError when the pattern does not fit so many ranks
void check(const Phase& phase, std::int32_t ranks);

}  // namespace orrery::replay::workload
