// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/compute_meter.hpp"

#include "catch.hpp"

using orrery::mpi::ComputeMeter;

namespace {

/// Clocks that stand still until they are moved.
std::int64_t monotonic = 0;
std::int64_t processor = 0;
int processor_reads = 0;

std::int64_t read_monotonic() { return monotonic; }

std::int64_t read_processor() {
  ++processor_reads;
  return processor;
}

/// The thread runs, or is without the processor.
void run(std::int64_t ns) {
  monotonic += ns;
  processor += ns;
}
void preempted(std::int64_t ns) { monotonic += ns; }

ComputeMeter meter() {
  monotonic = 1'000'000;
  processor = 5'000;
  ComputeMeter made(read_monotonic, read_processor);
  processor_reads = 0;
  return made;
}

}  // namespace

TEST_CASE("a short computation is measured without reading the processor clock") {
  ComputeMeter m = meter();
  m.start();
  run(700);
  CHECK(m.stop() == 700);
  run(300);
  m.start();
  run(900);
  CHECK(m.stop() == 900);
  CHECK(processor_reads == 0);
}

TEST_CASE("time without the processor is not computation") {
  ComputeMeter m = meter();
  m.start();
  run(40'000);
  preempted(3'000'000);
  run(60'000);
  CHECK(m.stop() == 100'000);
}

TEST_CASE("short intervals between the base and a long computation are not counted again") {
  ComputeMeter m = meter();
  m.start();
  run(500);
  CHECK(m.stop() == 500);
  run(200);  // a short call
  m.start();
  run(50'000);
  preempted(1'000'000);
  CHECK(m.stop() == 50'000);
}

TEST_CASE("neither work nor sleep inside a long call is computation") {
  ComputeMeter m = meter();
  m.start();
  run(100);
  CHECK(m.stop() == 100);
  run(30'000);
  preempted(5'000'000);
  m.start();
  run(25'000);
  CHECK(m.stop() == 25'000);
}
