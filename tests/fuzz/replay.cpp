// SPDX-License-Identifier: BSD-3-Clause
/// Whole replays of traces of Orrery's own format: what can be read is simulated until no rank can go on.
#include <memory>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "input.hpp"
#include "kernel/kernel.hpp"
#include "replay/trace_source.hpp"

namespace {

using namespace orrery;

constexpr std::uint32_t most_ranks = 8;  ///< more cost time in proportion, and say nothing new

platform::Platform two_nodes() {
  settings::Cluster cluster;
  cluster.name = cluster.prefix = "node";
  cluster.nodes = 2;
  cluster.cores = most_ranks;
  cluster.bandwidth_bytes_per_s = cluster.memory_bandwidth_bytes_per_s = 1e9;
  cluster.latency_s = cluster.memory_latency_s = 1e-6;
  return platform::Platform("fuzz", {cluster}, {});
}

void replay_all(const std::string& path) {
  auto file = std::make_shared<const trace::File>(path);
  if (file->streams() > most_ranks) return;
  replay::TraceSource source(file, {});
  if (source.comms() > 1u << 16) return;
  const platform::Platform platform = two_nodes();
  const auto transport = transport::make_transport(network::make_fluid(platform));
  const auto selector = collective::make_selector();
  kernel::Config config;
  for (std::uint32_t rank = 0; rank < source.capacity(); ++rank) config.host_of_rank.push_back(rank % 2);
  config.compute_factor.assign(source.capacity(), 1);
  config.initial_ranks = source.ranks();
  config.services = source.services();
  static_cast<void>(kernel::Simulation(config, *transport, *selector, source, source).run());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  try {
    replay_all(input.path());
  } catch (const InputError&) {
  }
  return 0;
}
