// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "solver_draw.hpp"

/// The systems of bench_solver in SimGrid, through its public interface; built by compare_solver.py with the headers
/// and the library that it is told of: `solver_peer fat-tree|torus FLOWS SIDE [PATTERN]`.
///
/// Rates alone: no latency, no cross-traffic, no window, so that both simulators share links in the same way.
namespace s4u = simgrid::s4u;

namespace {

constexpr double rate = 1.25e8;

std::vector<s4u::Host*> hosts;
double last_s = 0, sum_s = 0;
std::uint64_t instants = 0;

std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*> add_host(
    s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
  s4u::Host* host = zone->create_host("n" + std::to_string(id), 1e9)->seal();
  hosts.push_back(host);
  return {host->get_netpoint(), nullptr};
}

void make(const std::string& shape, unsigned side) {
  const auto duplex = s4u::Link::SharingPolicy::SPLITDUPLEX;
  const s4u::ClusterCallbacks callbacks(add_host);
  s4u::NetZone* zone = nullptr;
  if (shape == "fat-tree")
    zone = s4u::create_fatTree_zone("c", nullptr, {3, {side, side, side}, {1, side, side}, {1, 1, 1}}, callbacks, rate,
                                    0, duplex);
  else
    zone = s4u::create_torus_zone("c", nullptr, {side, side, side}, callbacks, rate, 0, duplex);
  zone->seal();
}

void send_all(std::uint32_t flows, std::uint32_t side, const std::string& pattern) {
  Draw draw;
  const auto count = static_cast<std::uint32_t>(hosts.size());
  std::vector<s4u::CommPtr> comms;
  for (std::uint32_t id = 0; id < flows; ++id) {
    const auto [from, to] = draw_pair(pattern, id, side, count, draw);
    const std::uint64_t bytes = 1000000 + draw.below(1000000);
    comms.push_back(s4u::Comm::sendto_async(hosts[from], hosts[to], bytes));
  }
  for (const auto& comm : comms) comm->wait();
}

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  if (argc < 4) return std::fprintf(stderr, "usage: solver_peer fat-tree|torus FLOWS SIDE [PATTERN]\n"), 2;
  engine.set_config("network/model:CM02");
  engine.set_config("network/crosstraffic:0");
  engine.set_config("network/TCP-gamma:0");
  engine.set_config("network/weight-S:0");
  engine.set_config("network/bandwidth-factor:1");
  engine.set_config("network/latency-factor:1");
  const auto side = static_cast<unsigned>(std::atoi(argv[3]));
  make(argv[1], side);
  const auto flows = static_cast<std::uint32_t>(std::atoi(argv[2]));
  s4u::Activity::on_completion_cb([](const s4u::Activity& comm) { sum_s += comm.get_finish_time(); });
  s4u::Engine::on_time_advance_cb([](double) { ++instants; });
  s4u::Actor::create("sender", hosts[0], send_all, flows, side, std::string(argc > 4 ? argv[4] : "random"));
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  last_s = s4u::Engine::get_clock();
  std::printf("{\"flows\": %u, \"instants\": %lu, \"wall_s\": %.6g, \"last_s\": %.12g, \"mean_s\": %.12g}\n", flows,
              static_cast<unsigned long>(instants), wall_s, last_s, sum_s / flows);
}
