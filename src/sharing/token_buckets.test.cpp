// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/token_buckets.hpp"

#include <array>
#include <limits>

#include "catch.hpp"

using namespace orrery::sharing;

namespace {

// Links 0 and 1 carry 10 B/s, link 2 is never the bottleneck; bursts of 100 B.
const std::array<double, 3> capacities{10, 10, std::numeric_limits<double>::infinity()};
const std::array<TokenBuckets::Link, 2> first{0, 2}, both{0, 1};

}  // namespace

TEST_CASE("after idleness a burst passes at once, and no more before time has gone by") {
  TokenBuckets buckets(capacities, 100);
  CHECK(buckets.tokens(first, 0) == 100);
  CHECK(buckets.take(first, 0, 60) == 60);
  CHECK(buckets.tokens(first, 0) == 40);
  CHECK(buckets.take(first, 0, 60) == 40);
  CHECK(buckets.take(first, 0, 60) == 0);
  CHECK(buckets.take(first, 3, 60) == Approx(30));       // 3 s × 10 B/s
  CHECK(buckets.take(first, 1000, 200) == Approx(100));  // a bucket holds no more than its burst
}

TEST_CASE("the emptiest link of a route decides, and the others keep what does not pass") {
  TokenBuckets buckets(capacities, 100);
  CHECK(buckets.take(first, 0, 90) == 90);
  CHECK(buckets.take(both, 0, 50) == 10);
  const std::array<TokenBuckets::Link, 1> second{1};
  CHECK(buckets.take(second, 0, 200) == 90);
}

TEST_CASE("a link gains what its flows leave") {
  TokenBuckets buckets(capacities, 100);
  CHECK(buckets.take(first, 0, 100) == 100);
  buckets.set_load(0, 0, 10);  // full: nothing grows
  CHECK(buckets.take(first, 5, 100) == 0);
  buckets.set_load(0, 5, 4);  // 6 B/s are left
  CHECK(buckets.take(first, 10, 100) == Approx(30));
}
