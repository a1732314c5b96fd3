// SPDX-License-Identifier: BSD-3-Clause
#include "network/processors.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::network;

TEST_CASE("who has a processor of its own never waits") {
  Processors own(0);
  for (int rank = 0; rank < 3; ++rank) CHECK(own.take(rank, {0}, {1}, {2}, {5}).ends.s == 6);
}

TEST_CASE("a lone message takes its overhead, of which its work is a part") {
  Processors two(2);
  const Processors::Turn turn = two.take(0, {0}, {1}, {2}, {5});
  CHECK(turn.begins.s == 1);
  CHECK(turn.ends.s == 6);
}

TEST_CASE("when all processors are busy, messages take turns and need their work only") {
  Processors two(2);
  // Four that come at 0 with 10 s of work on two processors: the last two begin at 10 and end at 20, not at 10 + 12.
  for (int rank = 0; rank < 2; ++rank) CHECK(two.take(rank, {0}, {0}, {10}, {12}).ends.s == 12);
  for (int rank = 2; rank < 4; ++rank) {
    const Processors::Turn turn = two.take(rank, {0}, {0}, {10}, {12});
    CHECK(turn.begins.s == 10);
    CHECK(turn.ends.s == 20);
  }
}

TEST_CASE("a turn ahead of the present leaves the time before it to others") {
  Processors one(1);
  CHECK(one.take(0, {0}, {10}, {5}, {5}).begins.s == 10);
  CHECK(one.take(1, {0}, {0}, {4}, {4}).begins.s == 0);     // fits in front
  CHECK(one.take(2, {0}, {0}, {7}, {7}).begins.s == 15);    // does not
  CHECK(one.take(3, {0}, {3}, {6}, {6}).begins.s == 4);     // just fits between
  CHECK(one.take(4, {16}, {16}, {1}, {1}).begins.s == 22);  // what is over is forgotten, what is not stays
}

TEST_CASE("who goes on keeps the processor, and what others lose is made up for") {
  Processors one(1);
  CHECK(one.take(0, {0}, {0}, {3}, {3}).ends.s == 3);
  CHECK(one.take(1, {0}, {0}, {3}, {3}).begins.s == 3);   // promised
  CHECK(one.take(0, {3}, {3}, {3}, {3}).begins.s == 3);   // rank 0 goes on
  CHECK(one.take(2, {3}, {3}, {1}, {1}).begins.s == 9);   // three turns of 3 before it
  CHECK(one.take(0, {7}, {7}, {3}, {3}).begins.s == 10);  // rank 0 slept in between: it queues
}
