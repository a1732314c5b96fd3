// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/compensated_sum.hpp"

#include "catch.hpp"

using orrery::sharing::CompensatedSum;

TEST_CASE("a sum keeps small terms while large ones come and go") {
  CompensatedSum sum;
  sum.add(1e-3);
  for (int i = 0; i < 1000; ++i) sum.add(1e12 + 0.1 * i);
  for (int i = 0; i < 1000; ++i) sum.subtract(1e12 + 0.1 * i);
  // Plain additions lose 1e-3 at once: the spacing of doubles at 1e15 is 0.125.
  CHECK(sum.value() == Approx(1e-3).epsilon(1e-12));
}

TEST_CASE("a reset sum is nothing") {
  CompensatedSum sum;
  sum.add(0.1);
  sum.reset();
  CHECK(sum.value() == 0);
}
