// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "computation/estimator.hpp"
#include "op/stream.hpp"

/// What computation costs that was measured on a host which disturbs it (docs/design/computation.md).
namespace orrery::computation {

/// Which computation the kernel gets.
enum class Charge : std::uint8_t {
  Raw,     ///< what was measured
  Steady,  ///< what the region takes, by what the rank measured of it so far
};

/// What became of the computation of a simulation, in seconds of this host, all ranks together. With `Raw`, what would
/// have become of it with `Steady`.
struct Summary {
  Charge charge = Charge::Raw;
  std::uint64_t regions = 0;            ///< that some rank came through; the same one of several ranks once
  std::uint64_t repeated = 0;           ///< of these, by a rank more than once
  std::uint64_t samples = 0;            ///< of regions
  std::uint64_t with_instructions = 0;  ///< of these, those whose instructions were counted
  Sums sums = {};                       ///< of regions
  double other_s = 0;                   ///< that belongs to no region: declared, or of ranks with several threads
};

/// What the computation of one rank is charged, operation after operation.
class RankCharge {
 public:
  RankCharge() = default;
  RankCharge(RankCharge&&) = default;  // copies of estimators would share what they know
  RankCharge& operator=(RankCharge&&) = default;

  /// What lies between two calls, and what was measured of it.
  struct Region {
    std::uint64_t key = 0;
    std::uint32_t next = 0;  ///< the one that came after it last time
    std::uint32_t samples = 0;
    Estimator estimator;
  };

  /// What is owed at the end of a rank is charged before its last operation.
  /// @return seconds that the computation before the operation takes without disturbance
  double charge(const op::Operation& operation);

  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t with_instructions() const { return with_instructions_; }
  [[nodiscard]] double other_s() const { return other_s_; }

 private:
  Region& region_of(std::uint64_t key);

  std::uint32_t site_ = 0;    ///< of the last operation
  std::uint32_t region_ = 0;  ///< the last one
  std::vector<Region> regions_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  ///< of regions, by key
  std::uint64_t with_instructions_ = 0;
  double computed_s_ = 0;  ///< in regions
  double other_s_ = 0;
};

/// Streams that pass through to the kernel, each operation with what its computation is charged. What a rank is charged
/// depends on its own measurements alone, so that a trace replays alike on each platform.
class ChargedStreams final : public op::Streams {
 public:
  /// @param capacity ranks, with those that may be started later
  ChargedStreams(op::Streams& streams, std::uint32_t capacity, Charge charge);

  [[nodiscard]] Summary summary() const;

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  [[nodiscard]] bool known_ahead() const override { return streams_.known_ahead(); }
  void wait(WorldRank rank) override { streams_.wait(rank); }
  [[nodiscard]] bool ready(WorldRank rank) override { return streams_.ready(rank); }
  void wait_for_any(double longest_s) override { streams_.wait_for_any(longest_s); }
  [[nodiscard]] bool computes(WorldRank rank) override { return streams_.computes(rank); }
  [[nodiscard]] bool waits_outside(WorldRank rank) override { return streams_.waits_outside(rank); }
  [[nodiscard]] bool computes_on(WorldRank rank) override { return streams_.computes_on(rank); }
  void reply(WorldRank rank, const op::Reply& reply) override { streams_.reply(rank, reply); }
  void take_effect(WorldRank origin, std::int64_t effect) override { streams_.take_effect(origin, effect); }

 private:
  op::Streams& streams_;
  Charge charge_;
  std::vector<RankCharge> ranks_;
};

}  // namespace orrery::computation
