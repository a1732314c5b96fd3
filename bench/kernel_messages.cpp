// SPDX-License-Identifier: BSD-3-Clause
/// Messages per second of the kernel with one of the network models, without any process: rings, allreduces and
/// all-to-alls as streams made in memory. usage: bench_kernel [hybrid|loggps|fluid]
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>

#include "kernel/kernel.hpp"

using namespace orrery;

namespace {

/// Each rank does `calls` times what `fill` says.
class Repeated final : public op::Streams {
 public:
  using Fill = void (*)(int rank, int size, int step, op::Operation& operation);

  Repeated(int ranks, int steps, Fill fill) : at_(static_cast<std::size_t>(ranks)), steps_(steps), fill_(fill) {}

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    int& step = at_[static_cast<std::size_t>(index(rank))];
    if (step == steps_) return op::Pull::End;
    operation = {};
    fill_(index(rank), static_cast<int>(at_.size()), step++, operation);
    return op::Pull::Ready;
  }
  void wait(WorldRank) override {}
  void reply(WorldRank, const op::Reply&) override {}

 private:
  std::vector<int> at_;
  int steps_;
  Fill fill_;
};

class World final : public kernel::Groups {
 public:
  explicit World(int ranks) : members_(static_cast<std::size_t>(ranks)) {
    std::iota(members_.begin(), members_.end(), 0);
  }
  std::span<const std::int32_t> members(op::CommId) override { return members_; }
  void release(op::CommId) override {}

 private:
  std::vector<std::int32_t> members_;
};

constexpr op::RequestId both[] = {1, 2};

/// One MPI_Sendrecv round a ring is three operations.
void ring(int rank, int size, int step, op::Operation& operation) {
  operation.bytes = {8};
  operation.routine = 1;
  switch (step % 3) {
    case 0:
      operation.kind = op::Kind::Irecv;
      operation.peer = (rank + size - 1) % size;
      operation.request = 1;
      break;
    case 1:
      operation.kind = op::Kind::Isend;
      operation.peer = (rank + 1) % size;
      operation.request = 2;
      break;
    default: operation.kind = op::Kind::WaitAll; operation.requests = both;
  }
}

void allreduce(int, int, int step, op::Operation& operation) {
  operation.kind = op::Kind::Collective;
  operation.collective = op::CollectiveKind::Allreduce;
  operation.bytes = {8};
  operation.element = 8;
  operation.tag = step;
  operation.flags = op::Blocking | op::Commutative;
}

void alltoall(int, int, int step, op::Operation& operation) {
  allreduce(0, 0, step, operation);
  operation.collective = op::CollectiveKind::Alltoall;
  operation.bytes = {1024};
  operation.element = 1;
}

platform::Platform star(std::uint32_t nodes) {
  settings::Cluster cluster;
  cluster.name = "star";
  cluster.prefix = "node-";
  cluster.nodes = nodes;
  cluster.cores = 1;
  cluster.bandwidth_bytes_per_s = 125e6;
  cluster.latency_s = 24e-6;
  cluster.limiter_factor = 1.5;
  cluster.memory_bandwidth_bytes_per_s = 1e10;
  return platform::Platform("star", {cluster}, {});
}

std::unique_ptr<transport::Transport> model(const std::string& name, std::uint32_t nodes) {
  if (name == "fluid") return transport::make_transport(network::make_fluid(star(nodes)));
  if (name == "loggps") {
    settings::LogGPSSet set{
        .latency_s = 24e-6, .overhead_s = 1e-6, .gap_s_per_byte = 8e-9, .sync_threshold_bytes = 65536};
    return transport::make_transport(network::make_loggps(star(nodes), {set, set}));
  }
  settings::Regime small{.end_bytes = 65536, .send_overhead_s = 1e-6, .recv_overhead_s = 1e-6, .bandwidth_factor = 0.9};
  settings::Regime large = small;
  large.end_bytes.reset();
  large.protocol = network::Protocol::Synchronous;
  return transport::make_transport(
      network::make_hybrid(star(nodes), {.between_nodes = {small, large}, .inside_node = {small, large}}));
}

void measure(const char* what, const std::string& name, int ranks, int steps, Repeated::Fill fill,
             const char* fixed = "") {
  const auto transport = model(name, static_cast<std::uint32_t>(ranks));
  const auto selector = collective::make_selector("default", fixed);
  Repeated streams(ranks, steps, fill);
  World world(ranks);
  kernel::Config config;
  for (int rank = 0; rank < ranks; ++rank) config.host_of_rank.push_back(static_cast<platform::HostId>(rank));
  config.compute_factor.assign(static_cast<std::size_t>(ranks), 1);
  kernel::Simulation simulation(config, *transport, *selector, streams, world);
  const auto begin = std::chrono::steady_clock::now();
  simulation.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto messages = static_cast<double>(simulation.messages());
  std::printf("%-10s %5d ranks %9.0f messages %7.3f s %7.3f us/message %6.2f events/message  simulated %.9g s\n", what,
              ranks, messages, seconds, seconds / messages * 1e6, static_cast<double>(simulation.events()) / messages,
              simulation.now().s);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "hybrid";
  for (const int ranks : {2, 16, 256, 1024}) measure("ring", name, ranks, 3 * 400'000 / ranks, ring);
  for (const int ranks : {256, 1024}) {
    measure("allreduce", name, ranks, 200'000 / ranks, allreduce, "allreduce=recursive_doubling");
  }
  measure("alltoall", name, 256, 4, alltoall, "alltoall=pairwise");
  measure("alltoall", name, 256, 4, alltoall, "alltoall=linear");
  return 0;
}
