// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "catch.hpp"
#include "network/example.test.hpp"
#include "network/network.hpp"

using namespace orrery;
using namespace orrery::network;
using namespace orrery::network::example;

namespace {

settings::Network hybrid_parameters() {
  return {
      .between_nodes = {{.end_bytes = 11,
                         .send_overhead_s = 0.1,
                         .send_overhead_s_per_byte = 0.01,
                         .recv_overhead_s = 0.2,
                         .recv_overhead_s_per_byte = 0.02,
                         .latency_factor = 1.5,
                         .bandwidth_factor = 0.5},
                        {.end_bytes = 101, .protocol = Protocol::Detached, .send_overhead_s = 0.3, .latency_factor = 2},
                        {.protocol = Protocol::Synchronous}},
      .inside_node = {{.send_overhead_s = 0.05, .latency_factor = 3, .bandwidth_factor = 0.1}}};
}

}  // namespace

TEST_CASE("hybrid charges the overheads of the message's regime") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  const Cost small = model->cost(0, 1, {10});
  CHECK(small.protocol == Protocol::Asynchronous);
  CHECK(small.send_overhead.s == Approx(0.2));  // 0.1 + 10 × 0.01
  CHECK(small.recv_overhead.s == Approx(0.4));  // 0.2 + 10 × 0.02
  CHECK(small.latency.s == Approx(3));          // 1.5 × (1 + 1)
  const Cost medium = model->cost(0, 1, {11});
  CHECK(medium.protocol == Protocol::Detached);
  CHECK(medium.send_overhead.s == 0.3);
  CHECK(medium.latency.s == 4);  // 2 × (1 + 1)
  CHECK(model->cost(0, 1, {101}).protocol == Protocol::Synchronous);
}

TEST_CASE("inside a node the memory regimes hold") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  CHECK(model->cost(1, 1, {500}).send_overhead.s == 0.05);
  CHECK(model->cost(1, 1, {500}).latency.s == 1.5);  // 3 × 0.5
  // 1.5 s latency, then 500 B at 0.1 × 1000 B/s.
  CHECK(Run(*model, {{0, 1, 1, 500}}).end_s[0] == Approx(6.5));
}

TEST_CASE("a transfer alone takes L + k/B") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  // 1.5 × 2 s, then 10 B at 0.5 × 100 B/s.
  CHECK(Run(*model, {{1, 0, 1, 10}}).end_s[0] == Approx(1 + 3.2));
}

TEST_CASE("what is added to the latency is the same on any route, and leaves it at nothing at least") {
  settings::Network added = hybrid_parameters();
  added.between_nodes[0].latency_s = 0.25;
  CHECK(make_hybrid(star(2), added)->cost(0, 1, {10}).latency.s == Approx(3.25));       // 1.5 × 2 s + 0.25 s
  CHECK(make_hybrid(star(2, 10), added)->cost(0, 1, {10}).latency.s == Approx(30.25));  // 1.5 × 20 s + 0.25 s
  added.between_nodes[0].latency_s = -5;
  CHECK(make_hybrid(star(2), added)->cost(0, 1, {10}).latency.s == 0);
}

TEST_CASE("a switch that stores and forwards sends a frame on when it is there") {
  const settings::Regime plain;
  const auto end_s = [&](std::int64_t bytes) {
    const auto model = make_hybrid(
        star(2, 1, 2), {.between_nodes = {plain},
                        .inside_node = {plain},
                        .framing = {.store_and_forward = true,
                                    .frames = settings::Frames{.payload_bytes = 40, .overhead_bytes = 10}}});
    return Run(*model, {{0, 0, 1, bytes}}).end_s[0];
  };
  // 2 s of latency. 20 + 10 B at 100 B/s on the one link, and again on the other.
  CHECK(end_s(20) == Approx(2 + 0.3 + 0.3));
  // Three frames of 50 B on the one link; on the other the last.
  CHECK(end_s(120) == Approx(2 + 1.5 + 0.5));
}

TEST_CASE("where one link is slower, frames wait for the others only") {
  const settings::Regime plain;
  const platform::Platform cabinets(
      "cabinets",
      {{.name = "c",
        .cores = 1,
        .bandwidth_bytes_per_s = 100,
        .memory_bandwidth_bytes_per_s = 1000,
        .cabinets = {{.name = "a", .nodes = 1, .uplink_bytes_per_s = 50, .limiter_bytes_per_s = 100},
                     {.name = "b", .nodes = 1, .uplink_bytes_per_s = 25}}}},
      {});
  const auto model = make_hybrid(
      cabinets,
      {.between_nodes = {plain},
       .inside_node = {plain},
       .framing = {.store_and_forward = true, .frames = settings::Frames{.payload_bytes = 90, .overhead_bytes = 10}}});
  // 10 frames of 100 B: 40 s at 25 B/s, and one frame at 100 (node up), 50 (cabinet up) and 100 B/s (node down).
  CHECK(Run(*model, {{0, 0, 1, 900}}).end_s[0] == Approx(40 + 1 + 2 + 1));
}

TEST_CASE("a TCP window bounds the rate on a long route") {
  settings::Network windowed = hybrid_parameters();
  windowed.tcp_window_bytes = 80;
  const auto model = make_hybrid(star(2), windowed);
  // 80 B per round trip of 2 × 2 s: 20 B/s; the route's latency counts, not that of the regime.
  CHECK(Run(*model, {{0, 0, 1, 10}}).end_s[0] == Approx(3.5));
  // On a route without latency it bounds nothing: 10 B at 50 B/s.
  const auto near = make_hybrid(star(2, 0), windowed);
  CHECK(Run(*near, {{0, 0, 1, 10}}).end_s[0] == Approx(0.2));
}

TEST_CASE("a bandwidth factor of the share slows messages that share a link as much as one alone") {
  settings::Network shared = hybrid_parameters();
  // Two messages of 10 B from one node have 50 B/s each, which is half of the route; half of that share is 25 B/s.
  const std::vector<Message> both{{0, 0, 1, 10}, {0, 0, 2, 10}};
  CHECK(Run(*make_hybrid(star(3), shared), both).end_s[1] == Approx(3 + 10 / 50.0));
  shared.bandwidth_factor_of = settings::FactorOf::Share;
  CHECK(Run(*make_hybrid(star(3), shared), both).end_s[1] == Approx(3 + 10 / 25.0));
  CHECK(Run(*make_hybrid(star(3), shared), {{1, 0, 1, 10}}).end_s[0] == Approx(1 + 3.2));  // alone: the same
}

TEST_CASE("two opposite messages share the limiters of their nodes") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  // 300 B each, 2 s latency, then 150 B/s for both: 75 B/s each for 4 s. (Bédaride and others 2013, 4.2)
  Run run(*model, {{0, 0, 1, 300}, {0, 1, 0, 300}});
  CHECK(run.end_s[0] == Approx(6));
  CHECK(run.end_s[1] == Approx(6));
}

TEST_CASE("small messages that cannot fill the limiter do not feel each other") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  // 0.5 × 100 B/s each way is below 150 B/s.
  Run run(*model, {{0, 0, 1, 10}, {0, 1, 0, 10}});
  CHECK(run.end_s[0] == Approx(3.2));
  CHECK(run.end_s[1] == Approx(3.2));
}

TEST_CASE("a rendezvous that begins when the envelope is there has the rest of its latency before it") {
  const auto model = make_hybrid(star(2), hybrid_parameters());
  std::vector<TransferId> ended;
  // 50 B: detached, 4 s, then 100 B/s. Posted at 0 and at 1 s; begins at 4 s, when 3 of the 4 s are over.
  static_cast<void>(model->start(
      {.from = 0, .to = 1, .bytes = {50}, .protocol = Protocol::Detached, .send_posted = {0}, .receive_posted = {1}},
      {4}));
  auto next = model->next_event();
  for (; ended.empty() && next; next = model->next_event()) {
    model->advance(*next, ended);
    if (!ended.empty()) CHECK(next->s == Approx(1 + 4 + 0.5));
  }
  CHECK(ended.size() == 1);
}

TEST_CASE("wrong parameters are refused") {
  settings::Network wrong = hybrid_parameters();
  wrong.tcp_window_bytes = -1;
  CHECK_THROWS_AS(make_hybrid(star(2), wrong), InputError);
  CHECK_THROWS_AS(make_hybrid(star(2), {}), InputError);
}

TEST_CASE("noise makes transfers longer, by the draws of its seed") {
  settings::Network noisy = hybrid_parameters();
  noisy.rate_noise = 0.1;
  const auto end_s = [&](std::uint64_t seed) {
    return Run(*make_hybrid(star(2), noisy, seed), {{0, 0, 1, 10}}).end_s[0];
  };
  CHECK(end_s(3) > 3.2);
  CHECK(end_s(3) == end_s(3));
  CHECK(end_s(3) != end_s(4));
}

TEST_CASE("links carry what messages are on the wire, and times are the same to the last bit") {
  settings::Network network = hybrid_parameters();
  network.framing = {.header_bytes = 10, .frames = settings::Frames{.payload_bytes = 100, .overhead_bytes = 20}};
  const auto platform = star(3);
  const std::vector<Message> messages{{0, 0, 1, 50}, {0, 0, 2, 290}, {0.5, 1, 1, 300}, {1, 2, 0, 1000}};
  sharing::LinkLoad load(platform.link_count());
  const auto plain = make_hybrid(platform, network), recorded = make_hybrid(platform, network);
  REQUIRE(recorded->record(load));
  const Run without(*plain, messages), with(*recorded, messages);
  CHECK(without.end_s == with.end_s);
  std::map<std::string, double> bytes;
  for (std::size_t row = 0; row < load.links().size(); ++row)
    for (const double in_bucket : load.bytes(row)) bytes[platform.link(load.links()[row]).name] += in_bucket;
  CHECK(bytes["n1/up"] == Approx(60 + 20 + 300 + 3 * 20));  // one frame, and three
  CHECK(bytes["n2/down"] == Approx(60 + 20));
  CHECK(bytes["n3/up"] == Approx(1010 + 11 * 20));
  CHECK(bytes["n2/memory"] == Approx(300));  // nothing is framed inside a node
  CHECK(bytes.count("n2/up") == 0);
}
