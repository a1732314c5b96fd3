// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/extension/sampler.hpp"

#include "catch.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;

namespace {

/// Blocks that declare 1, 2, 3 ... seconds; how many of `times` were executed.
int run_blocks(bool global, int times, long executions, double precision = 0) {
  int executed = 0;
  for (int i = 0; i < times; ++i) {
    if (orrery_sample_begin(global ? 1 : 0, "it.c", 7, executions, precision) == 0) continue;
    orrery_compute(++executed);
    orrery_sample_end();
  }
  return executed;
}

}  // namespace

TEST_CASE("a block is executed so many times, and then its mean is counted") {
  const RunRecord record = run(1, [](int) {
    expect(run_blocks(false, 10, 3) == 3, "three are executed");
    call_mpi();
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.sent[0][0].operation.compute_s == Approx(1 + 2 + 3 + 7 * 2.0));
}

TEST_CASE("a block whose time does not vary is precise after two executions, one that does later or never") {
  const RunRecord record = run(1, [](int) {
    int executed = 0;
    for (int i = 0; i < 10; ++i) {
      if (orrery_sample_begin(0, "it.c", 1, 1, 0.01) == 0) continue;
      ++executed;
      orrery_compute(1);
      orrery_sample_end();
    }
    expect(executed == 2, "one execution says nothing, two say all");
    expect(run_blocks(false, 10, 1, 1e-6) == 10, "1, 2, 3, ... are never known to a millionth");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("all ranks together execute a global block so many times") {
  const RunRecord record = run(4, [](int) {
    (void)run_blocks(true, 5, 3);
    call_mpi();
  });
  REQUIRE(record.all_ended_well());
  // Who executes is not said; but 20 times come from the mean of three or less, each of which is 1 to 3 s.
  double sum_s = 0;
  for (int rank = 0; rank < 4; ++rank) sum_s += record.sent[rank][0].operation.compute_s;
  CHECK(sum_s >= 20);
  CHECK(sum_s <= 60);
}

TEST_CASE("where all is to be executed, nothing is skipped") {
  const RunRecord record = run(
      1, [](int) { expect(run_blocks(false, 10, 3) == 10, "all"); }, all_complete,
      [](channel::Memory& memory) { memory.header().execute_all = 1; });
  CHECK(record.all_ended_well());
}

TEST_CASE("a block from which MPI is called, or that does not come to its end, ends the run") {
  const bool returns = GENERATE(true, false);
  const RunRecord record = run(1, [returns](int) {
    (void)orrery_sample_begin(0, "it.c", 7, 3, 0);
    if (returns) {
      (void)orrery_sample_begin(0, "it.c", 9, 3, 0);
    } else {
      call_mpi();
    }
  });
  CHECK_FALSE(record.all_ended_well());
}

TEST_CASE("a sample of nothing is refused") {
  const long executions = GENERATE(0L, 1L);
  const RunRecord record =
      run(1, [executions](int) { (void)orrery_sample_begin(0, "it.c", 7, executions, executions == 0 ? 0 : -1); });
  CHECK_FALSE(record.all_ended_well());
}

TEST_CASE("outside of a rank blocks are executed") { CHECK(run_blocks(false, 5, 1) == 5); }
