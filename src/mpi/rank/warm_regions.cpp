// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/warm_regions.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "mpi/rank/threads.hpp"

namespace orrery::mpi {
namespace {

/// Shorter regions are charged as measured; in longer ones caches are filled in no time.
constexpr std::int64_t shortest_ns = 2'000;
constexpr std::int64_t longest_ns = 100'000'000;
/// After so many samples it is known what is usual.
constexpr std::uint32_t enough = 4;
constexpr std::int64_t worth_one_in = 100;
/// The copy runs up to the first call of MPI: that has to be the region, but for so much.
constexpr double all_of_it = 0.95;
/// Samples of one kind of work: from the shortest that the part may be of, and so many times as long.
constexpr double shorter_by_noise = 0.97;
constexpr double one_kind = 1.35;

}  // namespace

WarmRegions::Ended WarmRegions::ended(std::uint32_t site, op::RoutineId routine, std::int64_t took_ns,
                                      std::int64_t first_ns) {
  const std::uint32_t from = std::exchange(site_, site);
  const bool disturbed = std::exchange(disturbed_, false);
  if (from == 0 || site == 0 || took_ns < shortest_ns) return {disturbed};
  computed_ns_ += took_ns;
  const std::uint64_t key = op::region_of(from, site, routine);
  next_[from] = key;
  Region& region = regions_[key];
  if (region.told) return {disturbed};
  const bool ends_at_once = static_cast<double>(first_ns) >= all_of_it * static_cast<double>(took_ns);
  if (took_ns > longest_ns || !ends_at_once) return {disturbed};
  if (!disturbed) region.took_ns[region.samples++ % remembered] = took_ns;
  return {disturbed, region.samples < enough ? std::uint16_t{0} : news(region)};
}

std::uint16_t WarmRegions::news(Region& region) const {
  if (region.part == nullptr) return 0;
  const std::uint16_t agreed = region.part->agreed();
  region.told = agreed != 0 || region.part->complete();
  return agreed;
}

WarmRegions::Begun WarmRegions::begins() {
  const auto next = next_.find(site_);
  if (next == next_.end()) return Begun::Usual;
  Region& region = regions_[next->second];
  if (region.told || region.samples < enough) return Begun::Usual;
  const std::int64_t usual_ns = region.took_ns[(region.samples - 1) % remembered];
  if (usual_ns * region.samples * worth_one_in < computed_ns_) return Begun::Usual;
  if (region.part == nullptr) region.part = parts_.of(next->second);
  region.told = region.part == nullptr;
  if (region.told || !region.part->take_turn()) return Begun::Usual;
  const std::int64_t warm_ns = process_has_threads() ? 0 : copy_.measure(usual_ns);
  if (warm_ns == WarmCopy::is_copy) return Begun::Copy;
  region.part->say(warm_ns == 0 ? std::uint16_t{0} : part_of(region, warm_ns));
  disturbed_ = true;
  return Begun::Measured;
}

/// Of the samples of that kind of work: the copy did what this time is to be done.
std::uint16_t WarmRegions::part_of(const Region& region, std::int64_t warm_ns) {
  const auto warm = static_cast<double>(warm_ns);
  std::array<std::int64_t, remembered> sorted = region.took_ns;
  const std::span samples(sorted.data(), std::min<std::size_t>(region.samples, remembered));
  std::ranges::sort(samples);
  const auto least = std::ranges::lower_bound(samples, static_cast<std::int64_t>(shorter_by_noise * warm));
  if (least == samples.end()) return 1'000;
  const auto most =
      std::ranges::upper_bound(samples, static_cast<std::int64_t>(one_kind * static_cast<double>(*least)));
  const auto usual = static_cast<double>(*(least + (most - least) / 2));
  return static_cast<std::uint16_t>(std::clamp(std::lround(1'000 * warm / usual), 1L, 1'000L));
}

}  // namespace orrery::mpi
