// SPDX-License-Identifier: BSD-3-Clause
#include "computation/computation.hpp"

#include <unordered_set>

namespace orrery::computation {

ChargedStreams::ChargedStreams(op::Streams& streams, std::uint32_t capacity, Charge charge)
    : streams_(streams), charge_(charge), ranks_(capacity) {}

op::Pull ChargedStreams::next(WorldRank rank, op::Operation& operation) {
  const op::Pull pull = streams_.next(rank, operation);
  if (pull != op::Pull::Ready) return pull;
  const double steady_s = charge(ranks_[static_cast<std::size_t>(index(rank))], operation);
  if (charge_ == Charge::Steady) operation.compute_s = steady_s;
  return pull;
}

/// What is owed at the end of a rank is charged before its last operation.
/// @return what the computation before the operation takes without disturbance
double ChargedStreams::charge(Rank& rank, const op::Operation& operation) {
  const op::Measurement& measured = operation.measured;
  double steady_s = operation.compute_s;
  if (operation.compute_s > 0) {
    if (measured.site == 0) {
      other_s_ += operation.compute_s;
    } else {
      Region& region = region_of(rank, op::region_of(rank.site, measured.site, operation.routine));
      ++region.samples;
      if (measured.instructions > 0) ++with_instructions_;
      if (measured.warm != 0) region.estimator.takes_with_warm_caches(measured.warm * 1e-3);
      steady_s = region.estimator.charge({operation.compute_s, measured.faults, measured.instructions});
    }
  }
  if (measured.site != 0 || operation.has(op::FirstOfCall)) rank.site = measured.site;
  if (operation.kind == op::Kind::Finalize) {
    for (Region& region : rank.regions) steady_s += region.estimator.settle();
  }
  return steady_s;
}

/// Programs are loops: mostly it is the one that came after the last one before.
ChargedStreams::Region& ChargedStreams::region_of(Rank& rank, std::uint64_t key) {
  std::uint32_t place = 0;
  if (!rank.regions.empty()) place = rank.regions[rank.region].next;
  if (place >= rank.regions.size() || rank.regions[place].key != key) {
    const auto [known, is_new] = rank.places.try_emplace(key, static_cast<std::uint32_t>(rank.regions.size()));
    place = known->second;
    if (is_new) rank.regions.push_back({.key = key, .next = 0, .samples = 0, .estimator = {}});
  }
  rank.regions[rank.region].next = place;
  rank.region = place;
  return rank.regions[place];
}

Summary ChargedStreams::summary() const {
  Summary summary{.charge = charge_, .with_instructions = with_instructions_, .other_s = other_s_};
  std::unordered_set<std::uint64_t> seen, repeated;
  for (const Rank& rank : ranks_) {
    for (const Region& region : rank.regions) {
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
