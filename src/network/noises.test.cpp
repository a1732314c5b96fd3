// SPDX-License-Identifier: BSD-3-Clause
#include "network/noises.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::network;

TEST_CASE("without noise nothing is delayed") {
  Noises none({});
  CHECK(none.delay().s == 0);
  CHECK(none.lengthening() == 1);
}

TEST_CASE("a seed gives the same draws again, another one gives others") {
  Noises first({.handling_s = 1, .seed = 7}), again({.handling_s = 1, .seed = 7}), other({.handling_s = 1, .seed = 8});
  const double drawn = first.delay().s;
  CHECK(again.delay().s == drawn);
  CHECK(other.delay().s != drawn);
}

TEST_CASE("delays have the mean 0 and the median of an exponential distribution") {
  Noises noises({.handling_s = 2e-6, .rate_fraction = 0.01, .seed = 1});
  constexpr int kDraws = 20000;
  double sum_s = 0;
  int below_median = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double delay_s = noises.delay().s;
    sum_s += delay_s;
    below_median += delay_s < 2e-6 * (std::log(2.0) - 1);
  }
  // Three standard errors: 3 × 2e-6 / sqrt(20000) = 4.3e-8, and 3 × sqrt(20000) / 2 = 212 draws.
  CHECK(sum_s / kDraws == Approx(0).margin(4.3e-8));
  CHECK(below_median == Approx(kDraws / 2).margin(212));
}

TEST_CASE("what takes a given time on average is spread by no more than that") {
  Noises noises({.handling_s = 2e-6, .seed = 1});
  constexpr int kDraws = 20000;
  double short_s = 0, long_s = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Duration delay = noises.delay();
    const Duration brief = noises.around({0.5e-6}, delay);
    CHECK(brief.s >= 0);
    short_s += brief.s;
    const Duration lasting = noises.around({20e-6}, delay);
    CHECK(lasting.s == Approx(20e-6 + delay.s));
    long_s += lasting.s;
  }
  // Three standard errors, of spreads of 0.5 and of 2 us.
  CHECK(short_s / kDraws == Approx(0.5e-6).margin(1.1e-8));
  CHECK(long_s / kDraws == Approx(20e-6).margin(4.3e-8));
  CHECK(Noises({}).around({3}, {}).s == 3);
}
