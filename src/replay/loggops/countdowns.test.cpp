// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops/countdowns.hpp"

#include "catch.hpp"

using orrery::replay::loggops::Countdowns;

TEST_CASE("a node begins when the last of those that it waits for is there, however many there are") {
  for (const std::uint32_t count : {1u, 2u, 254u, 255u, 256u, 1000u}) {
    Countdowns countdowns;
    countdowns.push_back(3);
    countdowns.push_back(count);
    for (std::uint32_t i = 1; i < count; ++i) REQUIRE_FALSE(countdowns.down(1));
    CHECK(countdowns.down(1));
    CHECK_FALSE(countdowns.down(0));  // others go on by themselves
  }
}

TEST_CASE("a node that waits for nobody does not begin again") {
  Countdowns countdowns;
  countdowns.push_back(0);
  CHECK_FALSE(countdowns.down(0));
}
