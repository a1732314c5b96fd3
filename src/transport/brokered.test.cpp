// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "catch.hpp"
#include "network/example.test.hpp"
#include "platform/example.test.hpp"
#include "transport/desk.hpp"
#include "transport/transport.hpp"

using namespace orrery;
using namespace orrery::transport;
using network::Protocol;
using platform::Technique;
using settings::Connectivity;

namespace {

struct Grid {
  Connectivity connectivity = Connectivity::Outbound;  ///< of the second cluster
  Connectivity of_first = Connectivity::Open;
  std::optional<settings::Frontal> frontal = {};  ///< of the second cluster
  settings::Broker broker = {.cluster = "a"};
  double wan_bytes_per_s = 1000;
};

/// Nodes 0, 1 and 2, 3 in two clusters: 100 B/s and 1 s each way, 10 s between the clusters.
platform::Platform platform_of(const Grid& grid) {
  using platform::example::two_nodes;
  std::vector<settings::Cluster> clusters{two_nodes("a", grid.of_first), two_nodes("b", grid.connectivity)};
  clusters[1].frontal = grid.frontal;
  return {"grid",
          clusters,
          {{.from_cluster = "a", .to_cluster = "b", .bandwidth_bytes_per_s = grid.wan_bytes_per_s, .latency_s = 10}},
          grid.broker};
}

std::unique_ptr<Transport> model_of(const Grid& grid) {
  const auto platform = platform_of(grid);
  const settings::Network regimes{.between_nodes = {{.end_bytes = 501}, {.protocol = Protocol::Synchronous}},
                                  .inside_node = {{}}};
  return brokered(make_transport(std::make_unique<network::Hybrid>(platform, regimes, 0), {}), platform);
}

struct BrokeredMessage {
  double posted_s;
  platform::HostId from, to;
  std::int64_t bytes;
  double started_s = -1;  ///< of a rendezvous whose receive is posted later
};

/// Posts and starts messages between ranks that have the numbers of their nodes.
std::map<TransferId, double> brokered_ends(Transport& model, const std::vector<BrokeredMessage>& messages) {
  std::map<TransferId, double> end_s;
  const auto advance_to = [&](double until_s) {
    std::vector<TransferId> ended;
    for (auto next = model.next_event(); next && next->s <= until_s; next = model.next_event()) {
      model.advance(*next, ended);
      for (const TransferId id : ended) end_s.try_emplace(id, next->s);
    }
  };
  for (TransferId id = 0; id < messages.size(); ++id) {
    const BrokeredMessage& m = messages[id];
    const SimTime posted{m.posted_s}, started{m.started_s < 0 ? m.posted_s : m.started_s};
    const auto from = static_cast<std::int32_t>(m.from), to = static_cast<std::int32_t>(m.to);
    static_cast<void>(model.connect({id, m.from, m.to, from, to}, posted));
    advance_to(started.s);
    static_cast<void>(model.start({.id = id,
                                   .from = m.from,
                                   .to = m.to,
                                   .bytes = {m.bytes},
                                   .protocol = model.cost(m.from, m.to, {m.bytes}).protocol,
                                   .send_posted = posted,
                                   .receive_posted = started,
                                   .from_rank = from,
                                   .to_rank = to},
                                  started));
  }
  advance_to(1e300);
  return end_s;
}

std::uint64_t count(const Transport& model, Technique technique) {
  return model.connected().by_technique[static_cast<std::size_t>(technique)];
}

/// A question to the broker, which stands at the gateway of the first cluster: 1 s, and 10 s more from the second one.
constexpr double near_s = 1, far_s = 11, way_s = 12;

}  // namespace

TEST_CASE("the first message of two ranks pays for their connection, later ones of either direction do not") {
  const auto model = model_of({.connectivity = Connectivity::Open});
  auto end_s = brokered_ends(*model, {{0, 0, 2, 100}, {100, 0, 2, 100}, {200, 2, 0, 100}, {300, 1, 2, 100}});
  const double setup = near_s + near_s + 2 * way_s;
  CHECK(end_s[0] == Approx(setup + way_s + 1));
  CHECK(end_s[1] == Approx(100 + way_s + 1));
  CHECK(end_s[2] == Approx(200 + way_s + 1));
  CHECK(end_s[3] == Approx(300 + setup + way_s + 1));  // another pair
  CHECK(count(*model, Technique::Direct) == 2);
  CHECK(model->connected().waited.s == Approx(2 * setup));
}

TEST_CASE("the first message of an outbound cluster is direct, the first one to it is reverse") {
  const auto out = model_of({}), in = model_of({});
  CHECK(brokered_ends(*out, {{0, 2, 0, 100}})[0] == Approx(far_s + far_s + 2 * way_s + way_s + 1));
  CHECK(count(*out, Technique::Direct) == 1);
  CHECK(brokered_ends(*in, {{0, 0, 2, 100}})[0] == Approx(near_s + far_s + 3 * way_s + way_s + 1));
  CHECK(count(*in, Technique::Reverse) == 1);
}

TEST_CASE("a message that is posted while the connection is made waits for it, and overtakes nothing") {
  const auto model = model_of({.connectivity = Connectivity::Open});
  auto end_s = brokered_ends(*model, {{0, 0, 2, 100}, {20, 0, 2, 0}});
  CHECK(end_s[1] == Approx(26 + way_s));
  CHECK(model->connected().waited.s == Approx(26 + 6));
  CHECK(count(*model, Technique::Direct) == 1);
}

TEST_CASE("an envelope arrives as much later as its connection takes") {
  const auto model = model_of({.connectivity = Connectivity::Open});
  CHECK(model->connect({.id = 0, .from = 0, .to = 2, .from_rank = 0, .to_rank = 1}, {5}).s == Approx(26));
  CHECK(model->connect({.id = 1, .from = 2, .to = 0, .from_rank = 1, .to_rank = 0}, {20}).s == Approx(11));
  CHECK(model->connect({.id = 2, .from = 0, .to = 2, .from_rank = 0, .to_rank = 1}, {40}).s == 0);
  CHECK(model->connect({.id = 3, .from = 0, .to = 1, .from_rank = 0, .to_rank = 2}, {0}).s == 0);
}

TEST_CASE("a broker that keeps no connections makes one for each message") {
  const auto model =
      model_of({.connectivity = Connectivity::Open, .broker = {.cluster = "a", .keeps_connections = false}});
  auto end_s = brokered_ends(*model, {{0, 0, 2, 100}, {100, 0, 2, 100}});
  CHECK(end_s[1] == Approx(100 + 26 + way_s + 1));
  CHECK(count(*model, Technique::Direct) == 2);
}

TEST_CASE("a connection that is made before its receive is posted delays a rendezvous no more") {
  const Grid open{.connectivity = Connectivity::Open};
  // 26 s for the connection, which begins with the send.
  CHECK(brokered_ends(*model_of(open), {{0, 0, 2, 1000}})[0] == Approx(26 + way_s + 10));
  CHECK(brokered_ends(*model_of(open), {{0, 0, 2, 1000, 20}})[0] == Approx(26 + way_s + 10));
  CHECK(brokered_ends(*model_of(open), {{0, 0, 2, 1000, 30}})[0] == Approx(30 + way_s + 10));
}

TEST_CASE("the broker answers one question after the other") {
  const Grid busy{.connectivity = Connectivity::Open, .broker = {.cluster = "a", .answer_s = 5}};
  auto end_s = brokered_ends(*model_of(busy), {{0, 0, 2, 0}, {0, 1, 3, 0}, {0, 2, 1, 0}});
  CHECK(end_s[0] == Approx(26 + 5 + way_s));
  CHECK(end_s[1] == Approx(26 + 10 + way_s));
  // Its question comes at 11 s, when the two others have been answered.
  CHECK(end_s[2] == Approx(far_s + 5 + far_s + 2 * way_s + way_s));
}

TEST_CASE("a desk serves in the first gap after the arrival that is long enough") {
  Desk desk;
  CHECK(desk.serve({10}, {2}).s == 12);
  CHECK(desk.serve({0}, {2}).s == 2);   // announced later, there before
  CHECK(desk.serve({9}, {2}).s == 14);  // not before 10
  CHECK(desk.serve({1}, {3}).s == 5);   // from 2 on
  CHECK(desk.serve({1}, {5}).s == 10);  // the gap from 5 to 10
  CHECK(desk.serve({3}, {1}).s == 15);  // no gap is left
  CHECK(desk.serve({3}, {0}).s == 3);
}

TEST_CASE("messages within a cluster need no connection") {
  const auto model = model_of({});
  CHECK(brokered_ends(*model, {{0, 0, 1, 100}})[0] == Approx(2 + 1));
  CHECK(model->connected().by_technique == Connected{}.by_technique);
}

TEST_CASE("relayed messages cross the frontal, which stores them, and share its rate") {
  const settings::Frontal frontal{
      .relay_bytes_per_s = 40, .bandwidth_bytes_per_s = 200, .latency_s = 2, .handling_s = 0.5};
  const Grid relayed{.connectivity = Connectivity::Nat, .of_first = Connectivity::Outbound, .frontal = frontal};
  // To the broker 1 s, from it to the second cluster 10 + 4.5 + 1 s. Then 2 x 13 s to the relay, or 2 x 3 s from it.
  const double setup = near_s + (near_s + 26), way = 16.5;
  const auto model = model_of(relayed);
  // 80 B: stored at 100 B/s, and the flow has 40 B/s.
  CHECK(brokered_ends(*model, {{0, 0, 2, 80}})[0] == Approx(setup + way + 0.8 + 2));
  CHECK(count(*model, Technique::Relay) == 1);
  CHECK(model->connected().relayed_messages == 1);
  CHECK(model->connected().relayed.count == 80);
  // Two pairs of nodes, which have no other link in common but the wide-area link of 1000 B/s, have 20 B/s each.
  auto both = brokered_ends(*model_of(relayed), {{0, 0, 2, 80}, {0, 1, 3, 80}});
  CHECK(both[0] == Approx(setup + way + 0.8 + 4));
  CHECK(both[1] == Approx(setup + way + 0.8 + 4));
  // One against the other, too: the relay has one rate for both directions.
  auto across = brokered_ends(*model_of(relayed), {{100, 0, 2, 0}, {100, 3, 1, 0}, {200, 0, 2, 80}, {200, 3, 1, 80}});
  CHECK(across[2] == Approx(200 + way + 0.8 + 4));
  CHECK(across[3] == Approx(200 + way + 0.8 + 4));
}

TEST_CASE("a relay that passes on what is in its buffer stores no more than that") {
  const settings::Frontal frontal{.relay_bytes_per_s = 40, .bandwidth_bytes_per_s = 200, .buffer_bytes = 20};
  const Grid relayed{.connectivity = Connectivity::Nat, .of_first = Connectivity::Nat, .frontal = frontal};
  const auto model = model_of(relayed);
  auto end_s = brokered_ends(*model, {{0, 0, 2, 0}, {200, 0, 2, 80}, {300, 0, 2, 10}});
  CHECK(end_s[1] == Approx(200 + way_s + 0.2 + 2));
  CHECK(end_s[2] == Approx(300 + way_s + 0.1 + 0.25));
}
