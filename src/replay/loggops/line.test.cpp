// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops/line.hpp"

#include <random>
#include <set>

#include "catch.hpp"

using orrery::replay::loggops::Event;
using orrery::replay::loggops::Line;

TEST_CASE("the first that was ready leaves a line first, in whatever order they came") {
  for (const std::uint64_t disorder : {1u, 3u, 1000u}) {
    std::mt19937_64 draw(disorder);
    Line line;
    std::set<std::uint64_t> plain;
    for (std::uint64_t step = 0; step < 50000; ++step) {
      const std::uint64_t order = 1000 * step + 1000 * (draw() % disorder);
      if (draw() % 2 == 0 && plain.insert(order).second) line.push({0, order, 0, 0});
      if (draw() % 2 == 0 && !plain.empty()) {
        REQUIRE(line.front().order == *plain.begin());
        REQUIRE(line.pop().order == *plain.begin());
        plain.erase(plain.begin());
      }
      REQUIRE(line.empty() == plain.empty());
    }
  }
}
