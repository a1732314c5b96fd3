// SPDX-License-Identifier: BSD-3-Clause
#include "base/exponential.hpp"

#include "catch.hpp"

using namespace orrery;

TEST_CASE("without a mean nothing is drawn") {
  Exponential with(7), without(7);
  CHECK(without(0) == 0);
  CHECK(without(1) == with(1));
}

TEST_CASE("a seed gives the same draws again, another one gives others") {
  Exponential first(7), again(7), other(8);
  const double drawn = first(1);
  CHECK(again(1) == drawn);
  CHECK(other(1) != drawn);
}

TEST_CASE("draws have the mean and the median of an exponential distribution") {
  Exponential draw(1);
  constexpr int draws = 20000;
  double sum = 0;
  int below_median = 0;
  for (int i = 0; i < draws; ++i) {
    const double drawn = draw(2);
    sum += drawn;
    below_median += drawn < 2 * std::log(2.0);
  }
  // Three standard errors: 3 × 2 / sqrt(20000) = 0.043, and 3 × sqrt(20000) / 2 = 212 draws.
  CHECK(sum / draws == Approx(2).margin(0.043));
  CHECK(below_median == Approx(draws / 2).margin(212));
}
