// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/warm_regions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "mpi/rank/threads.hpp"

namespace orrery::mpi {
namespace {

using channel::WarmPart;

/// Shorter regions are never worth a copy.
constexpr std::int64_t shortest_ns = 500;
/// In longer regions caches are filled in no time.
constexpr std::int64_t longest_ns = 100'000'000;
/// After so many samples it is known what is usual, and after so many that the others may not explain it.
constexpr std::uint32_t enough_to_differ = 8;
/// Pages that a program writes in turn have to be copied back for so many times at most.
constexpr std::uint32_t disturbed_times = 8;
/// It is looked again when there are so many more, at most, and said if it differs by so much.
constexpr std::size_t between_looks = 8;
constexpr double worth_telling = 0.01;
/// From so many on it is measured again whether it has changed.
constexpr std::uint32_t settled = 64;
constexpr std::int64_t worth_one_in = 100;
/// The copy runs up to the first call of MPI: that has to be the region, but for so much.
constexpr double all_of_it = 0.95;
/// Ranks that compute are waited for while each of them may have a turn, at most so long.
constexpr std::int64_t least_wait_ns = 10'000'000;
constexpr std::int64_t longest_wait_ns = 1'000'000'000;

}  // namespace

WarmRegions::Ended WarmRegions::ended(std::uint32_t site, op::RoutineId routine, std::int64_t took_ns,
                                      std::int64_t first_ns, std::uint32_t faults) {
  const std::uint32_t from = std::exchange(site_, site);
  const Copied copied = std::exchange(copied_, {});
  const bool is_short = took_ns < shortest_ns;
  if (from == 0 || site == 0 || (is_short && copied.region == nullptr)) {
    conclude(copied, 0);
    return {};
  }
  computed_ns_ += took_ns;
  const std::uint64_t key = op::region_of(from, site, routine);
  next_[from] = key;
  Region& region = regions_[key];
  const bool ends_at_once = static_cast<double>(first_ns) >= all_of_it * static_cast<double>(took_ns);
  const AfterCopy after{took_ns, faults};
  conclude(copied,
           &region == copied.region && ends_at_once
               ? usual_of_copied(region.took_ns, region.samples, copied.warm_ns, after)
               : 0,
           after);
  if (std::exchange(region.copies, copies_) != copies_) region.disturbed = disturbed_times;
  const bool disturbed = region.disturbed > 0 && faults > 0;
  region.disturbed = std::max(region.disturbed, 1U) - 1;
  if (region.given_up) return {disturbed};
  if (is_short || took_ns > longest_ns || !ends_at_once) return {disturbed};
  if (!disturbed) region.took_ns[region.samples++ % region.took_ns.size()] = static_cast<float>(took_ns);
  return {disturbed, region.samples < region.next_look ? std::uint16_t{0} : news(region)};
}

/// @param usual_ns 0: nobody knows what the copy has done
void WarmRegions::conclude(const Copied& copied, double usual_ns, AfterCopy after) {
  if (copied.region == nullptr) return;
  Region& region = *copied.region;
  if (usual_ns == 0) return region.part->say({});
  const channel::WarmTime time{.warm_ns = static_cast<std::uint32_t>(copied.warm_ns),
                               .usual_ns = static_cast<std::uint32_t>(std::lround(usual_ns))};
  region.part->say(time, static_cast<std::uint32_t>(cold_time(after, usual_ns)));
  region.own.add(time);
  region.next_look = 0;
}

/// Looks again after a few samples: what is usual is known better then, or has changed.
std::uint16_t WarmRegions::news(Region& region) {
  if (region.part == nullptr) return 0;
  const double usual_ns = region.usual_ns();
  const auto said = region.part->said(usual_ns, region.own);
  if (!said) {
    region.given_up = region.part->complete();
    return 0;
  }
  region.turns = said->explained ? WarmPart::first_turns : WarmPart::most_turns;
  region.turns += WarmPart::later_turns * static_cast<std::uint32_t>(std::bit_width(region.samples / settled));
  region.next_look = region.samples + std::min(region.samples, between_looks);
  const double warm_ns = said->part * usual_ns;
  const double told = said->constant ? region.told_ns / warm_ns : region.told_part / said->part;
  if (region.constant == said->constant && std::abs(told - 1) < worth_telling) return 0;
  region.constant = said->constant;
  region.told_ns = warm_ns;
  region.told_part = said->part;
  const long thousandths = std::clamp(std::lround(1'000 * said->part), 1L, 1'000L);
  return static_cast<std::uint16_t>(thousandths + (said->constant ? op::Measurement::constant_warm : 0));
}

/// @return null: what begins is not to be measured now
WarmRegions::Region* WarmRegions::region_to_measure() {
  const auto next = next_.find(site_);
  if (next == next_.end()) return nullptr;
  Region& region = regions_[next->second];
  if (region.given_up || region.samples < (region.told() ? enough_to_differ : enough) || region.turns == 0)
    return nullptr;
  if (region.latest_ns() * region.samples * worth_one_in < computed_ns_) return nullptr;
  if (region.part == nullptr) region.part = memory_.header().warm.of(next->second);
  region.given_up = region.part == nullptr;
  if (region.given_up) return nullptr;
  const std::uint32_t turns = region.told() ? std::exchange(region.turns, 0) : region.turns;
  return region.part->take_turn(turns) ? &region : nullptr;
}

void WarmRegions::prepare() {
  channel::QuietTurn& turn = memory_.header().quiet_turn;
  measured_ = region_to_measure();
  if (measured_ == nullptr) {
    turn.await_end();
    return;
  }
  const std::int64_t ranks = memory_.header().born.load(std::memory_order_relaxed);
  const std::int64_t all_ns = least_wait_ns + measured_->latest_ns() * ranks;
  (void)turn.begin(memory_, world_rank_, std::min(longest_wait_ns, all_ns));
}

/// In a copy the turn stays as it is: it is the process that gives it back. What the copy did is what this time is to
/// be done: how long that takes says which kind of work it is.
WarmRegions::Measured WarmRegions::measure() {
  if (measured_ == nullptr) return Measured::Nothing;
  Region& region = *std::exchange(measured_, nullptr);
  const std::int64_t warm_ns = process_has_threads() ? 0 : copy_.measure(region.latest_ns());
  if (warm_ns == WarmCopy::is_copy) return Measured::InCopy;
  memory_.header().quiet_turn.end(world_rank_);
  copied_ = {&region, warm_ns};
  ++copies_;
  return Measured::Here;
}

}  // namespace orrery::mpi
