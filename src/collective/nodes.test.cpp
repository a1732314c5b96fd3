// SPDX-License-Identifier: BSD-3-Clause
#include "collective/nodes.hpp"

#include <algorithm>

#include "catch.hpp"

namespace orrery::collective {
namespace {

using Ranks = std::vector<int>;

Ranks listed(std::span<const int> ranks) { return {ranks.begin(), ranks.end()}; }

TEST_CASE("nodes are numbered by their lowest ranks, and ranks by their places on them") {
  const Nodes nodes({9, 4, 9, 4, 4});
  CHECK(nodes.count() == 2);
  CHECK(nodes.of(0) == 0);
  CHECK(nodes.of(4) == 1);
  CHECK(nodes.place(4) == 2);
  CHECK(listed(nodes.on(0)) == Ranks{0, 2});
  CHECK(listed(nodes.on(1)) == Ranks{1, 3, 4});
  CHECK(listed(nodes.at(0)) == Ranks{0, 1});
  CHECK(listed(nodes.at(1)) == Ranks{2, 3});
  CHECK(listed(nodes.at(2)) == Ranks{4});
}

TEST_CASE("nodes are balanced if each has as many ranks, consecutive if none is between those of another") {
  CHECK(Nodes({0, 0, 1, 1}).balanced());
  CHECK(Nodes({0, 0, 1, 1}).consecutive());
  CHECK(Nodes({0, 1, 0, 1}).balanced());
  CHECK_FALSE(Nodes({0, 1, 0, 1}).consecutive());
  CHECK_FALSE(Nodes({0, 0, 1}).balanced());
  CHECK(Nodes({5, 3, 4}).one_each());
  CHECK_FALSE(Nodes({5, 3, 5}).one_each());
}

}  // namespace
}  // namespace orrery::collective
