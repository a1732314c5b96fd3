// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/warm_parts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "catch.hpp"

using orrery::mpi::channel::OwnWarmTime;
using orrery::mpi::channel::WarmPart;
using orrery::mpi::channel::WarmParts;
using orrery::mpi::channel::WarmTime;

namespace {

std::unique_ptr<WarmPart> part_of(std::initializer_list<WarmTime> times) {
  auto part = std::make_unique<WarmPart>();
  for (const WarmTime time : times) part->say(time);
  return part;
}

}  // namespace

TEST_CASE("three that agree on the part are enough, and others wait for the first turns to be over") {
  const auto part = part_of({{700, 1'000}, {1'440, 2'000}});
  CHECK_FALSE(part->said(1'000));
  part->say({1'080, 1'200});
  CHECK_FALSE(part->said(1'000));
  for (const WarmTime time : {WarmTime{560, 800}, {1'120, 1'600}, {1'260, 1'800}}) part->say(time);
  REQUIRE(part->complete());
  REQUIRE(part->said(1'000));
  CHECK(part->said(1'000)->part == Approx(0.733).margin(0.01));
  CHECK_FALSE(part->said(1'000)->constant);

  const auto alike = part_of({{700, 1'000}, {1'440, 2'000}, {876, 1'200}});
  CHECK_FALSE(alike->complete());
  REQUIRE(alike->said(1'300));
  CHECK(alike->said(1'300)->part == Approx(0.717).margin(0.01));
}

TEST_CASE("what short work takes with warm caches says nothing of long work between calls from the same places") {
  const auto part =
      part_of({{90, 3'800}, {100, 4'000}, {95, 3'900}, {90, 3'700}, {600'000, 700'000}, {594'000, 702'000}});
  CHECK(part->said(3'900)->part < 0.03);
  CHECK(part->said(700'000)->part == Approx(0.85).margin(0.01));
  CHECK_FALSE(part->said(60'000));
}

TEST_CASE("where work is another each time, what the same work took says more than what is usual") {
  WarmPart part;
  struct Measured {
    WarmTime time;
    std::uint32_t took;
  };
  for (const auto& [time, took] : {Measured{{2'041, 2'336}, 2'048}, Measured{{2'466, 2'750}, 2'468},
                                   Measured{{1'828, 2'696}, 2'620}, Measured{{1'837, 2'135}, 1'900}})
    part.say(time, took);  // the third was interrupted
  CHECK_FALSE(part.said(2'300));
  part.say({});
  part.say({});
  CHECK(part.said(2'300)->part == Approx(0.98).margin(0.02));
}

TEST_CASE("where what the same work took differs more than what is usual, caches differ, and what is usual counts") {
  WarmPart part;
  constexpr std::array<std::uint32_t, 6> took{900, 1'150, 1'010, 870, 1'200, 1'080}, warm{700, 770, 630, 735, 665, 707};
  for (std::size_t i = 0; i < took.size(); ++i) part.say({warm[i], 10 * warm[i] / 7}, took[i]);
  CHECK(part.said(1'000)->part == Approx(0.7).margin(0.001));
}

TEST_CASE("where work is another each time, interruptions do not make what is usual count again") {
  WarmPart part;
  constexpr std::array<std::uint32_t, 6> units{2'000, 1'200, 2'450, 1'600, 2'200, 1'400};
  constexpr std::array<std::uint32_t, 6> usual{2'300, 1'600, 2'500, 1'950, 2'450, 1'750};
  constexpr std::array<std::uint32_t, 6> late{0, 130, 0, 90, 20, 200};
  for (std::size_t i = 0; i < units.size(); ++i) part.say({units[i], usual[i]}, units[i] + late[i]);
  CHECK(part.said(2'000)->part == Approx(0.97).margin(0.03));
}

TEST_CASE("a correlation of few times says nothing") {
  const auto part = part_of({{200, 250}, {210, 240}, {190, 245}});
  for (int turn = 0; turn < 3; ++turn) part->say({});
  REQUIRE(part->said(245));
  CHECK_FALSE(part->said(245)->constant);
}

TEST_CASE("one time is no evidence, and of two the longer part counts") {
  WarmPart part;
  part.say({700, 1'000}, 1'400);
  for (int turn = 0; turn < 4; ++turn) part.say({});
  CHECK_FALSE(part.said(1'000));
  part.say({700, 900}, 800);
  REQUIRE(part.complete());
  CHECK(part.said(1'000)->part == Approx(0.875));
}

TEST_CASE("where warm times are alike, how usual times differ is luck with caches") {
  const auto part = part_of({{220, 270}, {221, 340}, {219, 300}, {220, 350}, {222, 280}, {220, 320}});
  for (const double usual : {270.0, 300.0, 350.0}) {
    const auto said = part->said(usual);
    REQUIRE(said);
    CHECK(said->constant);
    CHECK(said->part * usual == Approx(220).epsilon(0.01));
  }
  CHECK(part->said(330)->explained);
  CHECK_FALSE(part->said(390)->explained);
}

TEST_CASE("a rank that has measured another time than the others keeps its own") {
  const auto part = part_of({{220, 270}, {221, 340}, {219, 300}, {220, 350}, {222, 280}, {260, 395}});
  const auto slow = part->said(395, {.time = {260, 395}, .times = 2});
  REQUIRE(slow);
  CHECK(slow->constant);
  CHECK(slow->part * 395 == Approx(260).epsilon(0.001));
  CHECK(slow->explained);
  CHECK(part->said(340, {.time = {221, 340}, .times = 1})->part * 340 == Approx(220.4).epsilon(0.003));
  const auto once = part->said(395, {.time = {260, 395}, .times = 1});  // noise may have made it longer
  CHECK_FALSE(once->explained);
  CHECK(once->part * 395 == Approx(220.4).epsilon(0.003));
  const auto unknown = part->said(420);  // it is measured before it is taken for one of the others, or for slow
  CHECK_FALSE(unknown->explained);
  CHECK_FALSE(unknown->constant);
}

TEST_CASE("the shortest time of a kind of work is a rank's own") {
  OwnWarmTime own;
  for (const WarmTime time : {WarmTime{260, 395}, {221, 380}, {230, 390}}) own.add(time);
  CHECK(own.times == 3);
  CHECK(own.time.warm_ns == 221);
  own.add({500, 900});
  CHECK(own.times == 1);
  CHECK(own.time.warm_ns == 500);
}

TEST_CASE("when there are no more turns, what became of those far away decides about others of them") {
  for (const bool same : {true, false}) {
    const auto part = part_of({{220, 270}, {221, 280}, {219, 275}, {220, 285}, {222, 280}, {220, 278}});
    while (part->take_turn(WarmPart::most_turns)) {
    }
    for (const std::uint32_t usual : {340U, 345U, 350U, 355U}) part->say({same ? 221U : usual * 8 / 10, usual});
    const auto said = part->said(352);
    CHECK(said->constant == same);
    CHECK(said->part * 352 == Approx(same ? 220.4 : 0.79 * 352).epsilon(0.02));
  }
}

TEST_CASE("where the few that differ are a third, work is not the same each time") {
  const auto part = part_of({{220, 300}, {221, 304}, {219, 297}, {220, 299}, {290, 372}, {291, 377}, {289, 375}});
  CHECK_FALSE(part->said(300)->constant);
}

TEST_CASE("where warm times go with usual ones, a rank takes its part of what it usually takes") {
  const auto part = part_of({{200, 300}, {210, 312}, {220, 331}, {230, 346}, {240, 359}, {250, 376}});
  for (const double usual : {290.0, 400.0}) {
    const auto said = part->said(usual);
    REQUIRE(said);
    CHECK_FALSE(said->constant);
    CHECK(said->part == Approx(0.667).margin(0.01));
  }
}

TEST_CASE("warm times that vary without the usual ones are noise") {
  const auto part =
      part_of({{1'060, 1'450}, {1'190, 1'430}, {1'120, 1'460}, {1'150, 1'440}, {1'170, 1'455}, {1'100, 1'435}});
  const auto said = part->said(1'450);
  REQUIRE(said);
  CHECK(said->constant);
  CHECK(said->part * 1'450 == Approx(1'131).epsilon(0.02));
}

TEST_CASE("a part that could not be measured is complete without one") {
  WarmPart part;
  int turns = 0;
  while (part.take_turn(WarmPart::first_turns)) {
    ++turns;
    part.say({});
  }
  CHECK(turns == WarmPart::first_turns);
  CHECK(part.complete());
  CHECK_FALSE(part.said(1'000));
  CHECK(part.take_turn(WarmPart::most_turns));
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
