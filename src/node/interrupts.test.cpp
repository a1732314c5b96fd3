// SPDX-License-Identifier: BSD-3-Clause
#include "node/interrupts.hpp"

#include "catch.hpp"

using namespace orrery;
using orrery::node::Interrupts;

TEST_CASE("frames that come while no processor is idle hold up who is busy next, once") {
  Interrupts interrupts;
  interrupts.pass({5}, 0);
  interrupts.take({3}, {0});
  CHECK(interrupts.pay().s == 3);
  CHECK(interrupts.pay().s == 0);
}

TEST_CASE("idle processors handle the frames of messages that are under way") {
  Interrupts interrupts;
  interrupts.pass({4}, 2);  // before the message: no use to it
  const Duration before = interrupts.idle();
  CHECK(before.s == 8);
  interrupts.pass({6}, 1);
  interrupts.take({5}, before);
  CHECK(interrupts.pay().s == 3);
}

TEST_CASE("a second of idleness does for the frames of one message only") {
  Interrupts interrupts;
  interrupts.pass({4}, 1);
  interrupts.take({3}, {0});
  interrupts.take({3}, {0});
  CHECK(interrupts.pay().s == 2);
}

TEST_CASE("what is owed is done as soon as a processor is idle") {
  Interrupts interrupts;
  interrupts.take({3}, {0});
  interrupts.pass({2}, 1);
  CHECK(interrupts.idle().s == 0);
  CHECK(interrupts.pay().s == 1);
}
