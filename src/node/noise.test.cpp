// SPDX-License-Identifier: BSD-3-Clause
#include "node/noise.hpp"

#include <cmath>

#include "catch.hpp"

namespace orrery::node {
namespace {

const std::vector<settings::Interruption> ticks = {{.every_s = 1e-3, .takes_s = 10e-6}};
const std::vector<settings::Interruption> both = {{.every_s = 1e-3, .takes_s = 10e-6},
                                                  {.every_s = 0.1, .takes_s = 5e-3}};

TEST_CASE("without kinds of interruption work lasts as long as it is") {
  CHECK(Noise().lasts({3}, {2}).s == 2);
  CHECK(Noise({}, 0, 1).absence({3}).s == 0);
  CHECK(Noise({{.every_s = 1, .takes_s = 0}}, 0, 1).lasts({3}, {2}).s == 2);
}

TEST_CASE("an interruption comes once in each period, and all of it is taken from the work") {
  const Noise noise(ticks, 4, 7);
  // A hundred whole periods: 100 times 990 µs of work, whatever was drawn.
  CHECK(noise.lasts({0}, {100 * 990e-6}).s == Approx(0.1).margin(11e-6));
  int interrupted = 0;
  constexpr int moments = 100'000;
  for (int i = 0; i < moments; ++i) interrupted += noise.absence({i * 1e-6}).s > 0 ? 1 : 0;
  CHECK(interrupted == Approx(0.01 * moments).margin(110));
}

TEST_CASE("the beginning is as noisy as any other moment") {
  int interrupted = 0;
  constexpr std::uint32_t ranks = 20'000;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    interrupted += Noise(ticks, rank, 7).lasts({0}, {5e-6}).s > 5e-6 ? 1 : 0;
  CHECK(interrupted == Approx((5e-6 + 10e-6) / 1e-3 * ranks).margin(60));
}

TEST_CASE("work in two parts lasts as long as in one") {
  const Noise noise(both, 1, 42);
  for (const double from : {0.0, 0.0123, 5.5}) {
    for (const double first : {1e-6, 3e-4, 0.02, 1.7}) {
      const Duration whole = noise.lasts({from}, {first + 0.0371});
      const Duration part = noise.lasts({from}, {first});
      const Duration rest = noise.lasts({from + part.s}, {0.0371});
      CHECK(part.s + rest.s == Approx(whole.s).epsilon(1e-9));
    }
  }
}

TEST_CASE("work that begins while the system has the processor waits for it") {
  const Noise noise(both, 0, 3);
  double time = 0;
  while (noise.absence({time}).s == 0) time += 1e-6;
  CHECK(noise.lasts({time}, {1e-9}).s >= noise.absence({time}).s);
  CHECK(noise.lasts({time}, {0}).s == 0);
}

TEST_CASE("ranks, seeds and kinds draw for themselves, and the same each time") {
  const auto ends = [](std::uint32_t rank, std::uint64_t seed) {
    return Noise(both, rank, seed).lasts({0}, {0.0505}).s;
  };
  CHECK(ends(0, 1) == ends(0, 1));
  CHECK(ends(0, 1) != ends(1, 1));
  CHECK(ends(0, 1) != ends(0, 2));
}

}  // namespace
}  // namespace orrery::node
