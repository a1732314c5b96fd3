// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "base/error.hpp"
#include "catch.hpp"
#include "launch/gather.hpp"
#include "launch/run_fixture.test.hpp"

using namespace orrery::launch;

TEST_CASE("every line of many ranks arrives whole, in each rank's order, once") {
  Job job = StandIn::job(64, {"*:lines=200"});
  job.label = GENERATE(true, false);
  StandIn program(std::move(job));
  CHECK(program.run().end == End::Completed);
  std::vector<int> next(64, 0);
  for (const auto& [key, text] : program.printed) {
    std::istringstream lines(text);
    for (std::string word; lines >> word;) {
      int rank = -1, line = -1;
      lines >> rank >> word >> line;
      REQUIRE(rank >= 0);
      if (key.first >= 0) REQUIRE(key.first == rank);
      REQUIRE(line == next[static_cast<std::size_t>(rank)]++);
    }
  }
  CHECK(next == std::vector<int>(64, 200));
}

TEST_CASE("a thousand ranks start, run and end", "[slow]") {
  StandIn program(1024, {});
  const Outcome outcome = program.run();
  CHECK(outcome.end == End::Completed);
  CHECK(processes_left() == std::vector<std::string>{});
}

TEST_CASE("labels raise the limit of open files as far as they need and may") {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit low = before;
  low.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &low);
  Job job = StandIn::job(64, {"*:say=here"});  // 256 ends of pipes
  job.label = true;
  StandIn program(job);
  CHECK(program.run().end == End::Completed);
  CHECK(program.printed.size() == 64);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("labels that need more files than the system gives say so") {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  std::string text;
  try {
    Gather gather(static_cast<std::uint32_t>(limit.rlim_max / 4 + 1), Gather::Pipes::Labelled, {}, [] {});
  } catch (const orrery::InputError& error) {
    text = error.what();
  }
  CHECK(text.find("ulimit -Hn") != std::string::npos);
}
