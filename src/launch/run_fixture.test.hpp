// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "launch/launch.hpp"

/// A run of the stand-in program (stand_in.cpp) on a cluster of as many nodes as ranks.
struct StandIn {
  using Key = std::pair<std::int32_t, bool>;  // rank, error stream

  orrery::platform::Platform platform;
  std::unique_ptr<orrery::transport::Transport> transport =
      orrery::transport::make_transport(orrery::network::make_fluid(platform));
  std::unique_ptr<orrery::collective::Selector> selector = orrery::collective::make_selector();
  orrery::launch::Run live;
  std::map<Key, std::string> printed;

  static orrery::platform::Platform cluster(std::uint32_t nodes) {
    return {"test",
            {{.name = "c",
              .prefix = "n",
              .nodes = nodes,
              .cores = 1,
              .bandwidth_bytes_per_s = 1e9,
              .latency_s = 1e-6,
              .memory_bandwidth_bytes_per_s = 1e10,
              .memory_latency_s = 1e-7}},
            {}};
  }

  static orrery::launch::Job job(std::uint32_t ranks, std::vector<std::string> arguments) {
    orrery::launch::Job job;
    job.command = {ORRERY_STAND_IN};
    job.command.insert(job.command.end(), arguments.begin(), arguments.end());
    job.environment = {"PATH=/usr/bin:/bin"};
    job.ranks = ranks;
    job.routine_names = {"application", "MPI_Recv", "MPI_Send"};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      job.host_names.push_back("n" + std::to_string(rank + 1));
      job.kernel.host_of_rank.push_back(rank);
      job.kernel.compute_factor.push_back(1);
    }
    return job;
  }

  explicit StandIn(orrery::launch::Job job)
      : platform(cluster(std::max(1u, job.ranks))), live(std::move(job), *transport, *selector) {}
  StandIn(std::uint32_t ranks, std::vector<std::string> arguments) : StandIn(job(ranks, std::move(arguments))) {}

  orrery::launch::Outcome run() {
    return live.run([this](std::int32_t rank, bool error_stream, std::string_view text) {
      printed[{rank, error_stream}] += text;
    });
  }
};

/// Processes that are children of this one, zombies too, or run the stand-in program.
[[nodiscard]] std::vector<std::string> processes_left();
