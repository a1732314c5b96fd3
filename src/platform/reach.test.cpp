// SPDX-License-Identifier: BSD-3-Clause
#include "platform/reach.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;

namespace {

const settings::Frontal frontal_spec{
    .relay_bytes_per_s = 40, .bandwidth_bytes_per_s = 100, .latency_s = 2, .handling_s = 0.5};

settings::Cluster connected_cluster(const std::string& name, settings::Connectivity connectivity,
                                    bool traversable = false, bool frontal = false) {
  settings::Cluster spec = example::two_nodes(name, connectivity);
  spec.traversable = traversable;
  if (frontal) spec.frontal = frontal_spec;
  return spec;
}

/// "a" and "b", 10 s and 50 B/s apart; the broker is 0.25 s behind the gateway of "a".
Platform grid(settings::Cluster a, settings::Cluster b) {
  return {"grid",
          {std::move(a), std::move(b)},
          {{.from_cluster = "a", .to_cluster = "b", .bandwidth_bytes_per_s = 50, .latency_s = 10}},
          settings::Broker{.cluster = "a", .latency_s = 0.25}};
}

constexpr HostId first_host = 0, second_host = 2;

using settings::Connectivity;
using enum settings::Connectivity;

}  // namespace

TEST_CASE("a node that accepts connections is connected to directly") {
  for (const Connectivity connectivity : {Open, Ports}) {
    const Platform platform = grid(connected_cluster("a", Nat), connected_cluster("b", connectivity));
    const Connection connection = platform.connection(first_host, second_host).value();
    CHECK(connection.technique == Technique::Direct);
    CHECK(connection.asks.s == 1.25);           // up, and the link of the broker
    CHECK(connection.then.s == 1.25 + 2 * 12);  // the answer, SYN and SYN-ACK
  }
}

TEST_CASE("a node that sends first and accepts connections is connected to by the other one") {
  const Platform platform = grid(connected_cluster("a", Open), connected_cluster("b", Outbound));
  const Connection connection = platform.connection(first_host, second_host).value();
  CHECK(connection.technique == Technique::Reverse);
  CHECK(connection.asks.s == 1.25);
  CHECK(connection.then.s == 11.25 + 3 * 12);  // 10 s further to the other node; SYN, SYN-ACK, ACK
  CHECK(platform.connection(second_host, first_host)->technique == Technique::Direct);
  CHECK(platform.connection(second_host, first_host)->asks.s == 11.25);
}

TEST_CASE("nodes that accept nothing traverse their firewalls where both let them") {
  const Platform platform = grid(connected_cluster("a", Nat, true), connected_cluster("b", Outbound, true));
  const Connection connection = platform.connection(first_host, second_host).value();
  CHECK(connection.technique == Technique::Traversing);
  CHECK(connection.then.s == 11.25 + 2 * 12);  // both are told, and connect at the same time
  CHECK_FALSE(connection.relay);
  Route route;
  platform.route(first_host, second_host, route);
  CHECK_FALSE(route.relayed);
}

TEST_CASE("otherwise they connect to a frontal, whose links and relay all their messages cross") {
  const Platform platform = grid(connected_cluster("a", Nat, true), connected_cluster("b", Outbound, false, true));
  const Connection connection = platform.connection(first_host, second_host).value();
  CHECK(connection.technique == Technique::Relay);
  CHECK(connection.relay == 1);
  CHECK(connection.asks.s == 1.25);
  // a: told 1.25 s later, then 2 x (1 + 10 + 2) s. b: its frontal passes the request on in 2 + 0.5 + 2 s; 2 x (2 + 1)
  // s.
  CHECK(connection.then.s == 1.25 + 26);
  CHECK(platform.connection(second_host, first_host)->asks.s == 15.75);

  Route route;
  platform.route(first_host, second_host, route);
  std::vector<std::string> names;
  for (const LinkId id : route.links) names.push_back(platform.link(id).name);
  CHECK(names ==
        std::vector<std::string>{"a1/up", "wan0/a-b", "b/frontal/in", "b/frontal/relay", "b/frontal/out", "b1/down"});
  CHECK(route.latency.s == 1 + 10 + 2 + 0.5 + 2 + 1);
  CHECK(route.bandwidth.bytes_per_s == 40);
  REQUIRE(route.relayed);
  CHECK(route.relayed->in.latency.s == 13);
  CHECK(route.relayed->in.bandwidth.bytes_per_s == 50);
  CHECK(route.relayed->out.latency.s == 3);
  CHECK(route.relayed->out.bandwidth.bytes_per_s == 100);
  CHECK(route.links.size() <= platform.longest_route());

  platform.route(second_host, first_host, route);
  CHECK(platform.link(route.links[1]).name == "b/frontal/in");
  CHECK(platform.link(route.links[4]).name == "wan0/b-a");
  platform.route(second_host, second_host + 1, route);
  CHECK_FALSE(route.relayed);
}

TEST_CASE("of two frontals the one with the higher rate relays") {
  settings::Cluster quick = connected_cluster("b", Nat, false, true);
  quick.frontal->relay_bytes_per_s = 80;
  CHECK(grid(connected_cluster("a", Nat, false, true), quick).connection(first_host, second_host)->relay == 1);
  quick.frontal->bandwidth_bytes_per_s = 30;
  CHECK(grid(connected_cluster("a", Nat, false, true), quick).connection(first_host, second_host)->relay == 0);
  CHECK(grid(connected_cluster("a", Nat, false, true), connected_cluster("b", Nat, false, true))
            .connection(second_host, first_host)
            ->relay == 0);
}

TEST_CASE("there are no connections within a cluster, or without a broker") {
  CHECK_FALSE(grid(connected_cluster("a", Open), connected_cluster("b", Open)).connection(0, 1));
  const Platform plain("p", {connected_cluster("a", Open), connected_cluster("b", Open)},
                       {{.from_cluster = "a", .to_cluster = "b", .bandwidth_bytes_per_s = 50, .latency_s = 10}});
  CHECK_FALSE(plain.connection(first_host, second_host));
}

TEST_CASE("what cannot be connected is refused") {
  CHECK_THROWS_AS(grid(connected_cluster("a", Nat), connected_cluster("b", Outbound)), InputError);
  CHECK_THROWS_AS(grid(connected_cluster("a", Nat, true), connected_cluster("b", Outbound)), InputError);
  CHECK_THROWS_WITH(Platform("p", {connected_cluster("a", Open)}, {}, settings::Broker{.cluster = "b"}),
                    "there is no cluster \"b\"");
}
