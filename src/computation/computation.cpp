// SPDX-License-Identifier: BSD-3-Clause
#include "computation/computation.hpp"

#include <unordered_set>

namespace orrery::computation {

double RankCharge::charge(const op::Operation& operation) {
  const op::Measurement& measured = operation.measured;
  double steady_s = operation.compute_s;
  if (operation.compute_s > 0) {
    if (measured.site == 0) {
      other_s_ += operation.compute_s;
    } else {
      Region& region = region_of(op::region_of(site_, measured.site, operation.routine));
      ++region.samples;
      computed_s_ += operation.compute_s;
      if (measured.instructions > 0) ++with_instructions_;
      if (measured.warm > op::Measurement::constant_warm)
        region.estimator.takes_always((measured.warm - op::Measurement::constant_warm) * 1e-3);
      else if (measured.warm != 0)
        region.estimator.takes_with_warm_caches(measured.warm * 1e-3);
      const bool after_copy = measured.faults == op::Measurement::after_copy;
      const Sample sample{.seconds = operation.compute_s,
                          .faults = after_copy ? 0 : measured.faults,
                          .instructions = measured.instructions,
                          .computed_s = computed_s_};
      steady_s = after_copy ? region.estimator.charge_after_copy(sample) : region.estimator.charge(sample);
    }
  }
  if (measured.site != 0 || operation.has(op::FirstOfCall)) site_ = measured.site;
  if (operation.kind == op::Kind::Finalize) {
    for (Region& region : regions_) steady_s += region.estimator.settle();
  }
  return steady_s;
}

/// Programs are loops: mostly it is the one that came after the last one before.
RankCharge::Region& RankCharge::region_of(std::uint64_t key) {
  std::uint32_t place = 0;
  if (!regions_.empty()) place = regions_[region_].next;
  if (place >= regions_.size() || regions_[place].key != key) {
    const auto [known, is_new] = places_.try_emplace(key, static_cast<std::uint32_t>(regions_.size()));
    place = known->second;
    if (is_new) regions_.push_back({.key = key, .next = 0, .samples = 0, .estimator = {}});
  }
  regions_[region_].next = place;
  region_ = place;
  return regions_[place];
}

ChargedStreams::ChargedStreams(op::Streams& streams, std::uint32_t capacity, Charge charge)
    : streams_(streams), charge_(charge), ranks_(capacity) {}

op::Pull ChargedStreams::next(WorldRank rank, op::Operation& operation) {
  const op::Pull pull = streams_.next(rank, operation);
  if (pull != op::Pull::Ready) return pull;
  const double steady_s = ranks_[static_cast<std::size_t>(index(rank))].charge(operation);
  if (charge_ == Charge::Steady) operation.compute_s = steady_s;
  return pull;
}

Summary ChargedStreams::summary() const {
  Summary summary{.charge = charge_};
  std::unordered_set<std::uint64_t> seen, repeated;
  for (const RankCharge& rank : ranks_) {
    summary.with_instructions += rank.with_instructions();
    summary.other_s += rank.other_s();
    for (const RankCharge::Region& region : rank.regions()) {
      seen.insert(region.key);
      if (region.samples > 1) repeated.insert(region.key);
      summary.samples += region.samples;
      summary.sums += region.estimator.sums();
    }
  }
  summary.regions = seen.size();
  summary.repeated = repeated.size();
  return summary;
}

}  // namespace orrery::computation
