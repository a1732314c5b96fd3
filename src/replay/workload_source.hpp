// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "replay/byte_scale.hpp"
#include "replay/source.hpp"
#include "replay/workload/workload.hpp"

namespace orrery::replay {

/// A synthetic workload as something to run: its phases one after the other, `steps` times.
///
/// Memory: 48 bytes for each rank, and the coroutine of the phase that it is in.
class WorkloadSource final : public Source {
 public:
  /// @throws InputError for what does not fit so many ranks
  WorkloadSource(std::vector<workload::Phase> phases, std::int32_t ranks, std::int64_t steps, double bytes_factor,
                 const workload::Routines& routines);

  [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::uint64_t operations_given() const override { return given_.load(std::memory_order_relaxed); }
  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void reply(WorldRank rank, const op::Reply& reply) override;
  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override;

 private:
  struct Rank {
    op::Script script;
    std::uint64_t time = 0;        ///< phases begun, repetitions included; over all steps
    std::uint32_t repetition = 0;  ///< of the next phase
    std::uint32_t phase = 0;       ///< next
    std::int64_t step = 0;
    double compute_s = 0;  ///< before the next operation
    std::int32_t collectives = 0;
    workload::Answer answer;
  };

  bool begin_phase(std::int32_t number, Rank& rank);

  std::vector<workload::Phase> phases_;
  std::int64_t steps_;
  workload::Routines routines_;
  std::vector<Rank> ranks_;
  std::vector<std::int32_t> world_;
  ByteScale scale_;
  std::uint64_t operations_ = 0;
  std::atomic<std::uint64_t> given_{0};
};

}  // namespace orrery::replay
