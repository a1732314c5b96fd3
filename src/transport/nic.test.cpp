// SPDX-License-Identifier: BSD-3-Clause
#include "catch.hpp"
#include "network/example.test.hpp"
#include "transport/transport.hpp"

using namespace orrery;
using namespace orrery::transport;
using namespace orrery::network::example;

namespace {

/// Routes take 2 s and carry 100 B/s; limiters do not limit. Messages of 100 bytes and more are rendezvous.
std::unique_ptr<Transport> nodes_with(const settings::Nic& nic) {
  const platform::Platform platform = star(4, 1, 2);
  const settings::Network regimes{.between_nodes = {{.end_bytes = 100}, {.protocol = network::Protocol::Synchronous}},
                                  .inside_node = {{}}};
  return behind_nics(make_transport(std::make_unique<network::Hybrid>(platform, regimes, 0), {}), platform, nic);
}

std::map<TransferId, double> ends_with(const settings::Nic& nic, const std::vector<Message>& messages) {
  const auto nodes = nodes_with(nic);
  return Run(*nodes, messages).end_s;
}

TEST_CASE("a message that is alone takes as long as without a NIC") {
  for (const std::int64_t bytes : {0, 10, 200}) {
    const double alone_s = 2 + static_cast<double>(bytes) / 100;
    CHECK(ends_with({}, {{0, 0, 1, bytes}})[0] == Approx(alone_s));
    CHECK(ends_with({.send_s = 0.25, .recv_s = 0.5}, {{0, 0, 1, bytes}})[0] == Approx(alone_s));
  }
}

TEST_CASE("messages of a node leave it one after the other, wherever they go") {
  // The second one waits 0.25 s, the third one 0.5 s.
  auto end_s = ends_with({.send_s = 0.25}, {{0, 0, 1, 0}, {0, 0, 2, 0}, {0, 0, 3, 0}, {1, 0, 1, 0}});
  CHECK(end_s[0] == Approx(2));
  CHECK(end_s[1] == Approx(2.25));
  CHECK(end_s[2] == Approx(2.5));
  CHECK(end_s[3] == Approx(3));  // the NIC is free again at 0.75 s
}

TEST_CASE("messages to a node are handled one after the other, wherever they come from") {
  auto end_s = ends_with({.recv_s = 0.5}, {{0, 1, 0, 0}, {0, 2, 0, 0}, {0.25, 3, 0, 0}});
  CHECK(end_s[0] == Approx(2));
  CHECK(end_s[1] == Approx(2.5));
  CHECK(end_s[2] == Approx(3));
}

TEST_CASE("both directions share the NIC") {
  // The message to node 0 comes to its NIC at 1.5 s. The one from node 0 occupies that from 1.25 s to 2.25 s, so the
  // first is handed over at 2.75 s. The NICs of nodes 1 and 2 have nothing else to do.
  auto end_s = ends_with({.send_s = 1, .recv_s = 0.5}, {{0, 1, 0, 0}, {1.25, 0, 2, 0}});
  CHECK(end_s[0] == Approx(2.75));
  CHECK(end_s[1] == Approx(3.25));
}

TEST_CASE("messages inside a node do not come to its NIC") {
  auto end_s = ends_with({.send_s = 1, .recv_s = 1}, {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}});
  CHECK(end_s[0] == Approx(0.5));
  CHECK(end_s[1] == Approx(0.5));
  CHECK(end_s[2] == Approx(2));
}

TEST_CASE("a rendezvous comes to the NIC when its data leave") {
  // Posted at 0 s and received at 1 s: until 3 s on the way, besides 2 s for 200 bytes. The short message that leaves
  // at 1 s is second.
  auto end_s = ends_with({.send_s = 0.25}, {{0, 0, 1, 200, 1}, {1, 0, 2, 0}});
  CHECK(end_s[0] == Approx(5));
  CHECK(end_s[1] == Approx(3.25));
}

TEST_CASE("where the latency is shorter than what the NIC of the receiver takes, a message takes that") {
  CHECK(ends_with({.recv_s = 3}, {{0, 0, 1, 0}})[0] == Approx(3));
}

TEST_CASE("messages that end at one instant are given together, in the order of their starts") {
  const auto nodes = nodes_with({.recv_s = 0.5});
  const Run run(*nodes, {{0, 0, 3, 0}, {0, 1, 2, 0}, {0, 2, 1, 0}, {0, 1, 0, 0}});
  CHECK(run.order == std::vector<TransferId>{0, 1, 2, 3});
  CHECK(run.handed_over == std::vector<std::size_t>{4});
}

TEST_CASE("a NIC that takes no time leaves all as it is, to the last bit") {
  const std::vector<Message> messages = {
      {0, 0, 1, 10}, {0, 0, 2, 300}, {0.1, 3, 1, 70}, {0.1, 1, 1, 50}, {0.3, 2, 1, 99}};
  const auto nodes = nodes_with({});
  const settings::Network regimes{.between_nodes = {{.end_bytes = 100}, {.protocol = network::Protocol::Synchronous}},
                                  .inside_node = {{}}};
  const Run with(*nodes, messages), without(*network::make_hybrid(star(4, 1, 2), regimes), messages);
  CHECK(with.end_s == without.end_s);
  CHECK(with.order == without.order);
}

}  // namespace
