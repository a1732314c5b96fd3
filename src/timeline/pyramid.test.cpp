// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/pyramid.hpp"

#include "catch.hpp"

using namespace orrery::timeline;

namespace {

std::uint32_t share(const Level& level, std::size_t cell, State state) {
  return level.cells[cell] >> (4 * static_cast<unsigned>(state)) & 15;
}

}  // namespace

TEST_CASE("a cell says which part of its time a rank was in each state") {
  Pyramid pyramid(2, 800, {.cells = 16, .buckets = 100});
  pyramid.add(1, State::Compute, 0, 340);
  pyramid.add(1, State::Wait, 340, 800);
  const std::vector<Level> levels = pyramid.levels();
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].bucket_ns == 100);  // 16 cells for two ranks
  CHECK(levels[0].buckets == 8);
  CHECK(share(levels[0], 8, State::Compute) == 15);
  CHECK(share(levels[0], 8 + 3, State::Compute) == 6);  // 40 of 100 ns
  CHECK(share(levels[0], 8 + 3, State::Wait) == 9);
  CHECK(levels[0].cells[0] == 0);  // rank 0 did nothing
  CHECK(levels[1].bucket_ns == 400);
  CHECK(levels[1].buckets == 2);
  CHECK(share(levels[1], 2, State::Compute) == 13);  // 340 of 400 ns: 12.75 fifteenths
  CHECK(share(levels[1], 2, State::Wait) == 2);
}

TEST_CASE("more ranks than cells have one bucket each") {
  Pyramid pyramid(10, 1000, {.cells = 4});
  pyramid.add(9, State::File, 0, 2000);  // longer than was said
  const std::vector<Level> levels = pyramid.levels();
  REQUIRE(levels.size() == 1);
  CHECK(levels[0].cells.size() == 10);
  CHECK(share(levels[0], 9, State::File) == 15);
}
