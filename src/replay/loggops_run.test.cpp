// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops_run.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::replay;
using trace::testing::TemporaryFile;

TEST_CASE("a run under LogGOPS tells times with four digits, and counts in groups of three") {
  LogGOPSRun run{.schedule = "a.goal", .parameters = "", .result = {.end_ns = {7, 1234567, 1234567}}, .wall_s = 0.25};
  run.result.events = 1000;
  CHECK(run.text() ==
        "simulated time  1.235 ms: 1,234,567 ns, at rank 1\n"
        "ranks           3\n"
        "events          1,000, 4,000 per second\n"
        "wall time       250 ms\n"
        "model           LogGOPS with the defaults of LogGOPSim\n");
  run.result.unmatched = 12;
  run.parameters = "L=1";
  run.result.end_ns = {0};
  CHECK_FALSE(run.complete());
  CHECK(run.text() ==
        "simulated time  0 s: 0 ns, at rank 0\n"
        "ranks           1\n"
        "events          1,000, 4,000 per second\n"
        "wall time       250 ms\n"
        "model           LogGOPS L=1\n"
        "caution         0 operations were not done, 12 found no match\n");
}

TEST_CASE("a run under LogGOPS is valid JSON whatever its file is called") {
  const LogGOPSRun run{
      .schedule = "a \"b\"\\\n.goal", .parameters = "L=1", .result = {.end_ns = {1, 20}, .events = 3}, .wall_s = 0.5};
  CHECK(run.to_json() ==
        "{\"schedule\": \"a \\\"b\\\"\\\\\\u000a.goal\", \"parameters\": \"L=1\", \"end_ns\": [1, 20], \"events\": 3, "
        "\"unfinished\": 0, \"unmatched\": 0, \"wall_s\": 0.5}\n");
}

TEST_CASE("a schedule is read and simulated with the parameters that are given as text") {
  const TemporaryFile file("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n");
  const LogGOPSRun run = run_loggops_file(file.path, "L=1000,o=100");
  CHECK(run.complete());
  CHECK(run.result.end_ns == std::vector<std::uint64_t>{100, 100 + 1000 + 100});
  CHECK_THROWS_AS(static_cast<void>(run_loggops_file(file.path, "L")), InputError);
  CHECK_THROWS_AS(static_cast<void>(run_loggops_file("/nowhere.goal", "")), InputError);
}
