// SPDX-License-Identifier: BSD-3-Clause
#include "base/student.hpp"

#include "catch.hpp"

using namespace orrery;

TEST_CASE("reaches of Student's t are those of printed tables") {
  // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2: both sides together.
  CHECK(student_reach(0.05, 1) == Approx(12.706).epsilon(1e-4));
  CHECK(student_reach(0.05, 2) == Approx(4.303).epsilon(1e-4));
  CHECK(student_reach(0.05, 3) == Approx(3.182).epsilon(2e-4));
  CHECK(student_reach(0.05, 10) == Approx(2.228).epsilon(2e-4));
  CHECK(student_reach(0.01, 29) == Approx(2.756).epsilon(2e-4));
  CHECK(student_reach(0.002, 7) == Approx(4.785).epsilon(2e-4));
}

TEST_CASE("above 200 degrees of freedom the reach of 200 stands for it") {
  CHECK(student_reach(0.05, 1'000'000) == student_reach(0.05, 200));
  CHECK(student_reach(0.05, 200) == Approx(1.972).epsilon(2e-4));
}
