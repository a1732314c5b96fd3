// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/pyramid.hpp"

#include <algorithm>
#include <utility>

namespace orrery::timeline {
namespace {

constexpr std::uint32_t coarser = 4;
constexpr int shares = 15;

/// Shares in fifteenths that add up to that of their sum: what is left after rounding down goes to those that lost
/// most.
std::uint32_t quantised(const std::array<float, states>& ns, double bucket_ns) {
  std::array<int, states> share{};
  std::array<double, states> lost{};
  double sum = 0;
  int given = 0;
  for (std::size_t s = 0; s < states; ++s) {
    const double exact = std::min(ns[s] / bucket_ns, 1.0) * shares;
    share[s] = static_cast<int>(exact);
    lost[s] = exact - share[s];
    sum += exact;
    given += share[s];
  }
  for (int left = std::min(static_cast<int>(sum + 0.5), shares) - given; left > 0; --left) {
    const auto most = static_cast<std::size_t>(std::max_element(lost.begin(), lost.end()) - lost.begin());
    ++share[most];
    lost[most] = -1;
  }
  std::uint32_t cell = 0;
  for (std::size_t s = 0; s < states; ++s) cell |= static_cast<std::uint32_t>(share[s]) << (4 * s);
  return cell;
}

}  // namespace

Pyramid::Pyramid(std::uint32_t ranks, std::int64_t end_ns, const Limits& limits) : ranks_(ranks) {
  const std::size_t most = std::min(limits.cells / std::max<std::size_t>(ranks, 1), limits.buckets);
  const auto wanted = static_cast<std::int64_t>(std::max<std::size_t>(most, 1));
  const std::int64_t length_ns = std::max<std::int64_t>(end_ns, 1);
  bucket_ns_ = (length_ns - 1) / wanted + 1;
  buckets_ = static_cast<std::uint32_t>((length_ns - 1) / bucket_ns_ + 1);
  cells_.resize(std::size_t{ranks_} * buckets_);
}

void Pyramid::add(std::uint32_t rank, State state, std::int64_t begin_ns, std::int64_t end_ns) {
  if (begin_ns >= end_ns || begin_ns < 0) return;
  const auto s = static_cast<std::size_t>(state);
  const std::int64_t last = std::int64_t{buckets_} - 1;
  Cell* const cells = cells_.data() + std::size_t{rank} * buckets_;
  for (std::int64_t bucket = std::min(begin_ns / bucket_ns_, last); begin_ns < end_ns; ++bucket) {
    // What a damaged file says of times behind its end is in the last bucket.
    const std::int64_t to_ns = bucket >= last ? end_ns : std::min(end_ns, (bucket + 1) * bucket_ns_);
    cells[bucket][s] += static_cast<float>(to_ns - begin_ns);
    begin_ns = to_ns;
  }
}

Level Pyramid::level() const {
  Level level{.bucket_ns = bucket_ns_, .buckets = buckets_, .cells = {}};
  level.cells.reserve(cells_.size());
  for (const Cell& cell : cells_) level.cells.push_back(quantised(cell, static_cast<double>(bucket_ns_)));
  return level;
}

/// In place: a bucket of the next level lies at or before the first of those that it is made of.
void Pyramid::coarsen() {
  const std::uint32_t fewer = (buckets_ - 1) / coarser + 1;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    for (std::uint32_t bucket = 0; bucket < fewer; ++bucket) {
      Cell sum{};
      for (std::uint32_t from = bucket * coarser; from < std::min(buckets_, (bucket + 1) * coarser); ++from)
        for (std::size_t s = 0; s < states; ++s) sum[s] += cells_[std::size_t{rank} * buckets_ + from][s];
      cells_[std::size_t{rank} * fewer + bucket] = sum;
    }
  }
  buckets_ = fewer;
  bucket_ns_ *= coarser;
  cells_.resize(std::size_t{ranks_} * buckets_);
}

std::vector<Level> Pyramid::levels() {
  std::vector<Level> levels{level()};
  while (buckets_ > coarser) {
    coarsen();
    levels.push_back(level());
  }
  cells_ = {};
  return levels;
}

}  // namespace orrery::timeline
