// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "platform/platform.hpp"
#include "sharing/flow_engine.hpp"
#include "solver_draw.hpp"

/// What a flow's start and end cost among many others: `bench_solver SHAPE FLOWS [SIDE [PATTERN [record | ERROR...]]]`.
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
///
/// With errors of sharing (sharing/accuracy.hpp), what each costs and by what part of its end each flow is off, beside
/// exact sharing.
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

bool is_all_to_all(std::string_view pattern) { return pattern == "all-to-all" || pattern == "together"; }

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

struct Solved {
  std::vector<double> ends_s;
  std::size_t instants = 0;
  double hops = 4, wall_s = 0;
};

/// @param load where it is recorded what links carry; null: nowhere
Solved solve(const Platform& platform, std::string_view pattern, std::uint32_t flows, std::uint32_t side,
             const sharing::Accuracy& accuracy, sharing::LinkLoad* load = nullptr) {
  sharing::FlowEngine engine(platform, 0, accuracy);
  if (load != nullptr) engine.record(*load);
  const auto begin = std::chrono::steady_clock::now();
  Solved solved;
  if (is_all_to_all(pattern))
    flows = start_all_to_all(engine, platform, pattern == "together");
  else
    solved.hops = start_all(engine, platform, pattern, flows, side);
  solved.ends_s.resize(flows);
  std::vector<sharing::TransferId> ended;
  for (auto now = engine.next_event(); now; now = engine.next_event(), ++solved.instants) {
    ended.clear();
    engine.advance(*now, ended);
    for (const auto flow : ended) solved.ends_s[flow] = now->s;
  }
  solved.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return solved;
}

/// By what part of their ends flows are off: the mean, what 99 of 100 are within, the most; and the last end.
void print_errors(const char* error, const Solved& solved, const Solved& exact) {
  std::vector<double> off(exact.ends_s.size());
  std::ranges::transform(solved.ends_s, exact.ends_s, off.begin(),
                         [](double end, double expected) { return std::abs(end / expected - 1); });
  std::ranges::sort(off);
  const double sum = std::accumulate(off.begin(), off.end(), 0.0), last = std::ranges::max(solved.ends_s);
  std::printf(
      "{\"error\": %s, \"instants\": %zu, \"wall_s\": %.6g, \"times_as_fast\": %.3g, \"off_mean\": %.2g, "
      "\"off_99\": %.2g, \"off_most\": %.2g, \"off_last\": %.2g}\n",
      error, solved.instants, solved.wall_s, exact.wall_s / solved.wall_s, sum / static_cast<double>(off.size()),
      off[off.size() * 99 / 100], off.back(), std::abs(last / std::ranges::max(exact.ends_s) - 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fprintf(
               stderr, "usage: bench_solver fat-tree|torus|cabinets|star FLOWS [SIDE [PATTERN [record | ERROR...]]]\n"),
           2;
  const auto flows = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const std::string_view pattern = argc > 4 ? argv[4] : "random";
  const auto side = is_all_to_all(pattern) ? flows : argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : 15;
  const Platform platform = make(argv[1], side);
  sharing::LinkLoad load(platform.link_count());
  const bool records = argc > 5 && std::string_view(argv[5]) == "record";
  const Solved exact = solve(platform, pattern, flows, side, {}, records ? &load : nullptr);
  const double sum_s = std::accumulate(exact.ends_s.begin(), exact.ends_s.end(), 0.0);
  std::printf(
      "{\"flows\": %zu, \"hops\": %.3g, \"links\": %u, \"instants\": %zu, \"wall_s\": %.6g, \"last_s\": %.12g, "
      "\"mean_s\": %.12g}\n",
      exact.ends_s.size(), exact.hops, platform.link_count(), exact.instants, exact.wall_s,
      std::ranges::max(exact.ends_s), sum_s / static_cast<double>(exact.ends_s.size()));
  for (int i = 5; i < argc && !records; ++i)
    print_errors(argv[i], solve(platform, pattern, flows, side, sharing::Accuracy::of(std::atof(argv[i]))), exact);
}
