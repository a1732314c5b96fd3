// SPDX-License-Identifier: BSD-3-Clause
#include "collective/places.hpp"

#include "catch.hpp"

namespace orrery::collective {
namespace {

using Parts = std::vector<std::uint32_t>;

std::vector<int> positions(const Grouping& grouping, int size) {
  std::vector<int> ranks;
  for (int position = 0; position < size; ++position) ranks.push_back(grouping.rank_at(position));
  return ranks;
}

TEST_CASE("ranks are listed group by group, groups by their lowest ranks") {
  const Places places(6, {{"cluster", {7, 3, 7, 3, 3, 7}}});
  const Grouping& grouping = places.grouping();
  CHECK(positions(grouping, 6) == std::vector<int>{0, 2, 5, 1, 3, 4});
  CHECK(grouping.position(1) == 3);
  CHECK_FALSE(grouping.in_rank_order());
  CHECK(grouping.group(0).children == 2);
  CHECK(grouping.group(grouping.group(0).first_child + 1).lowest == 1);
}

TEST_CASE("a level that does not divide a group is not in it") {
  // One cluster; the second node has one rank.
  const Places places(3, {{"cluster", {0, 0, 0}}, {"node", {0, 0, 1}}});
  const Grouping& grouping = places.grouping();
  CHECK(grouping.in_rank_order());
  CHECK(grouping.group(0).children == 2);
  CHECK(grouping.stages(1, 0).size() == 1);  // inside the first node
  CHECK(grouping.stages(2, 0).size() == 1);  // between nodes
  CHECK(grouping.stages(0, 0).size() == 2);  // rank 0 speaks for its node
}

TEST_CASE("the root speaks for its groups, the lowest rank for the others") {
  const Places places(6, {{"cluster", {0, 0, 0, 1, 1, 1}}});
  const Grouping& grouping = places.grouping();
  const int first = grouping.group(0).first_child;
  CHECK(grouping.master(first, 5) == 0);
  CHECK(grouping.master(first + 1, 5) == 5);
  CHECK(grouping.stages(3, 5).size() == 1);
  CHECK(grouping.stages(5, 5).size() == 2);
  CHECK(grouping.stages(5, 5)[1].root == 1);  // the second cluster has it
}

TEST_CASE("levels can be chosen by name") {
  const Places places(4, {{"cluster", {0, 0, 1, 1}}, {"node", {0, 1, 2, 3}}});
  CHECK(places.grouping().group(0).children == 2);
  CHECK(places.grouping(2).group(0).children == 2);  // cluster
  CHECK(places.grouping(8).group(0).children == 4);  // node
  CHECK(places.grouping(4).group(0).children == 4);  // there are no cabinets: nothing divides the ranks
}

TEST_CASE("one rank alone has nothing to do with others") {
  const Places places(1, {{"node", {0}}});
  CHECK(places.grouping().stages(0, 0).empty());
  CHECK(places.grouping().position(0) == 0);
}

}  // namespace
}  // namespace orrery::collective
