// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/link_load.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sharing/flow_engine.hpp"

using namespace orrery;
using namespace orrery::platform;
using namespace orrery::sharing;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

struct LoadFlow {
  double at_s;
  HostId from, to;
  double bytes;
};

/// Runs flows, in the order of their starts. Gives when each ends.
std::map<TransferId, double> run(FlowEngine& engine, const Platform& platform, const std::vector<LoadFlow>& flows) {
  std::map<TransferId, double> ends;
  Route route;
  std::vector<TransferId> ended;
  for (TransferId id = 0; id < flows.size(); ++id) {
    platform.route(flows[id].from, flows[id].to, route);
    engine.start(id, {0}, {flows[id].at_s}, flows[id].bytes, route.links, route.bandwidth);
  }
  for (auto now = engine.next_event(); now; now = engine.next_event()) {
    ended.clear();
    engine.advance(*now, ended);
    for (const TransferId id : ended) ends[id] = now->s;
  }
  return ends;
}

/// Bytes of each bucket, by the names of links.
using Loads = std::map<std::string, std::vector<double>>;

Loads loads(const Platform& platform, const LinkLoad& load) {
  Loads found;
  for (std::size_t row = 0; row < load.links().size(); ++row) {
    const auto bytes = load.bytes(row);
    found[platform.link(load.links()[row]).name] = {bytes.begin(), bytes.end()};
  }
  return found;
}

Loads recorded(const Platform& platform, const std::vector<LoadFlow>& flows, LinkLoad& load) {
  FlowEngine engine(platform);
  engine.record(load);
  run(engine, platform, flows);
  return loads(platform, load);
}

/// 100 B/s for each node, limiters of 150 B/s.
settings::Cluster cluster(std::uint32_t nodes) {
  return {.name = "c",
          .prefix = "n",
          .nodes = nodes,
          .cores = 1,
          .bandwidth_bytes_per_s = 100,
          .limiter_factor = 1.5,
          .memory_bandwidth_bytes_per_s = 1000};
}

Platform platform_of(settings::Cluster spec) { return {"p", {std::move(spec)}, {}}; }

double sum(const std::vector<double>& bytes) {
  double sum = 0;
  for (const double in_bucket : bytes) sum += in_bucket;
  return sum;
}

/// The sums over time are the sums of the bytes of the flows that cross each link.
void check_sums(const Platform& platform, const std::vector<LoadFlow>& flows, std::int64_t bucket_ns) {
  LinkLoad load(platform.link_count(), bucket_ns, 32);
  const Loads found = recorded(platform, flows, load);
  std::map<std::string, double> expected;
  Route route;
  for (const LoadFlow& flow : flows) {
    platform.route(flow.from, flow.to, route);
    for (const LinkId link : route.links) expected[platform.link(link).name] += flow.bytes;
  }
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, bytes] : expected) {
    INFO(name);
    CHECK(sum(found.at(name)) == Approx(bytes).epsilon(1e-12));
  }
}

/// Flows between all pairs of nodes, with sizes and starts that differ.
std::vector<LoadFlow> all_pairs(std::uint32_t nodes) {
  std::mt19937 draw(nodes);
  std::vector<LoadFlow> flows;
  for (HostId from = 0; from < nodes; ++from)
    for (HostId to = 0; to < nodes; ++to)
      flows.push_back({0.125 * static_cast<double>(draw() % 64), from, to, 1.0 + static_cast<double>(draw() % 1000)});
  return flows;
}

}  // namespace

TEST_CASE("a flow over two buckets adds to each what passed in it") {
  // 150 B at 100 B/s from 0.5 s on: 50 B until 1 s, then 100 B; it ends as the second bucket does.
  const Platform platform = platform_of(cluster(2));
  LinkLoad load(platform.link_count(), second_ns, 8);
  const Loads found = recorded(platform, {{0.5, 0, 1, 150}}, load);
  CHECK(load.bucket_ns() == second_ns);
  for (const char* name : {"n1/up", "n1/limiter", "n2/down", "n2/limiter"})
    CHECK(found.at(name) == std::vector<double>{50, 100, 0});
  CHECK(found.size() == 4);
}

TEST_CASE("buckets follow rates that change") {
  // Two flows leave one node at 50 B/s each. The first ends at 2 s; the second has 100 B left for 100 B/s.
  const Platform platform = platform_of(cluster(3));
  LinkLoad load(platform.link_count(), second_ns, 8);
  const Loads found = recorded(platform, {{0, 0, 1, 100}, {0, 0, 2, 200}}, load);
  CHECK(found.at("n1/up") == std::vector<double>{100, 100, 100, 0});
  CHECK(found.at("n2/down") == std::vector<double>{50, 50, 0, 0});
  CHECK(found.at("n3/down") == std::vector<double>{50, 50, 100, 0});
}

TEST_CASE("when time passes the last bucket, buckets are joined in pairs") {
  // 100 B at 100 B/s, five times, from 0, 2, 4, 6 and 8 s on: 4 buckets of 1 s become 4 of 4 s.
  const Platform platform = platform_of(cluster(2));
  LinkLoad load(platform.link_count(), second_ns, 4);
  const Loads found =
      recorded(platform, {{0, 0, 1, 100}, {2, 0, 1, 100}, {4, 0, 1, 100}, {6, 0, 1, 100}, {8, 0, 1, 100}}, load);
  CHECK(load.bucket_ns() == 4 * second_ns);
  CHECK(found.at("n1/up") == std::vector<double>{200, 200, 100});
}

TEST_CASE("a long silence costs no more buckets") {
  const Platform platform = platform_of(cluster(2));
  LinkLoad load(platform.link_count(), 1000, 256);
  const Loads found = recorded(platform, {{0, 0, 1, 100}, {1e6, 0, 1, 100}}, load);
  CHECK(load.buckets() <= 256);
  CHECK(load.bucket_ns() >= 1e15 / 256);
  CHECK(found.at("n1/up").front() == 100);
  CHECK(found.at("n1/up").back() == Approx(100));
}

TEST_CASE("what a link carried is the bytes of the flows that cross it, in every topology") {
  const settings::FatTreeLevel level{.down = 2, .up = 2, .parallel = 2, .bandwidth_bytes_per_s = 60};
  settings::Cluster cabinets = cluster(7), tree = cluster(8), torus = cluster(12);
  cabinets.backbone_bytes_per_s = 400;
  cabinets.cabinets = {{.name = "a", .nodes = 3, .uplink_bytes_per_s = 120, .limiter_bytes_per_s = 180},
                       {.name = "b", .nodes = 4, .uplink_bytes_per_s = 90}};
  tree.fat_tree = {.nodes_per_leaf = 2, .levels = {level, level}};
  torus.torus = {.sizes = {4, 3}, .bandwidth_bytes_per_s = 70};
  for (const std::int64_t bucket_ns : {second_ns / 1000, second_ns, 50 * second_ns})
    for (const settings::Cluster& spec : {cluster(7), cabinets, tree, torus})
      check_sums(platform_of(spec), all_pairs(*spec.nodes), bucket_ns);
}

TEST_CASE("no link carries more than its capacity in a bucket") {
  const Platform platform = platform_of(cluster(9));
  LinkLoad load(platform.link_count(), second_ns / 8, 1024);
  const Loads found = recorded(platform, all_pairs(9), load);
  for (LinkId id = 0; id < platform.link_count(); ++id) {
    const Link link = platform.link(id);
    const auto bytes = found.find(link.name);
    if (bytes == found.end()) continue;
    INFO(link.name);
    for (const double in_bucket : bytes->second) CHECK(in_bucket <= link.bandwidth.bytes_per_s / 8 * (1 + 1e-9));
  }
}

TEST_CASE("flows end at the same times to the last bit, recorded or not") {
  const Platform platform = platform_of(cluster(9));
  LinkLoad load(platform.link_count(), 1000);
  FlowEngine plain(platform), with(platform);
  with.record(load);
  CHECK(run(plain, platform, all_pairs(9)) == run(with, platform, all_pairs(9)));
}

TEST_CASE("what token buckets let pass at once counts") {
  // 60 B pass at 1.5 s, the rest of 140 B at 100 B/s.
  const Platform platform = platform_of(cluster(2));
  LinkLoad load(platform.link_count(), second_ns, 8);
  FlowEngine engine(platform, 60);
  engine.record(load);
  run(engine, platform, {{1.5, 0, 1, 200}});
  CHECK(loads(platform, load).at("n1/up") == std::vector<double>{0, 110, 90});
}

TEST_CASE("where many flows are under way for long, they are looked at less often") {
  // 3,000 flows for some 30,000 s: with all 4,096 buckets that would be 12 million looks.
  const std::vector<double> capacities{100};
  FlowEngine engine(capacities, 1);
  LinkLoad load(1, second_ns / 1000, 4096);
  engine.record(load);
  const std::vector<LinkId> links{0};
  for (TransferId id = 0; id < 3000; ++id) engine.start(id, {0}, {0}, 500 + id, links, {100});
  std::vector<TransferId> ended;
  for (auto now = engine.next_event(); now; now = engine.next_event()) engine.advance(*now, ended);
  CHECK(ended.size() == 3000);
  const auto bytes = load.bytes(0);
  CHECK(sum({bytes.begin(), bytes.end()}) == Approx(3000 * 500 + 3000 * 2999 / 2));
  CHECK(load.buckets() >= 16);
  const double full = 100e-9 * static_cast<double>(load.bucket_ns());
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) CHECK(bytes[i] == Approx(full));
}

TEST_CASE("a great many links have fewer buckets, and keep their bytes") {
  // 40,000 links of 256 buckets would be more than 2^23 numbers: the number of buckets halves.
  LinkLoad load(40000, second_ns, 256);
  for (LinkLoad::Link link = 0; link < 40000; ++link) {
    if (link == 20000) load.close(200);
    load.pass(std::span(&link, 1), 1 + link);
  }
  REQUIRE(load.links().size() == 40000);
  CHECK(load.bucket_ns() == 2 * second_ns);
  CHECK(load.buckets() == 101);
  for (std::size_t row = 0; row < load.links().size(); ++row) {
    const std::vector<double> bytes(load.bytes(row).begin(), load.bytes(row).end());
    REQUIRE((row < 20000 ? bytes.front() : bytes.back()) == 1.0 + load.links()[row]);
    REQUIRE(sum(bytes) == 1.0 + load.links()[row]);
  }
}
