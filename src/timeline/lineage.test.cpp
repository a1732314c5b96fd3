// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/lineage.hpp"

#include "catch.hpp"

using orrery::timeline::Lineage;

TEST_CASE("a path goes back through what its rank waited for, and through what that one waited for") {
  Lineage lineage;
  Lineage::Place first = lineage.start(0), second = lineage.start(1);
  const Lineage::Place third = lineage.start(2);
  const Lineage::Place sent = lineage.hold(second);  // at 10, by rank 1
  Lineage::Place now = lineage.follow(sent, 0, 10);
  lineage.release(first);
  lineage.release(sent);
  first = now;
  now = lineage.follow(first, 1, 30);
  lineage.release(second);
  second = now;
  const auto path = lineage.path(second, 50);
  REQUIRE(path.size() == 3);
  CHECK(path[0].rank == 1);
  CHECK(path[0].end_ns == 10);
  CHECK(path[1].rank == 0);
  CHECK(path[1].end_ns == 30);
  CHECK(path[2].rank == 1);
  CHECK(path[2].end_ns == 50);
  CHECK(lineage.path(third, 50).size() == 1);
}

TEST_CASE("two ranks that wait for each other for ever take bounded memory, and keep the path whole") {
  Lineage lineage(64);
  Lineage::Place places[2] = {lineage.start(0), lineage.start(1)};
  for (std::int64_t turn = 1; turn <= 1000; ++turn) {
    const auto rank = static_cast<std::uint32_t>(turn % 2);
    const Lineage::Place now = lineage.follow(places[1 - rank], rank, 10 * turn);
    lineage.release(places[rank]);
    places[rank] = now;
  }
  const auto path = lineage.path(places[0], 10'010);
  CHECK(lineage.joined() > 900);
  CHECK(path.size() <= 64);
  CHECK(path.front().begin_ns == 0);
  CHECK(path.back().end_ns == 10'010);
  for (std::size_t i = 1; i < path.size(); ++i) CHECK(path[i].begin_ns == path[i - 1].end_ns);
}
