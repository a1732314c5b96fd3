// SPDX-License-Identifier: BSD-3-Clause
#include "node/processors.hpp"

#include "catch.hpp"

using orrery::node::Processors;

TEST_CASE("nobody shares what every rank has") { CHECK_FALSE(Processors(0).shared()); }

TEST_CASE("who comes first has a processor until it sleeps") {
  Processors one(1);
  CHECK(one.shared());
  CHECK(one.want(7));
  CHECK(one.want(7));
  CHECK_FALSE(one.want(1));
  CHECK_FALSE(one.want(2));
  CHECK_FALSE(one.want(1));  // has asked before
  CHECK(one.wanted());
  CHECK_FALSE(one.next());
  one.leave(2);  // waits still: it has none to leave
  one.leave(7);
  CHECK_FALSE(one.has(7));
  CHECK(one.next() == 1);
  CHECK(one.has(1));
  CHECK_FALSE(one.next());
  one.leave(1);
  CHECK(one.next() == 2);
  CHECK_FALSE(one.wanted());
}

TEST_CASE("who comes when a processor is free and others wait stands behind them") {
  Processors two(2);
  CHECK(two.want(0));
  CHECK(two.want(1));
  CHECK_FALSE(two.want(2));
  two.leave(0);
  CHECK_FALSE(two.want(3));
  CHECK(two.next() == 2);
  CHECK_FALSE(two.next());
  two.leave(1);
  CHECK(two.next() == 3);
}
