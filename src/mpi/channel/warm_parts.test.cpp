// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/warm_parts.hpp"

#include <initializer_list>
#include <memory>

#include "catch.hpp"

using orrery::mpi::channel::WarmPart;
using orrery::mpi::channel::WarmParts;

TEST_CASE("three parts that differ little are agreed on, and others wait for more") {
  WarmPart part;
  part.say(700);
  part.say(720);
  CHECK(part.agreed() == 0);
  part.say(900);
  CHECK(part.agreed() == 0);
  part.say(710);
  part.say(690);
  CHECK(part.agreed() == 0);
  part.say(730);
  CHECK(part.complete());
  CHECK(part.agreed() == 720);

  WarmPart alike;
  for (const std::uint16_t said : {700, 720, 740}) alike.say(said);
  CHECK(alike.agreed() == 720);
  CHECK_FALSE(alike.complete());
}

TEST_CASE("a part that could not be measured is complete without one") {
  WarmPart part;
  int turns = 0;
  while (part.take_turn()) {
    ++turns;
    part.say(0);
  }
  CHECK(turns == 6);
  CHECK(part.complete());
  CHECK(part.agreed() == 0);
}

TEST_CASE("each region has a part of its own, until there is no room") {
  const auto parts = std::make_unique<WarmParts>();
  WarmPart* const first = parts->of(5);
  REQUIRE(first != nullptr);
  CHECK(parts->of(5) == first);
  CHECK(parts->of(6) != first);
  std::uint64_t region = 7;
  while (parts->of(region) != nullptr) REQUIRE(++region < 100'000);
  CHECK(parts->of(5) == first);
}
