// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;

TEST_CASE("declared computation is reported with the next operation, whether or not computation is measured") {
  const bool measured = GENERATE(true, false);
  const RunRecord record = run(
      1,
      [](int) {
        orrery_compute(3);
        orrery_compute(0.5);
        call_mpi();
        call_mpi();
      },
      all_complete, [measured](channel::Memory& memory) { memory.header().measure_compute = measured ? 1 : 0; });
  REQUIRE(record.all_ended_well());
  const double computed_s = record.sent[0][0].operation.compute_s;
  if (measured) {
    CHECK(computed_s > 3.5);
    CHECK(computed_s < 3.6);
  } else {
    CHECK(computed_s == 3.5);
    CHECK(record.sent[0][1].operation.compute_s == 0);
  }
}

TEST_CASE("what the kernel multiplies computation by does not change what is declared") {
  const RunRecord record = run(
      1,
      [](int) {
        orrery_compute(3);
        call_mpi();
      },
      all_complete, [](channel::Memory& memory) { memory.header().compute_scale = 4; });
  REQUIRE(record.all_ended_well());
  CHECK(record.sent[0][0].operation.compute_s == 0.75);
}

TEST_CASE("declared computation passes on the clocks") {
  const RunRecord record = run(
      1,
      [](int) {
        const auto read = [] {
          const Call call(9);
          return wtime();
        };
        const double before_s = read();
        orrery_compute(10);
        expect(std::abs(read() - before_s - 10) < 1e-6, "ten seconds later");
      },
      [now_s = 0.0](int, const Sent& sent) mutable -> op::Reply {
        now_s += sent.operation.compute_s;
        return {.now = {now_s}};
      });
  CHECK(record.all_ended_well());
}

TEST_CASE("computation that cannot be ends the rank") {
  const double seconds = GENERATE(-1.0, std::numeric_limits<double>::infinity(), std::nan(""));
  const RunRecord record = run(1, [seconds](int) { orrery_compute(seconds); });
  CHECK_FALSE(record.all_ended_well());
}

TEST_CASE("outside of a rank nothing is declared") { orrery_compute(1e9); }
