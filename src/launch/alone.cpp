// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <limits>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "launch/describe.hpp"
#include "launch/services.hpp"
#include "launch/shared_groups.hpp"
#include "mpi/channel/channel.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"
#include "routine_names.hpp"

/// A program that was started by itself is the one rank of its run, and a thread of it is the kernel. The MPI library
/// loads this one for it (mpi/process/alone.cpp): ranks of other runs need no kernel.
namespace orrery::launch {
namespace {

using mpi::channel::KernelEnd;
using mpi::channel::Memory;

/// One node, on which messages cost nothing: nothing is simulated, the program goes by the host's clock.
platform::Platform one_node() {
  return {
      "alone",
      {{.name = "alone", .nodes = 1, .cores = 1, .bandwidth_bytes_per_s = 1e9, .memory_bandwidth_bytes_per_s = 1e9}},
      {}};
}

settings::Network no_costs() { return {.between_nodes = {{}}, .inside_node = {{}}}; }

/// Returns when the rank has finalised. @return why it cannot go on; empty: it could
std::string serve(int descriptor) {
  try {
    Memory memory = Memory::attach(descriptor);
    KernelEnd streams(memory);
    SharedGroups groups(memory);
    RunServices services(memory);
    const auto transport = transport::make_transport(network::make_hybrid(one_node(), no_costs()));
    const auto selector = collective::make_selector();
    kernel::Config config{.host_of_rank = {0}, .compute_factor = {1}, .services = &services};
    kernel::Simulation simulation(std::move(config), *transport, *selector, streams, groups);
    try {
      const auto deadlock = simulation.run();
      return deadlock ? describe(*deadlock, routine_names) : "";
    } catch (const KernelEnd::AtStandstill&) {
      return describe_standstill(memory, routine_names);
    }
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace
}  // namespace orrery::launch

extern "C" __attribute__((visibility("default"))) void orrery_serve_alone(int descriptor) {
  const std::string why = orrery::launch::serve(descriptor);
  if (why.empty()) return;
  std::fprintf(stderr, "orrery: the program runs as one rank, as it was not started by orrery run. %s\n", why.c_str());
  std::fflush(nullptr);
  _exit(1);
}
