// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

using namespace testing;

/// Messages of 3,000 bytes are rendezvous; all take 1 s, and so do their envelopes.
Times ends_of_run(const Streams& streams, bool in_calls = true) {
  Bench bench(streams);
  bench.config.node.progress = in_calls ? settings::Progress::InCalls : settings::Progress::Always;
  REQUIRE_FALSE(bench.run());
  Times ends_s;
  for (const SimTime end : bench.simulation->end_of_ranks()) ends_s.push_back(end.s);
  return ends_s;
}

const op::Operation wait_first = on_requests(op::Kind::WaitAll, first_request);

TEST_CASE("a receiver that computes writes its CTS in the wait that follows") {
  const Streams streams = {{send(1, 3000)}, {recv(0, 3000, 0, 1), compute(10), wait_first}};
  CHECK(ends_of_run(streams) == Times{11, 11});
  CHECK(ends_of_run(streams, false) == Times{1, 10});
}

TEST_CASE("a sender that computes sends its data in the wait that follows") {
  const Streams streams = {{send(1, 3000, 0, 1), compute(10), wait_first}, {recv(0, 3000)}};
  CHECK(ends_of_run(streams) == Times{11, 11});
  CHECK(ends_of_run(streams, false) == Times{10, 1});
}

TEST_CASE("what a rank computes right before its wait delays what it sees there, too") {
  op::Operation computes_and_waits = wait_first;
  computes_and_waits.compute_s = 10;
  CHECK(ends_of_run({{send(1, 3000, 0, 1), computes_and_waits}, {recv(0, 3000)}}) == Times{11, 11});
  CHECK(ends_of_run({{send(1, 3000)}, {recv(0, 3000, 0, 1), computes_and_waits}}) == Times{11, 11});
}

TEST_CASE("an RTS that was seen in an earlier call is answered when the receive is posted") {
  // Rank 1 waits for rank 2 from 0 to 6. The RTS of rank 0, there at 1, has been seen by then.
  const std::vector<op::Operation> receiver = {recv(2, 8), recv(0, 3000, 0, 1), compute(10), wait_first};
  CHECK(ends_of_run({{send(1, 3000)}, receiver, {compute(5), send(1, 8)}}) == Times{7, 16, 5});
  // One that comes at 6.5 has not, and lies there until 16.
  CHECK(ends_of_run({{compute(5.5), send(1, 3000)}, receiver, {compute(5), send(1, 8)}}) == Times{17, 17, 5});
}

TEST_CASE("a test looks at what came, too") {
  Bench bench(
      {{send(1, 3000)},
       {recv(0, 3000, 0, 1), compute(3), on_requests(op::Kind::TestAll, first_request), compute(10), wait_first}});
  bench.config.node.progress = settings::Progress::InCalls;
  bench.config.poll_cost = {0.5};
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 4);
}

TEST_CASE("messages inside a node need nobody's attention") {
  Bench bench({{send(1, 3000)}, {recv(0, 3000, 0, 1), compute(10), wait_first}});
  bench.config.node.progress = settings::Progress::InCalls;
  bench.config.host_of_rank = {0, 0};
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 1);
}

TEST_CASE("a rank that ends leaves no RTS unseen") {
  CHECK(ends_of_run({{send(1, 1500), recv(1, 8)},
                     {recv(0, 1500, 0, 1), on_requests(op::Kind::RequestFree, first_request), compute(2),
                      send(0, 8)}}) == Times{3, 2});
}

}  // namespace
}  // namespace orrery::kernel
