// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "platform/platform.hpp"
#include "sharing/flow_engine.hpp"
#include "solver_draw.hpp"

/// What a flow's start and end cost among many others: `bench_solver SHAPE FLOWS [SIDE [PATTERN [record]]]`.
///
/// All flows start at once, between pairs of nodes drawn at random or by another PATTERN (solver_draw.hpp), with sizes
/// drawn between 1 and 2 MB, and end one by one: so each end but few is solved for alone. SHAPE: fat-tree (three
/// levels, SIDE nodes to a leaf and as many cables upwards, SIDE³ nodes), torus (SIDE³ nodes, SIDE odd, so that there
/// is one shortest way round) or cabinets (four of SIDE nodes, limiters, uplinks of ten nodes). No latency: other
/// simulators weigh flows by it.
///
/// SHAPE star: SIDE nodes at one switch, limiters. PATTERN all-to-all: FLOWS counts nodes, each of which sends 1 KiB to
/// every other one, a microsecond apart. Nodes begin up to 50 us late, so that no two flows start or end at one
/// instant; with PATTERN together they begin at once. With a last word `record`, it is recorded what links carry.
namespace {

using namespace orrery;
using namespace orrery::platform;

constexpr double rate = 1.25e8;

settings::Cluster cluster(std::uint32_t nodes) {
  return {.name = "c",
          .prefix = "n",
          .nodes = nodes,
          .cores = 1,
          .bandwidth_bytes_per_s = rate,
          .memory_bandwidth_bytes_per_s = rate};
}

settings::Cluster fat_tree(std::uint32_t side) {
  const settings::FatTreeLevel level{.down = side, .up = side, .bandwidth_bytes_per_s = rate};
  settings::Cluster spec = cluster(side * side * side);
  spec.fat_tree = {.nodes_per_leaf = side, .levels = {level, level}};
  return spec;
}

settings::Cluster torus(std::uint32_t side) {
  settings::Cluster spec = cluster(side * side * side);
  spec.torus = {.sizes = {side, side, side}, .bandwidth_bytes_per_s = rate};
  spec.node_links = settings::NodeLinks::Unshared;
  return spec;
}

settings::Cluster cabinets(std::uint32_t side) {
  settings::Cluster spec = cluster(4 * side);
  spec.limiter_factor = 1.5;
  for (const char* name : {"a", "b", "c", "d"})
    spec.cabinets.push_back(
        {.name = name, .nodes = side, .uplink_bytes_per_s = rate * 10, .limiter_bytes_per_s = rate * 15});
  return spec;
}

settings::Cluster star(std::uint32_t nodes) {
  settings::Cluster spec = cluster(nodes);
  spec.limiter_factor = 1.5;
  return spec;
}

Platform make(std::string_view shape, std::uint32_t side) {
  if (shape == "fat-tree") return {"bench", {fat_tree(side)}, {}};
  if (shape == "torus") return {"bench", {torus(side)}, {}};
  if (shape == "star") return {"bench", {star(side)}, {}};
  return {"bench", {cabinets(side)}, {}};
}

/// Gives the mean length of the routes.
double start_all(sharing::FlowEngine& engine, const Platform& platform, std::string_view pattern, std::uint32_t flows,
                 std::uint32_t side) {
  std::size_t links = 0;
  Draw draw;
  Route route;
  const auto hosts = static_cast<std::uint32_t>(platform.hosts().size());
  for (std::uint32_t id = 0; id < flows; ++id) {
    const Pair pair = draw_pair(pattern, id, side, hosts, draw);
    const std::int64_t bytes = 1000000 + draw.below(1000000);
    platform.route(pair.from, pair.to, route);
    links += route.links.size();
    engine.start(id, {0}, {0}, static_cast<double>(bytes), route.links, route.bandwidth);
  }
  return static_cast<double>(links) / flows;
}

/// Gives the number of flows.
std::uint32_t start_all_to_all(sharing::FlowEngine& engine, const Platform& platform, bool together) {
  Draw draw;
  Route route;
  const auto hosts = static_cast<std::uint32_t>(platform.hosts().size());
  std::uint32_t id = 0;
  for (std::uint32_t from = 0; from < hosts; ++from) {
    const double late_s = together ? 0 : 50e-9 * draw.below(1000);
    for (std::uint32_t k = 1; k < hosts; ++k) {
      platform.route(from, (from + k) % hosts, route);
      engine.start(id++, {0}, {late_s + 1e-6 * k}, 1024, route.links, route.bandwidth);
    }
  }
  return id;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fprintf(stderr, "usage: bench_solver fat-tree|torus|cabinets|star FLOWS [SIDE [PATTERN [record]]]\n"),
           2;
  auto flows = static_cast<std::uint32_t>(std::atoi(argv[2]));
  auto side = argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : 15;
  const std::string_view pattern = argc > 4 ? argv[4] : "random";
  const bool together = pattern == "together";
  const bool all_to_all = together || pattern == "all-to-all";
  if (all_to_all) side = flows;
  const Platform platform = make(argv[1], side);
  sharing::FlowEngine engine(platform);
  sharing::LinkLoad load(platform.link_count());
  if (argc > 5 && std::string_view(argv[5]) == "record") engine.record(load);
  const auto begin = std::chrono::steady_clock::now();
  double hops = 4;
  if (all_to_all)
    flows = start_all_to_all(engine, platform, together);
  else
    hops = start_all(engine, platform, pattern, flows, side);
  std::vector<sharing::TransferId> ended;
  double last_s = 0, sum_s = 0;
  std::size_t instants = 0;
  for (auto now = engine.next_event(); now; now = engine.next_event(), ++instants) {
    const std::size_t before = ended.size();
    engine.advance(*now, ended);
    sum_s += now->s * static_cast<double>(ended.size() - before);
    last_s = now->s;
  }
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "{\"flows\": %u, \"hops\": %.3g, \"links\": %u, \"instants\": %zu, \"wall_s\": %.6g, \"last_s\": %.12g, "
      "\"mean_s\": %.12g}\n",
      flows, hops, platform.link_count(), instants, wall_s, last_s, sum_s / flows);
}
