// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using platform::example::route_between;

namespace {

/// Two nodes "s1", "s2" behind one switch.
settings::Cluster star(double limiter_factor) {
  return {.name = "star",
          .prefix = "s",
          .nodes = 2,
          .cores = 4,
          .bandwidth_bytes_per_s = 100,
          .latency_s = 1,
          .limiter_factor = limiter_factor,
          .memory_bandwidth_bytes_per_s = 1000,
          .memory_latency_s = 0.5};
}

/// "t1", "t2" in one cabinet, "t3" in another, with a backbone between the cabinets.
settings::Cluster tree() {
  return {
      .name = "tree",
      .prefix = "t",
      .cores = 1,
      .speed = 2,
      .bandwidth_bytes_per_s = 100,
      .latency_s = 1,
      .limiter_factor = 1.5,
      .memory_bandwidth_bytes_per_s = 1000,
      .backbone_bytes_per_s = 400,
      .backbone_latency_s = 3,
      .cabinets = {{.name = "c1", .nodes = 2, .uplink_bytes_per_s = 200, .limiter_bytes_per_s = 300, .latency_s = 10},
                   {.name = "c2", .nodes = 1, .uplink_bytes_per_s = 50, .latency_s = 20}}};
}

std::vector<std::string> names_on(const Platform& platform, const Route& route) {
  std::vector<std::string> names;
  for (LinkId id : route.links) names.push_back(platform.link(id).name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("hosts are numbered through the clusters and know where they are") {
  const Platform platform(
      "p", {star(2), tree()},
      {{.from_cluster = "star", .to_cluster = "tree", .bandwidth_bytes_per_s = 10, .latency_s = 100}});
  REQUIRE(platform.hosts().size() == 5);
  CHECK(platform.hosts()[0].name == "s1");
  CHECK(platform.hosts()[0].cores == 4);
  CHECK(platform.hosts()[4].name == "t3");
  CHECK(platform.hosts()[4].speed == 2);
  CHECK(platform.cluster_of(1) == 0);
  CHECK(platform.cluster_of(2) == 1);
  CHECK(platform.cabinet_of(1) == 0);
  CHECK(platform.cabinet_of(3) == 1);
  CHECK(platform.cabinet_of(4) == 2);
}

TEST_CASE("a host reaches itself through its memory link") {
  const Platform platform("p", {star(1.5)}, {});
  const Route r = route_between(platform, 1, 1);
  CHECK(names_on(platform, r) == Names{"s2/memory"});
  CHECK(r.latency.s == 0.5);
  CHECK(r.bandwidth.bytes_per_s == 1000);
}

TEST_CASE("a flow crosses the limiters of both its nodes, and no limiter where both directions reach full speed") {
  const Platform limited("p", {star(1.5)}, {});
  CHECK(names_on(limited, route_between(limited, 0, 1)) == Names{"s1/up", "s1/limiter", "s2/limiter", "s2/down"});
  CHECK(route_between(limited, 0, 1).latency.s == 2);  // 1 up, 1 down, limiters carry none
  CHECK(route_between(limited, 0, 1).bandwidth.bytes_per_s == 100);
  CHECK(limited.longest_route() == 4);

  const Platform duplex("p", {star(2)}, {});
  CHECK(names_on(duplex, route_between(duplex, 1, 0)) == Names{"s2/up", "s1/down"});
  CHECK(duplex.link_count() == 6);  // up, down, memory for each of two nodes
}

TEST_CASE("nodes of one cabinet meet at its switch, those of two cabinets cross uplinks, limiters and backbone") {
  const Platform platform("p", {tree()}, {});
  CHECK(names_on(platform, route_between(platform, 0, 1)) == Names{"t1/up", "t1/limiter", "t2/limiter", "t2/down"});
  const Route far = route_between(platform, 0, 2);
  CHECK(names_on(platform, far) == Names{"t1/up", "t1/limiter", "tree/c1/up", "tree/c1/limiter", "tree/backbone",
                                         "tree/c2/down", "t3/limiter", "t3/down"});
  CHECK(far.latency.s == 35);  // 1 + 10 + 3 + 20 + 1
  CHECK(far.bandwidth.bytes_per_s == 50);
}

TEST_CASE("nodes of a cabinet without links of its own hang off the backbone") {
  settings::Cluster cluster = star(2);
  cluster.backbone_bytes_per_s = 60;
  cluster.backbone_latency_s = 5;
  const Platform platform("p", {cluster}, {});
  const Route r = route_between(platform, 0, 1);
  CHECK(names_on(platform, r) == Names{"s1/up", "star/backbone", "s2/down"});
  CHECK(r.latency.s == 7);
  CHECK(r.bandwidth.bytes_per_s == 60);
}

TEST_CASE("between clusters a flow crosses the wide-area link and its limiter, each direction its own") {
  const Platform platform("p", {star(2), tree()},
                          {{.from_cluster = "star",
                            .to_cluster = "tree",
                            .bandwidth_bytes_per_s = 10,
                            .latency_s = 100,
                            .limiter_factor = 1.2}});
  const Route out = route_between(platform, 0, 2);
  CHECK(names_on(platform, out) == Names{"s1/up", "wan0/star-tree", "wan0/limiter", "tree/backbone", "tree/c1/limiter",
                                         "tree/c1/down", "t1/limiter", "t1/down"});
  CHECK(out.latency.s == 115);  // 1 + 100 + 3 + 10 + 1
  CHECK(out.bandwidth.bytes_per_s == 10);
  CHECK(names_on(platform, route_between(platform, 2, 0)) == Names{"t1/up", "t1/limiter", "tree/c1/up",
                                                                   "tree/c1/limiter", "tree/backbone", "wan0/tree-star",
                                                                   "wan0/limiter", "s1/down"});
}

TEST_CASE("every link says what it is and what it can carry") {
  const Platform platform(
      "p", {star(1.5), tree()},
      {{.from_cluster = "star", .to_cluster = "tree", .bandwidth_bytes_per_s = 10, .limiter_factor = 1.2}});
  const std::vector<Link> links = platform.links();
  REQUIRE(links.size() == platform.link_count());
  // Trunks: backbone, 3 + 2 of the cabinets, 3 of the wide-area link; then 5 nodes with 4 links each.
  CHECK(links.size() == 9 + 20);
  for (const Link& link : links) {
    if (link.name == "s1/limiter") {
      CHECK(link.kind == LinkKind::NodeLimiter);
      CHECK(link.bandwidth.bytes_per_s == 150);  // 1.5 × 100
      CHECK(link.latency.s == 0);
    }
    if (link.name == "wan0/limiter") CHECK(link.bandwidth.bytes_per_s == 12);  // 1.2 × 10
    if (link.name == "t3/memory") CHECK(link.kind == LinkKind::Memory);
  }
}

TEST_CASE("no route is longer than the platform says") {
  const Platform platform(
      "p", {star(1.5), tree()},
      {{.from_cluster = "star", .to_cluster = "tree", .bandwidth_bytes_per_s = 10, .limiter_factor = 1.2}});
  std::size_t longest = 0;
  for (HostId from = 0; from < platform.hosts().size(); ++from)
    for (HostId to = 0; to < platform.hosts().size(); ++to)
      longest = std::max(longest, route_between(platform, from, to).links.size());
  CHECK(longest <= platform.longest_route());
}

TEST_CASE("a copy of a platform shares its state") {
  const Platform platform("p", {star(1.5)}, {});
  const Platform copy = platform;  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK(&copy.hosts() == &platform.hosts());
}

TEST_CASE("two clusters that give hosts the same name are refused") {
  settings::Cluster other = star(2);
  other.name = "other";
  CHECK_THROWS_WITH(
      Platform("p", {star(2), other}, {{.from_cluster = "star", .to_cluster = "other", .bandwidth_bytes_per_s = 1}}),
      "host \"s1\": two nodes have this name; change prefix or first of a cluster");
}

TEST_CASE("a wide-area link leads to a cluster that is there") {
  settings::Cluster other = star(2);
  other.name = other.prefix = "other";
  CHECK_THROWS_WITH(
      Platform("p", {star(2), other}, {{.from_cluster = "star", .to_cluster = "x", .bandwidth_bytes_per_s = 1}}),
      "there is no cluster \"x\"");
}

TEST_CASE("virtual machines of one host share its memory, reach each other through it, and others over its uplink") {
  settings::Cluster cluster = star(2);
  cluster.nodes = 3;
  cluster.bandwidth_bytes_per_s = 50;
  cluster.latency_s = 10;
  cluster.virtual_ = settings::Virtual{.per_host = 2, .bandwidth_bytes_per_s = 100, .latency_s = 1};
  const Platform platform("p", {cluster}, {});
  CHECK(names_on(platform, route_between(platform, 0, 0)) == Names{"s1/memory"});
  CHECK(names_on(platform, route_between(platform, 1, 1)) == Names{"s1/memory"});
  CHECK(names_on(platform, route_between(platform, 2, 2)) == Names{"s3/memory"});
  const Route inside = route_between(platform, 0, 1), outside = route_between(platform, 1, 2);
  CHECK(names_on(platform, inside) == Names{"s1/up", "s1/memory", "s2/down"});
  CHECK(inside.latency.s == 2.5);
  CHECK(inside.bandwidth.bytes_per_s == 100);
  CHECK(names_on(platform, outside) == Names{"s2/up", "star/host-1/up", "star/host-2/down", "s3/down"});
  CHECK(outside.latency.s == 22);
  CHECK(outside.bandwidth.bytes_per_s == 50);
}
