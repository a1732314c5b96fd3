// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <tuple>

#include "base/student.hpp"

namespace orrery::mpi::channel {
namespace {

Offset make_place(Memory& memory) {
  const std::size_t bytes = memory.header().capacity * sizeof(SampledByRank);
  const Offset ranks = memory.allocate(bytes);
  std::memset(memory.at(ranks), 0, bytes);
  const Offset made = memory.allocate(sizeof(SampledPlace));
  new (memory.at(made)) SampledPlace{.lock = 0, .begun = 0, .together = {}, .ranks = ranks};
  return made;
}

/// The executions of two samples as one.
Times joined(const Times& a, const Times& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const auto n = static_cast<double>(a.count), m = static_cast<double>(b.count);
  const double apart = b.mean_s - a.mean_s;
  return {a.count + b.count, a.mean_s + apart * m / (n + m),
          a.squares_s2 + b.squares_s2 + apart * apart * n * m / (n + m)};
}

}  // namespace

void Times::add(double seconds) {
  const double before = seconds - mean_s;
  mean_s += before / static_cast<double>(++count);
  squares_s2 += before * (seconds - mean_s);
}

double Times::half_width_s(std::uint64_t more, double outside) const {
  if (count < 2) return std::numeric_limits<double>::infinity();
  const double variance = squares_s2 / static_cast<double>(count - 1);
  const double ways = 1 / static_cast<double>(count) + (more == 0 ? 0 : 1 / static_cast<double>(more));
  return student_reach(outside, static_cast<std::int64_t>(count - 1)) * std::sqrt(variance * ways);
}

double Times::largest_spread_s() const {
  if (squares_s2 == 0 && count > 1) return 0;
  if (count < 2) return std::numeric_limits<double>::infinity();
  constexpr double fifth_percentile = -1.6449;  // of the normal distribution
  const double part = 2.0 / (9.0 * static_cast<double>(count - 1));
  const double root = std::max(0.0, 1 - part + fifth_percentile * std::sqrt(part));
  return std::sqrt(squares_s2 / (static_cast<double>(count - 1) * root * root * root));
}

const Site& sampled_place(Memory& memory, const char* file, std::int32_t line, bool global) {
  const SiteKind kind = global ? SiteKind::SampledByAll : SiteKind::SampledByRank;
  return site(memory, file, line, kind, [&memory] { return make_place(memory); });
}

std::vector<Sampled> sampled(const Memory& memory) {
  std::vector<Sampled> all;
  for_each_site(memory, [&](const Site& site) {
    if (site.kind != SiteKind::SampledByRank && site.kind != SiteKind::SampledByAll) return;
    Sampled block{.file = memory.as<char>(site.file), .line = site.line, .global = site.kind == SiteKind::SampledByAll};
    const auto* ranks = memory.as<const SampledByRank>(memory.as<SampledPlace>(site.what)->ranks);
    block.ranks.assign(ranks, ranks + memory.header().capacity);
    for (const SampledByRank& rank : block.ranks) block.together = joined(block.together, rank.executed);
    all.push_back(std::move(block));
  });
  std::ranges::sort(all, {}, [](const Sampled& block) { return std::tie(block.file, block.line, block.global); });
  return all;
}

}  // namespace orrery::mpi::channel
