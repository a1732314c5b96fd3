// SPDX-License-Identifier: BSD-3-Clause
#include "node/processors.hpp"

#include "catch.hpp"

using orrery::node::Processors;

TEST_CASE("nobody shares what every rank has") { CHECK_FALSE(Processors(0).shared()); }

TEST_CASE("who comes first has a processor until it sleeps") {
  Processors processors(1);
  CHECK(processors.shared());
  CHECK(processors.want(7));
  CHECK(processors.want(7));
  CHECK_FALSE(processors.want(1));
  CHECK_FALSE(processors.want(2));
  CHECK_FALSE(processors.want(1));  // has asked before
  CHECK(processors.wanted());
  CHECK_FALSE(processors.next());
  processors.leave(2);  // waits still: it has none to leave
  processors.leave(7);
  CHECK_FALSE(processors.has(7));
  CHECK(processors.next() == 1);
  CHECK(processors.has(1));
  CHECK_FALSE(processors.next());
  processors.leave(1);
  CHECK(processors.next() == 2);
  CHECK_FALSE(processors.wanted());
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
