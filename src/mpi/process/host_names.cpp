// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/host_names.hpp"

#include <netdb.h>

#include <atomic>
#include <cstring>

#include "mpi/clock/replaces.hpp"

/// Names of simulated hosts, as MPI_Get_processor_name gives them, lead to this host: programs that connect sockets
/// between ranks, for MPI_Comm_join or by themselves, find each other.
namespace orrery::mpi {

namespace {

constexpr const char* this_host = "127.0.0.1";

std::atomic<const channel::Memory*> known{nullptr};

/// Whether a rank of the run is on a simulated host of this name.
bool is_simulated_host(const char* name) {
  const channel::Memory* memory = known.load(std::memory_order_acquire);
  if (memory == nullptr || name == nullptr) return false;
  const auto ranks = static_cast<int>(memory->header().born.load(std::memory_order_acquire));
  for (int rank = 0; rank < ranks; ++rank) {
    if (std::strcmp(memory->host_name(rank), name) == 0) return true;
  }
  return false;
}

}  // namespace

void resolve_simulated_hosts(const channel::Memory& of_run) { known.store(&of_run, std::memory_order_release); }

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------

using namespace orrery::mpi;

ORRERY_REPLACES hostent* gethostbyname(const char* name) {
  static const auto next = next_function<hostent* (*)(const char*)>("gethostbyname");
  return next(is_simulated_host(name) ? this_host : name);
}

ORRERY_REPLACES int getaddrinfo(const char* __restrict name, const char* __restrict service,
                                const addrinfo* __restrict hints, addrinfo** __restrict result) {
  static const auto next = next_function<int (*)(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  return next(is_simulated_host(name) ? this_host : name, service, hints, result);
}
