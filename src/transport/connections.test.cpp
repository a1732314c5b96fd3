// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "catch.hpp"
#include "network/example.test.hpp"
#include "transport/transport.hpp"

using namespace orrery;
using namespace orrery::transport;
using namespace orrery::network::example;
using network::Protocol;

namespace {

/// Eager up to 1000 B, 1.5 s one way; then a rendezvous: RTS 1.65 s, CTS 1.5 s, data 1.85 s after its last byte. Links
/// of 100 B/s.
struct Parameters {
  settings::Network network{.between_nodes = {{.end_bytes = 1001, .latency_factor = 0.75},
                                              {.protocol = Protocol::Synchronous, .latency_factor = 2.5}},
                            .inside_node = {{}}};
  settings::Connections connections;
  double idle_wake_s = 0;
  std::uint64_t seed = 0;
};

Parameters parameters() { return {}; }

std::unique_ptr<Transport> model(const Parameters& changed = parameters(), std::uint32_t nodes = 4) {
  return make_transport(std::make_unique<network::Hybrid>(star(nodes, 1, 2), changed.network, changed.seed),
                        {.connections = changed.connections}, {changed.idle_wake_s});
}

}  // namespace

TEST_CASE("a lone message takes as long on a connection as without") {
  CHECK(Run(*model(), {{0, 0, 1, 500}}).end_s[0] == Approx(1.5 + 5));
  CHECK(Run(*model(), {{0, 0, 1, 2000}}).end_s[0] == Approx(5 + 20));
}

TEST_CASE("messages of a pair follow each other and do not share") {
  Run run(*model(), {{0, 0, 1, 500}, {1, 0, 1, 500}});
  CHECK(run.end_s[0] == Approx(5 + 1.5));
  CHECK(run.end_s[1] == Approx(10 + 1.5));  // their ways overlap, their bytes do not
}

TEST_CASE("messages of different pairs share") {
  Run run(*model(), {{0, 0, 1, 500}, {0, 0, 2, 500}});
  CHECK(run.end_s[0] == Approx(10 + 1.5));
  CHECK(run.end_s[1] == Approx(10 + 1.5));
}

TEST_CASE("messages that fit into the queue of their node leave it one after the other") {
  Parameters queued = parameters();
  queued.connections.queue = settings::Queue{.depth_bytes = 500};
  Run run(*model(queued), {{0, 0, 1, 500}, {0, 0, 2, 500}, {0, 0, 3, 500}});
  for (TransferId id = 0; id < 3; ++id) CHECK(run.end_s[id] == Approx(5 * (id + 1) + 1.5));
}

TEST_CASE("a last frame that is not full goes behind what its node wrote meanwhile") {
  Parameters framed = parameters();
  framed.connections.queue = settings::Queue{.depth_bytes = 1000};
  framed.network.framing.frames = settings::Frames{.payload_bytes = 100};
  // The first finds the link idle and is out at 2.5. The full frames of the others follow, and then their last ones.
  Run run(*model(framed), {{0, 0, 1, 250}, {0, 0, 2, 250}, {0, 0, 3, 250}});
  CHECK(run.end_s[0] == Approx(2.5 + 1.5));
  CHECK(run.end_s[1] == Approx(2.5 + 2 + 2 + 0.5 + 1.5));
  CHECK(run.end_s[2] == Approx(2.5 + 2 + 2 + 1 + 1.5));
  // One that is written after the full frames of the second have left goes before the last frames.
  Run later(*model(framed), {{0, 0, 1, 250}, {0, 0, 2, 250}, {0, 0, 3, 250}, {5, 0, 1, 50}});
  CHECK(later.end_s[3] == Approx(2.5 + 2 + 2 + 0.5 + 0.5 + 1.5));
  CHECK(later.end_s[2] == Approx(2.5 + 2 + 2 + 0.5 + 0.5 + 0.5 + 1.5));
  // Full frames alone keep nothing back.
  Run full(*model(framed), {{0, 0, 1, 200}, {0, 0, 2, 200}, {0, 0, 3, 200}});
  for (TransferId id = 0; id < 3; ++id) CHECK(full.end_s[id] == Approx(2 * (id + 1) + 1.5));
}

TEST_CASE("a rendezvous whose receive is posted late takes longer by the wait of its RTS that was announced") {
  Parameters plain = parameters();
  const auto end_s = [&](double delay_s) {
    const auto network = model(plain);
    network->start({.id = 0,
                    .from = 0,
                    .to = 1,
                    .bytes = {2000},
                    .protocol = Protocol::Synchronous,
                    .send_posted = {},
                    .receive_posted = {1},
                    .rts_delay = {delay_s}},
                   {1});
    std::vector<TransferId> ended;
    double end = 0;
    while (ended.empty()) network->advance({end = network->next_event()->s}, ended);
    return end;
  };
  CHECK(end_s(0) == Approx(5 + 20));
  CHECK(end_s(3.5) == Approx(5 + 20 + 3.5));
}

TEST_CASE("a small message does not wait for others of its node that wait further on") {
  Parameters queued = parameters();
  queued.connections.queue = settings::Queue{.depth_bytes = 500};
  Run run(*model(queued), {{0, 0, 2, 500}, {0, 1, 2, 500}, {0, 0, 3, 500}});
  // Two share the link into node 2, where the second finds the first and begins slower. The third begins when the first
  // could have left node 0, at 5, not when it is there.
  CHECK(std::max(run.end_s[0], run.end_s[1]) == Approx(10 + 1.5));
  CHECK(std::min(run.end_s[0], run.end_s[1]) > 10);
  CHECK(run.end_s[2] == Approx(5 + 5 + 1.5));  // what is left of the first stands behind the switch
}

TEST_CASE("a small message does not stand behind a large one that its node wrote after it") {
  Parameters queued = parameters();
  queued.connections.queue = settings::Queue{.depth_bytes = 500};
  // The second waits for the first, which shares the link of node 0 with the large one until 10, and then does so
  // itself, for 2 s at most. Behind the 500 B that the large one has in the queue it would be 4 s later.
  Run run(*model(queued), {{0, 0, 1, 500}, {0, 0, 2, 100}, {0, 0, 3, 1000}});
  CHECK(run.end_s[1] <= 10 + 2 + 1.5);
  Run late(*model(queued), {{0, 0, 3, 1000}, {0, 0, 2, 100}});
  CHECK(late.end_s[1] > 1 + 4 + 1.5);
}

TEST_CASE("an exchange is at full duplex when both CTS are written before data") {
  Run run(*model(), {{0, 0, 1, 2000}, {0, 1, 0, 2000}});
  CHECK(run.end_s[0] == Approx(5 + 20));
  CHECK(run.end_s[1] == Approx(5 + 20));
}

TEST_CASE("an exchange goes one direction after the other when a CTS waits for data") {
  // The CTS of 0 → 1 is written at 1.65, and its data is sent from 3.15 to 23.15. The CTS of 1 → 0 is written at 3
  // + 1.65, so it leaves at 23.15; it arrives 1.5 later, and the data is there 20 + 1.85 after that.
  Run run(*model(), {{0, 0, 1, 2000}, {3, 1, 0, 2000}});
  CHECK(run.end_s[0] == Approx(5 + 20));
  CHECK(run.end_s[1] == Approx(23.15 + 1.5 + 20 + 1.85));
}

TEST_CASE("an RTS waits behind the data on its connection") {
  // The first is sent from 3.15 to 23.15. The RTS of the second leaves then, not at 5; its CTS at 23.15 + 1.65.
  Run run(*model(), {{0, 0, 1, 2000}, {5, 0, 1, 2000}});
  CHECK(run.end_s[0] == Approx(5 + 20));
  CHECK(run.end_s[1] == Approx(23.15 + 5 + 20));
  // `rts_delay` assumes that the rates stay as they are.
  const auto network = model();
  std::vector<TransferId> ended;
  network->start({.id = 0, .from = 0, .to = 1, .bytes = {500}, .protocol = Protocol::Asynchronous}, {0});
  network->advance(*network->next_event(), ended);
  CHECK(network->rts_delay(0, 1, {0}).s == Approx(5));
  CHECK(network->rts_delay(1, 0, {0}).s == 0);
}

TEST_CASE("two messages each way go one after the other where one RTS came early") {
  // Both RTS of 0 → 1 were written at 0 and 12, 1 posts all receives and its own first at 10, before it has seen
  // anything else: it writes the CTS of the first at once. All that follows waits behind data, one direction after the
  // other.
  Run run(*model(), {{0, 0, 1, 2000, 10}, {10, 1, 0, 2000}, {12, 0, 1, 2000}, {34, 1, 0, 2000}});
  CHECK(run.end_s[0] == Approx(11.5 + 20 + 1.85));
  CHECK(run.end_s[1] == Approx(31.5 + 1.5 + 20 + 1.85));
  CHECK(run.end_s[2] == Approx(53 + 1.5 + 20 + 1.85));
  CHECK(run.end_s[3] == Approx(74.5 + 1.5 + 20 + 1.85));
}

TEST_CASE("in a ring of three no CTS waits") {
  Run run(*model(), {{0, 0, 1, 2000}, {3.5, 1, 2, 2000}, {7, 2, 0, 2000}});
  CHECK(run.end_s[2] == Approx(7 + 5 + 20));
}

TEST_CASE("a CTS waits behind the queue of a flow to another node") {
  Parameters queued = parameters();
  queued.connections.queue = settings::Queue{.depth_bytes = 300};
  // 1 → 2 is sent from 3.15 on. The CTS of 0 → 1 leaves 1 at 8 + 1.65, behind 300 B of it, and arrives 3 s later. The
  // link into node 1 is free, so the data takes its 20 s.
  Run run(*model(queued), {{0, 1, 2, 2000}, {8, 0, 1, 2000}});
  CHECK(run.end_s[0] == Approx(5 + 20));
  CHECK(run.end_s[1] == Approx(8 + 5 + 3 + 20));
}

TEST_CASE("a CTS that leaves directly behind data of its connection has waited with it") {
  Parameters queued = parameters();
  queued.connections.queue = settings::Queue{.depth_bytes = 300};
  // 1 → 0 and 1 → 2 share their node's link from 3.15 on, until the first has been sent at 43.15. The CTS of 0 → 1
  // follows.
  Run run(*model(queued), {{0, 1, 0, 2000}, {0, 1, 2, 4000}, {3, 0, 1, 2000}});
  CHECK(run.end_s[1] == Approx(5 + 60));
  CHECK(run.end_s[2] == Approx(43.15 + 1.5 + 20 + 1.85));
}

TEST_CASE("the FIN of a message waits behind data, while its sender has gone on") {
  // The sender goes on when it has the ACK, half of 1.85 s after the last byte was sent. It
  // has written its next message by then.
  Run run(*model(), {{0, 0, 1, 2000}, {0, 0, 1, 2000}});
  CHECK(run.release_s[0] == Approx(23.15 + 0.925));
  CHECK(run.end_s[0] == Approx(43.15 + 0.925));
  CHECK(run.end_s[1] == Approx(43.15 + 1.85));
}

TEST_CASE("an ACK waits for the data that goes the other way") {
  Run run(*model(), {{0, 0, 1, 2000}, {0, 1, 0, 4000}});
  CHECK(run.release_s[0] == Approx(43.15 + 0.925));
  CHECK(run.end_s[0] == Approx(45));
  CHECK(run.end_s[1] == Approx(45));
}

TEST_CASE("acknowledgements of what a node receives slow what it sends to others") {
  Parameters acknowledged = parameters();
  acknowledged.connections.ack_fraction = 0.1;
  Run ring(*model(acknowledged), {{0, 0, 1, 2000}, {0, 1, 2, 2000}, {0, 2, 0, 2000}});
  for (TransferId id = 0; id < 3; ++id) CHECK(ring.end_s[id] == Approx(5 + 22));
  Run pair(*model(acknowledged), {{0, 0, 1, 2000}, {0, 1, 0, 2000}});  // travel with the data
  for (TransferId id = 0; id < 2; ++id) CHECK(pair.end_s[id] == Approx(5 + 20));
}

TEST_CASE("a link lets a burst pass at once") {
  Parameters bursts = parameters();
  bursts.network.burst_bytes = 400;
  Run run(*model(bursts), {{0, 0, 1, 300}, {0, 0, 2, 300}});
  CHECK(run.end_s[0] == Approx(1.5));      // within the burst
  CHECK(run.end_s[1] == Approx(1.5 + 2));  // 100 B are left of it, 200 B at 100 B/s
}

TEST_CASE("the way to ranks that share processors is without the waking of an idle one, which is theirs") {
  Parameters shared = parameters();
  shared.idle_wake_s = 1;
  CHECK(model(parameters())->cost(0, 1, {500}).latency.s == 1.5);
  CHECK(model(shared)->cost(0, 1, {500}).latency.s == 0.5);
  Run waking(*model(parameters()), {{0, 0, 1, 500}});
  Run apart(*model(shared), {{0, 0, 1, 500}});
  CHECK(apart.end_s[0] == Approx(waking.end_s[0] - 1));
  CHECK(model(parameters())->cost(0, 1, {2000}).latency.s == Approx(1.65));  // an RTS
  CHECK(model(shared)->cost(0, 1, {2000}).latency.s == Approx(0.65));
  shared.idle_wake_s = 9;
  CHECK(model(shared)->cost(0, 1, {500}).latency.s == 0);
}

TEST_CASE("noise makes messages longer, by the draws of its seed") {
  Parameters noisy = parameters();
  noisy.network.rate_noise = 0.1;
  noisy.seed = 3;
  const auto end_s = [&] { return Run(*model(noisy), {{0, 0, 1, 500}}).end_s[0]; };
  const double first_s = end_s();
  CHECK(first_s > 1.5 + 5);
  CHECK(end_s() == first_s);
  noisy.seed = 4;
  CHECK(end_s() != first_s);
}
