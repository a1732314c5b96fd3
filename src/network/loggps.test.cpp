// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "catch.hpp"
#include "network/example.test.hpp"
#include "network/network.hpp"

using namespace orrery;
using namespace orrery::network;
using namespace orrery::network::example;

namespace {

// L = 1, o = 0.1, O_s = 0.01, O_r = 0.02, g = 0.05, G = 0.03, s = 10, S = 100.
settings::LogGPS loggps_parameters() {
  settings::LogGPSSet set{.latency_s = 1,
                          .overhead_s = 0.1,
                          .send_overhead_s_per_byte = 0.01,
                          .recv_overhead_s_per_byte = 0.02,
                          .gap_s_per_byte_short = 0.05,
                          .gap_s_per_byte = 0.03,
                          .short_limit_bytes = 10,
                          .sync_threshold_bytes = 100};
  settings::LogGPSSet memory{.latency_s = 0.5, .overhead_s = 0.1, .gap_s_per_byte = 0.01, .sync_threshold_bytes = 100};
  return {.between_nodes = set, .inside_node = memory};
}

std::unique_ptr<NetworkModel> model() { return make_loggps(star(4), loggps_parameters()); }

}  // namespace

TEST_CASE("loggps charges o + k·O on both sides, and sends at once up to S") {
  const Cost cost = model()->cost(0, 1, {100});
  CHECK(cost.protocol == Protocol::Asynchronous);
  CHECK(cost.send_overhead.s == Approx(1.1));  // T1 = 0.1 + 100 × 0.01
  CHECK(cost.recv_overhead.s == Approx(2.1));  // T3 = 0.1 + 100 × 0.02
  CHECK(cost.latency.s == Approx(1.1));        // o + L
  CHECK(model()->cost(0, 1, {101}).protocol == Protocol::Synchronous);
}

TEST_CASE("a short message is there after T1 + L + k·g, a longer one pays G from s on") {
  CHECK(Run(*model(), {{0, 0, 1, 4}}).end_s[0] == Approx(1.34));  // 0.14 + 1 + 4 × 0.05
  CHECK(Run(*model(), {{0, 0, 1, 10}}).end_s[0] == Approx(1.7));  // 0.2 + 1 + 10 × 0.05
  CHECK(Run(*model(), {{0, 0, 1, 20}}).end_s[0] == Approx(2.1));  // 0.3 + 1 + 10 × 0.05 + 10 × 0.03
  CHECK(Run(*model(), {{2, 0, 1, 0}}).end_s[0] == Approx(3.1));   // 2 + 0.1 + 1
}

TEST_CASE("a rendezvous waits for the later of request and receive") {
  // k = 200: T1 = 2.1, gap = 0.5 + 190 × 0.03 = 6.2, T2 = 7.2, T5 = 2 × 0.1 + 1 = 1.2.
  // Receive at 5: T4 = max(1 + 0.1, 5) + 0.1 = 5.1; the sender goes on at 5.1 + 1.2 + 2.1, the data is there T2 later.
  Run late(*model(), {{0, 0, 1, 200, 5}});
  CHECK(late.release_s[0] == Approx(8.4));
  CHECK(late.end_s[0] == Approx(15.6));
  // Receive at 0: T4 = 1.1 + 0.1.
  Run early(*model(), {{0, 0, 1, 200, 0}});
  CHECK(early.release_s[0] == Approx(4.5));
  CHECK(early.end_s[0] == Approx(11.7));
  // The request costs its sender o; the rest is in the time at which it goes on.
  CHECK(model()->cost(0, 1, {200}).send_overhead.s == Approx(0.1));
}

TEST_CASE("a program can ask for a rendezvous below S") {
  // k = 20: T1 = 0.3, T2 = 1 + 0.8, T5 = 1.2; the request is there at 1.1, which costs the receiver 0.1.
  const auto loggps = model();
  const Transfer ssend{.id = 0,
                       .from = 0,
                       .to = 1,
                       .bytes = {20},
                       .protocol = Protocol::Synchronous,
                       .send_posted = {0},
                       .receive_posted = {0}};
  const auto release = loggps->start(ssend, {0});
  REQUIRE(release);
  CHECK(release->s == Approx(2.7));  // 1.1 + 0.1 + 1.2 + 0.3
  std::vector<TransferId> ended;
  double now_s = 0;
  while (ended.empty()) loggps->advance({now_s = loggps->next_event()->s}, ended);
  CHECK(now_s == Approx(4.5));
}

TEST_CASE("a sender's port takes one message at a time") {
  // Both have T1 = 0.3 and a gap of 0.8. The second reaches the port at 0.4, enters at 1.1, arrives L + gap later.
  Run run(*model(), {{0, 0, 1, 20}, {0.1, 0, 2, 20}});
  CHECK(run.end_s[0] == Approx(2.1));
  CHECK(run.end_s[1] == Approx(2.9));
}

TEST_CASE("a receiver's port takes one message at a time") {
  // First bytes come at 1.3 and 1.4; the second message enters at 2.1 and takes 0.8.
  Run run(*model(), {{0, 0, 2, 20}, {0.1, 1, 2, 20}});
  CHECK(run.end_s[0] == Approx(2.1));
  CHECK(run.end_s[1] == Approx(2.9));
}

TEST_CASE("both directions of a node and other nodes do not wait for each other") {
  Run run(*model(), {{0, 0, 1, 20}, {0, 1, 0, 20}, {0, 2, 3, 20}});
  for (TransferId id = 0; id < 3; ++id) CHECK(run.end_s[id] == Approx(2.1));
  CHECK(run.order == std::vector<TransferId>{0, 1, 2});
}

TEST_CASE("a rendezvous under way does not keep the port from a message that is ready first") {
  // The large one reaches the port at 1.2 + 1.2 + 2.1 = 4.5; the small one, posted at 0.5, has long gone.
  Run run(*model(), {{0, 0, 1, 200, 0}, {0.5, 0, 2, 20}});
  CHECK(run.end_s[1] == Approx(2.6));  // 0.5 + 0.3 + 1 + 0.8
  CHECK(run.end_s[0] == Approx(11.7));
}

TEST_CASE("inside a node the memory set holds, without ports") {
  // T1 = 0.1, T2 = 0.5 + 20 × 0.01, for both at once.
  Run run(*model(), {{0, 1, 1, 20}, {0, 1, 1, 20}});
  CHECK(run.end_s[0] == Approx(0.8));
  CHECK(run.end_s[1] == Approx(0.8));
}

TEST_CASE("negative parameters are refused") {
  settings::LogGPS wrong = loggps_parameters();
  wrong.between_nodes.latency_s = -1;
  CHECK_THROWS_WITH(make_loggps(star(2), wrong), "loggps.between_nodes.latency_s is -1, but must be at least 0");
  wrong = loggps_parameters();
  wrong.inside_node.sync_threshold_bytes = -1;
  CHECK_THROWS_AS(make_loggps(star(2), wrong), InputError);
}

TEST_CASE("loggps has no links that could be recorded") {
  sharing::LinkLoad load(1);
  CHECK(!model()->record(load));
}
