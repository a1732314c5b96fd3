// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops.hpp"

#include <sstream>

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::replay;
using trace::goal::Schedule;
using trace::testing::TemporaryFile;

namespace {

LogGOPSResult run(const std::string& text, const LogGOPS& parameters = {}) {
  const TemporaryFile file(text);
  return run_loggops(Schedule::open(file.path), parameters);
}

using Ends = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a message takes o at the sender, L on the way, and o + (s - 1) max(O, G) at the receiver") {
  const LogGOPS p{.latency_ns = 1000, .overhead_ns = 100, .gap_ns = 50, .gap_per_byte_ns = 2};
  const auto found = run("num_ranks 2\nrank 0 {\nsend 11b to 1 tag 3\n}\nrank 1 {\nrecv 11b from 0 tag 3\n}\n", p);
  CHECK(found.end_ns == Ends{100, 100 + 1000 + 100 + 10 * 2});
  CHECK(found.events == 3);
  CHECK(found.unfinished == 0);
  CHECK(found.unmatched == 0);
}

TEST_CASE("the sender of a message beyond S waits until it is received") {
  const LogGOPS p{.latency_ns = 1000, .overhead_ns = 100, .gap_ns = 0, .gap_per_byte_ns = 0, .sync_threshold = 8};
  const std::string text =
      "num_ranks 2\nrank 0 {\na: send 9b to 1\nb: calc 7\nb requires a\n}\n"
      "rank 1 {\nc: calc 5000\nr: recv 9b from 0\nr requires c\n}\n";
  // Received at 5000, when the processor is free for it: that takes o; the sender then computes 7.
  CHECK(run(text, p).end_ns == Ends{5007, 5100});
}

TEST_CASE("what requires the begin of an operation does not wait for its end") {
  const auto found = run(
      "num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 10 cpu 1\nc: calc 10 cpu 2\nb irequires a\nc requires a\n}\n");
  CHECK(found.end_ns == Ends{100});  // b on its own processor is long over; c cannot be told from its end
  CHECK(found.unfinished == 0);
}

TEST_CASE("a receive of any source takes the message that comes first") {
  const auto found =
      run("num_ranks 3\nrank 0 {\na: recv 1b from -1 tag -1\nb: recv 1b from 2 tag 0\n b requires a\n}\n"
          "rank 1 {\nsend 1b to 0 tag 9\n}\nrank 2 {\nc: calc 100000\ns: send 1b to 0 tag 0\ns requires c\n}\n");
  CHECK(found.unmatched == 0);
  CHECK(found.end_ns[0] == 100000 + 1500 + 2500 + 1500);
}

TEST_CASE("what waits for a message that never comes is counted") {
  const auto found = run("num_ranks 1\nrank 0 {\na: recv 1b from 0\nb: calc 1\nb requires a\n}\n");
  CHECK(found.unfinished == 2);
  CHECK(found.unmatched == 1);
}

TEST_CASE("parameters are read by their letters") {
  const LogGOPS p = LogGOPS::parse("L=1,G=20,S=300");
  CHECK(p.latency_ns == 1);
  CHECK(p.gap_per_byte_ns == 20);
  CHECK(p.sync_threshold == 300);
  CHECK(p.overhead_ns == 1500);
  CHECK_THROWS_AS(LogGOPS::parse("L=1,x=2"), InputError);
  CHECK_THROWS_AS(LogGOPS::parse("L="), InputError);
  CHECK_THROWS_AS(LogGOPS::parse("L=-4"), InputError);
}
