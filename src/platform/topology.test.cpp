// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using platform::example::route_between;

namespace {

/// Node links of 100 B/s and 1 s, those of the topology of 50 B/s and 10 s.
settings::Cluster cluster(const char* name, std::optional<std::uint32_t> nodes = {}) {
  return {.name = name,
          .nodes = nodes,
          .cores = 1,
          .bandwidth_bytes_per_s = 100,
          .latency_s = 1,
          .memory_bandwidth_bytes_per_s = 1000};
}

settings::Cluster ring_of(std::uint32_t nodes, const char* name = "r") {
  settings::Cluster spec = cluster(name);
  spec.torus = {.sizes = {nodes}, .bandwidth_bytes_per_s = 50, .latency_s = 10};
  return spec;
}

settings::Cluster small_tree() {
  settings::Cluster spec = cluster("t");
  spec.fat_tree = {.nodes_per_leaf = 2, .levels = {{.down = 3, .up = 2, .bandwidth_bytes_per_s = 50, .latency_s = 10}}};
  return spec;
}

settings::Wan wan(const char* from, const char* to, double latency_s = 0) {
  return {.from_cluster = from, .to_cluster = to, .bandwidth_bytes_per_s = 10, .latency_s = latency_s};
}

std::string names_between(const Platform& platform, HostId from, HostId to) {
  std::string names;
  for (const LinkId id : route_between(platform, from, to).links)
    names += (names.empty() ? "" : " ") + platform.link(id).name;
  return names;
}

/// Every route leads from host to host, limiters aside, without a link that comes twice.
bool all_lead(const Platform& platform) {
  for (HostId from = 0; from < platform.hosts().size(); ++from)
    for (HostId to = 0; to < platform.hosts().size(); ++to) {
      VertexId at = from;
      std::set<LinkId> crossed;
      for (const LinkId id : route_between(platform, from, to).links) {
        const Link link = platform.link(id);
        if (!crossed.insert(id).second) return false;
        if (!link.from) continue;
        if (*link.from != at) return false;
        at = *link.to;
      }
      if (at != to || crossed.size() > platform.longest_route()) return false;
    }
  return true;
}

}  // namespace

TEST_CASE("a route crosses the nodes' own links and those between switches") {
  const Platform platform("p", {ring_of(5)}, {});
  CHECK(names_between(platform, 0, 2) == "r-1/up r/(0)-(1) r/(1)-(2) r-3/down");
  CHECK(route_between(platform, 0, 2).latency.s == 22);
  CHECK(route_between(platform, 0, 2).bandwidth.bytes_per_s == 50);
  CHECK(platform.link_count() == 10 + 5 * 3);
  CHECK(all_lead(platform));
}

TEST_CASE("links say where they begin and end, in cabinets, too") {
  settings::Cluster cabinets = cluster("c", 2);
  cabinets.limiter_factor = 1.5;
  cabinets.backbone_bytes_per_s = 70;
  cabinets.cabinets = {
      {.name = "all", .nodes = 2},
      {.name = "far", .nodes = 2, .uplink_bytes_per_s = 60, .limiter_bytes_per_s = 80, .latency_s = 2}};
  const Platform platform("p", {cabinets, ring_of(3), small_tree()}, {wan("c", "r"), wan("r", "t")});
  CHECK(platform.switch_count() == 2 + 3 + 5);
  CHECK(platform.vertex_name(13) == "c");
  CHECK(platform.vertex_name(14) == "c/far");
  CHECK(platform.vertex_name(15) == "r/(0)");
  CHECK(platform.vertex_name(22) == "t/level1.1");
}

TEST_CASE("routes between clusters leave and enter at the fabrics' gateways") {
  const Platform platform("p", {ring_of(4), small_tree()}, {wan("r", "t", 1000)});
  CHECK(names_between(platform, 1, 4) == "r-2/up r/(1)-(0) wan0/r-t t/level1.0-level0.0 t-1/down");
  CHECK(route_between(platform, 1, 4).latency.s == 1 + 10 + 1000 + 10 + 1);
  for (HostId to = 0; to < 10; ++to) CHECK(route_between(platform, 2, to).links.size() <= platform.longest_route());
}

TEST_CASE("leaves of a fat-tree and groups of a dragonfly count as cabinets") {
  settings::Cluster fly = cluster("d");
  fly.dragonfly = {.groups = 2,
                   .routers_per_chassis = 1,
                   .nodes_per_router = 3,
                   .between_groups = settings::Cable{.bandwidth_bytes_per_s = 50, .latency_s = 10}};
  const Platform platform("p", {small_tree(), fly}, {wan("t", "d")});
  CHECK(platform.cabinet_count() == 3 + 2);
  CHECK(platform.cabinet_of(3) == 1);
  CHECK(platform.cabinet_of(9) == 4);
  CHECK(platform.cluster_of(9) == 1);
}

TEST_CASE("two rails are shared by pairs of nodes, or striped over") {
  settings::Cluster spec = cluster("s", 16);
  spec.rails = 2;
  spec.limiter_factor = 1.5;
  const Platform by_pair("p", {spec}, {});
  CHECK(by_pair.link_count() == 16 * (1 + 2 * 3));
  CHECK(all_lead(by_pair));
  std::map<std::string, int> uses;
  for (HostId to = 1; to < 16; ++to) {
    const Route r = route_between(by_pair, 0, to);
    CHECK(r.bandwidth.bytes_per_s == 100);
    ++uses[by_pair.link(r.links.front()).name];
  }
  CHECK(uses.size() == 2);
  CHECK(uses["s-1/up1"] >= 4);  // of 15; a fixed draw
  CHECK(uses["s-1/up2"] >= 4);

  spec.rail_use = settings::RailUse::Striped;
  const Platform striped("p", {spec}, {});
  CHECK(striped.link_count() == 16 * 4);
  CHECK(route_between(striped, 0, 1).bandwidth.bytes_per_s == 200);
}

TEST_CASE("planes of rails do not meet, and all lead") {
  settings::Cluster spec = small_tree();
  const Platform single("p", {spec}, {});
  spec.rails = 2;
  spec.rail_planes = true;
  const Platform two("p", {spec}, {});
  CHECK(two.switch_count() == 2 * single.switch_count());
  CHECK(two.link_count() == 2 * single.link_count() - 6);  // each node has one memory
  CHECK(all_lead(two));
  std::map<std::string, int> uses;
  for (HostId from = 0; from < 6; ++from)
    for (HostId to = 0; to < 6; ++to) {
      if (from / 2 == to / 2) continue;
      const std::string way = names_between(two, from, to);
      const std::string rail = way.substr(way.find("/up") + 3, 1);
      CHECK(way.find(rail == "1" ? "/down1" : "/down2") != std::string::npos);
      CHECK(way.find(rail == "1" ? "t/plane1/level" : "t/plane2/level") != std::string::npos);
      CHECK(way.find(rail == "1" ? "t/plane2" : "t/plane1") == std::string::npos);
      ++uses[rail];
    }
  CHECK(uses["1"] >= 6);  // of 24; a fixed draw
  CHECK(uses["2"] >= 6);
  std::set<std::string> switches;
  for (VertexId vertex = 6; vertex < 6 + two.switch_count(); ++vertex) switches.insert(two.vertex_name(vertex));
  CHECK(switches.size() == two.switch_count());
  CHECK(switches.count("t/plane2/level0.0") == 1);
}

TEST_CASE("a message that is striped over planes takes as many cables everywhere") {
  settings::Cluster spec = small_tree();
  spec.rails = 3;
  spec.rail_use = settings::RailUse::Striped;
  CHECK(route_between(Platform("p", {spec}, {}), 0, 5).bandwidth.bytes_per_s == 50);  // planes that rails share
  spec.rail_planes = true;
  const Platform platform("p", {spec}, {});
  CHECK(route_between(platform, 0, 5).bandwidth.bytes_per_s == 150);
  CHECK(platform.link(route_between(platform, 0, 5).links[1]).bandwidth.bytes_per_s == 150);
  CHECK(all_lead(platform));
}

TEST_CASE("what leaves a cluster takes its first plane") {
  settings::Cluster tree = small_tree(), ring = ring_of(4);
  for (settings::Cluster* spec : {&tree, &ring}) {
    spec->rails = 2;
    spec->rail_planes = true;
  }
  settings::Cluster railed = ring_of(4, "s");
  railed.rails = 2;
  const Platform platform("p", {tree, ring, railed}, {wan("t", "r"), wan("r", "s")});
  for (HostId to = 0; to < 14; ++to) CHECK(route_between(platform, 2, to).links.size() <= platform.longest_route());
  for (HostId to = 6; to < 14; ++to)
    CHECK(names_between(platform, 2, to).starts_with("t-3/up1 t/plane1/level0.1-level1.0 wan0/t-r"));
  for (HostId to = 0; to < 6; ++to) CHECK(names_between(platform, 12, to).find("plane2") == std::string::npos);
}

TEST_CASE("planes need a fabric") {
  settings::Cluster spec = cluster("s", 4);
  spec.rail_planes = true;
  spec.rails = 2;
  CHECK_THROWS_WITH(
      Platform("p", {spec}, {}),
      "cluster \"s\": rail_planes are of a fat-tree, torus or dragonfly; behind one switch rails do not meet "
      "anyway");
}

TEST_CASE("node links that are not shared bound each flow alone") {
  settings::Cluster spec = cluster("s", 2);
  spec.node_links = settings::NodeLinks::Unshared;
  const Platform platform("p", {spec}, {});
  for (const Link& link : platform.links()) CHECK(link.shared == (link.kind == LinkKind::Memory));
  CHECK(route_between(platform, 0, 1).bandwidth.bytes_per_s == 100);
}

TEST_CASE("hosts of a graph have their own names, cores and speeds, and share a link once") {
  settings::Cluster spec = cluster("g");
  const settings::GraphLink bus{
      .name = "bus", .bandwidth_bytes_per_s = 100, .latency_s = 1, .sharing = settings::Sharing::Shared};
  const settings::GraphLink fat{
      .name = "fat", .bandwidth_bytes_per_s = 1000, .latency_s = 5, .sharing = settings::Sharing::Unshared};
  spec.graph = {.nodes = {{.name = "alpha", .cores = 2}, {.name = "beta", .speed = 3}},
                .switches = {"sw"},
                .links = {bus, fat},
                .edges = {{.between = {"alpha", "sw"}, .links = {"bus"}},
                          {.between = {"sw", "beta"}, .links = {"bus", "fat"}, .one_way = true},
                          {.between = {"beta", "sw"}, .links = {"bus"}, .one_way = true}}};
  const Platform platform("p", {spec}, {});
  CHECK(platform.hosts()[0].cores == 2);
  CHECK(platform.hosts()[0].speed == 1);
  CHECK(platform.hosts()[1].cores == 1);
  CHECK(platform.hosts()[1].speed == 3);
  CHECK(names_between(platform, 0, 1) == "g/bus g/fat");
  CHECK(route_between(platform, 0, 1).latency.s == 1 + 1 + 5);  // crossed twice, paid twice
  CHECK_FALSE(platform.link(1).shared);
  CHECK(names_between(platform, 1, 1) == "beta/memory");
}

TEST_CASE("nodes that a graph joins by nothing are as near as one is to itself") {
  settings::Cluster spec = cluster("g");
  spec.graph = {.nodes = {{.name = "a"}, {.name = "b"}}, .edges = {{.between = {"a", "b"}}}};
  CHECK(names_between(Platform("p", {spec}, {}), 0, 1) == "a/memory");
}

TEST_CASE("a fabric and cabinets exclude each other, and so do two fabrics") {
  settings::Cluster spec = ring_of(3);
  spec.backbone_bytes_per_s = 10;
  CHECK_THROWS_AS(Platform("p", {spec}, {}), InputError);
  spec = ring_of(3);
  spec.cabinets.push_back({.name = "more", .nodes = 1});
  CHECK_THROWS_AS(Platform("p", {spec}, {}), InputError);
  spec = ring_of(3);
  spec.fat_tree = small_tree().fat_tree;
  CHECK_THROWS_AS(Platform("p", {spec}, {}), InputError);
  spec = ring_of(3);
  spec.nodes = 4;
  CHECK_THROWS_WITH(Platform("p", {spec}, {}), "cluster \"r\", torus: has room for 3 nodes, not for 4; make it larger");
}

TEST_CASE("a hundred thousand nodes of a fat-tree and of a torus need no tables") {
  const settings::FatTreeLevel level{.down = 48, .up = 48, .bandwidth_bytes_per_s = 50};
  settings::Cluster large = cluster("t"), cube = cluster("t");
  large.fat_tree = {.nodes_per_leaf = 48, .levels = {level, level}};
  cube.torus = {.sizes = {47, 47, 47}, .bandwidth_bytes_per_s = 50};
  const Platform tree("p", {large}, {}), torus("p", {cube}, {});
  CHECK(route_between(tree, 0, 48 * 48 * 48 - 1).links.size() == 6);
  CHECK(torus.longest_route() == 2 + 3 * 23);
}
