// SPDX-License-Identifier: BSD-3-Clause
#include "launch/sampled.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "mpi/channel/samples.hpp"

using namespace orrery;
using namespace orrery::launch;
using namespace orrery::mpi::channel;

namespace {

/// What ranks did at a line of it.c.
SampledByRank* ranks_at(Memory& memory, std::int32_t line) {
  const Site& site = sampled_place(memory, "it.c", line, false);
  return memory.as<SampledByRank>(memory.as<SampledPlace>(site.what)->ranks);
}

/// Rank 0 executed a block for 9, 10 and 11 s, and skipped it three times.
void sample(Memory& memory) {
  SampledByRank& rank = ranks_at(memory, 3)[0];
  for (const double seconds : {9.0, 10.0, 11.0}) rank.executed.add(seconds);
  rank.skipped = 3;
}

constexpr std::array factors{2.0, 2.0};

}  // namespace

TEST_CASE("a run without samples has no bound") {
  const Memory memory = Memory::create(2);
  const Sampling none = sampling_of(memory, factors);
  CHECK(none.blocks.empty());
  CHECK(none.longer == 0);
  CHECK(none.in_all_s == 0);
}

TEST_CASE("computation may be off by what the mean of the skipped executions may be off") {
  Memory memory = Memory::create(2);
  sample(memory);
  const Sampling sampling = sampling_of(memory, factors);
  REQUIRE(sampling.blocks.size() == 1);
  CHECK(sampling.blocks[0].executed == 3);
  CHECK(sampling.blocks[0].skipped == 3);
  CHECK(sampling.blocks[0].mean_s == Approx(10));
  // Variance 1, t of 2 degrees outside 5 % 4.303; of three more: 1/3 + 1/3.
  CHECK(sampling.blocks[0].half_width_s == Approx(4.303 * std::sqrt(1.0 / 3)).epsilon(1e-3));
  const double off_s = 4.303 * std::sqrt(2.0 / 3);
  CHECK(sampling.shorter == Approx(off_s / 10).epsilon(1e-3));
  CHECK(sampling.longer == sampling.shorter);  // one rank waits for nobody
  CHECK(sampling.in_all_s > 3 * off_s * 2);
}

TEST_CASE("ranks that wait for each other wait for the slowest") {
  Memory memory = Memory::create(2);
  sample(memory);
  SampledByRank* ranks = ranks_at(memory, 3);
  ranks[1] = ranks[0];
  const Sampling sampling = sampling_of(memory, factors);
  const double slowest = std::sqrt(2 * std::log(2.0)) * ranks[0].executed.largest_spread_s();
  CHECK(sampling.longer == Approx(sampling.shorter + slowest / 10));
}

TEST_CASE("several samples each have their part of the probability that the bound fails") {
  Memory memory = Memory::create(2);
  sample(memory);
  const double alone = sampling_of(memory, factors).shorter;
  SampledByRank& other = ranks_at(memory, 4)[1];
  for (const double seconds : {10.0, 10.0, 10.0}) other.executed.add(seconds);
  other.skipped = 3;
  // t of 2 degrees outside 2.5 %: 6.205.
  CHECK(sampling_of(memory, factors).shorter == Approx(alone * 6.205 / 4.303).epsilon(1e-3));
}

TEST_CASE("of a block that was executed once nothing is known") {
  Memory memory = Memory::create(2);
  SampledByRank& rank = ranks_at(memory, 3)[0];
  rank.executed.add(1);
  rank.skipped = 1;
  CHECK(std::isinf(sampling_of(memory, factors).blocks[0].half_width_s));
  CHECK(std::isinf(sampling_of(memory, factors).shorter));
  CHECK(std::isinf(sampling_of(memory, factors).longer));
}
