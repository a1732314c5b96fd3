// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/samples.hpp"

#include <cmath>

#include "catch.hpp"

using namespace orrery::mpi::channel;

TEST_CASE("times have the mean and the spread of what was added") {
  Times times{};
  for (const double seconds : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) times.add(seconds);
  CHECK(times.count == 8);
  CHECK(times.mean_s == Approx(5));
  CHECK(times.squares_s2 == Approx(32));
  // Variance 32 / 7; t of 7 degrees 2.365 outside 5 %: of the mean, and of 4 more.
  CHECK(times.half_width_s(0, 0.05) == Approx(2.365 * std::sqrt(32.0 / 7 / 8)).epsilon(1e-3));
  CHECK(times.half_width_s(4, 0.05) == Approx(2.365 * std::sqrt(32.0 / 7 * (1.0 / 8 + 1.0 / 4))).epsilon(1e-3));
}

TEST_CASE("the spread is at most what a sample of that size leaves open") {
  Times times{};
  for (const double seconds : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) times.add(seconds);
  // Squares 32; the 5th percentile of chi-squared with 7 degrees is 2.167.
  CHECK(times.largest_spread_s() == Approx(std::sqrt(32 / 2.167)).epsilon(5e-3));
  Times alike{};
  alike.add(3);
  CHECK(std::isinf(alike.largest_spread_s()));
  alike.add(3);
  CHECK(alike.largest_spread_s() == 0);
}

TEST_CASE("one execution says nothing of the others") {
  Times times{};
  times.add(1);
  CHECK(std::isinf(times.half_width_s(1, 0.05)));
}

TEST_CASE("places are one for each file, line and kind, and come out in their order") {
  Memory memory = Memory::create(2);
  const Site& later = sampled_place(memory, "b.c", 7, false);
  const Site& first = sampled_place(memory, "a.c", 9, false);
  const Site& global = sampled_place(memory, "a.c", 9, true);
  CHECK(&sampled_place(memory, std::string("b.c").c_str(), 7, false) == &later);
  CHECK(&first != &global);
  auto* ranks = memory.as<SampledByRank>(memory.as<SampledPlace>(later.what)->ranks);
  ranks[0].executed.add(1);
  ranks[1].executed.add(3);
  ranks[1].executed.add(5);
  ranks[1].skipped = 4;
  const auto all = sampled(memory);
  REQUIRE(all.size() == 3);
  CHECK(all[0].file == "a.c");
  CHECK_FALSE(all[0].global);
  CHECK(all[1].global);
  CHECK(all[2].file == "b.c");
  CHECK(all[2].line == 7);
  // 1, 3 and 5 together: mean 3, squares of distances 4 + 0 + 4.
  CHECK(all[2].together.count == 3);
  CHECK(all[2].together.mean_s == Approx(3));
  CHECK(all[2].together.squares_s2 == Approx(8));
  CHECK(all[2].ranks[1].skipped == 4);
}
