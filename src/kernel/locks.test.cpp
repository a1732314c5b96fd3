// SPDX-License-Identifier: BSD-3-Clause
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

namespace {

const op::Operation lock_all = lock(op::any_source, false);
const op::Operation unlock_all = unlock(op::any_source);

}  // namespace

TEST_CASE("a lock takes the way to its target and back, its release nobody's time", "[kernel]") {
  Bench bench({{lock(1, true), unlock(1)}, {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 2);
}

TEST_CASE("exclusive locks are granted in the order in which the requests arrive", "[kernel]") {
  Bench bench({{lock(3, true), compute(10), unlock(3)},
               {compute(2), lock(3, true), compute(10), unlock(3)},
               {compute(1), lock(3, true), compute(10), unlock(3)},
               {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 12);
  CHECK(bench.end(2) == 24);  // released at 12 + 1, granted at 14, held for 10
  CHECK(bench.end(1) == 36);
}

TEST_CASE("locks that are asked for at one instant go by rank", "[kernel]") {
  Bench bench({{lock(2, true), compute(1), unlock(2)}, {lock(2, true), compute(1), unlock(2)}, {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 3);
  CHECK(bench.end(1) == 6);  // released at 4, granted at 5
}

TEST_CASE("shared locks are held together, and not before an exclusive one that came first", "[kernel]") {
  Bench bench({{lock(4, false), compute(10), unlock(4)},
               {compute(1), lock(4, false), compute(10), unlock(4)},
               {compute(2), lock(4, true), compute(10), unlock(4)},
               {compute(3), lock(4, false), unlock(4)},
               {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 12);
  CHECK(bench.end(1) == 13);
  CHECK(bench.end(2) == 25);  // the last shared one is released at 14, granted at 15
  CHECK(bench.end(3) == 27);  // released at 26, granted at 27
}

TEST_CASE("a lock of the whole window shares with all but exclusive ones", "[kernel]") {
  Bench bench({{lock_all, compute(10), unlock_all},
               {compute(1), lock_all, compute(10), unlock_all},
               {compute(2), lock(3, false), unlock(3)},
               {compute(3), lock(3, true), compute(1), unlock(3), lock_all, unlock_all}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 12);
  CHECK(bench.end(1) == 13);
  CHECK(bench.end(2) == 4);
  CHECK(bench.end(3) == 18);  // granted at 15, released at 17 as it computes until 16; then 2 more, from 16
}

TEST_CASE("whoever asks for the whole window is served before exclusive locks that were asked for later", "[kernel]") {
  Bench bench({{lock(3, true), compute(10), unlock(3)},
               {compute(1), lock_all, compute(10), unlock_all},
               {compute(2), lock(3, true), unlock(3)},
               {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(1) == 24);  // released at 13
  CHECK(bench.end(2) == 26);  // released at 25
}

TEST_CASE("locks that two ranks hold and want from each other are told as a circle", "[kernel]") {
  Bench bench({{lock(0, true), compute(5), lock(1, true)}, {lock(1, true), compute(5), lock(0, true)}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  CHECK(deadlock->cycle == std::vector<std::int32_t>{0, 1});
  CHECK(deadlock->waiting[0].kind == op::Kind::Lock);
}
