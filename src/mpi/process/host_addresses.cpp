// SPDX-License-Identifier: BSD-3-Clause
#include <netdb.h>

#include <atomic>
#include <cstring>

#include "mpi/channel/channel.hpp"
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
  if (memory == nullptr || is_null(name)) return false;
  const auto ranks = static_cast<int>(memory->header().born.load(std::memory_order_acquire));
  for (int rank = 0; rank < ranks; ++rank) {
    if (std::strcmp(memory->host_name(rank), name) == 0) return true;
  }
  return false;
}

const char* name_to_look_up(const char* name) { return is_simulated_host(name) ? this_host : name; }

}  // namespace

void lead_simulated_hosts_here(const channel::Memory& of_run) { known.store(&of_run, std::memory_order_release); }

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------

using namespace orrery::mpi;

ORRERY_REPLACES hostent* gethostbyname(const char* name) {
  static const auto next = next_function<hostent* (*)(const char*)>("gethostbyname");
  return next(name_to_look_up(name));
}

ORRERY_REPLACES hostent* gethostbyname2(const char* name, int family) {
  static const auto next = next_function<hostent* (*)(const char*, int)>("gethostbyname2");
  return next(name_to_look_up(name), family);
}

ORRERY_REPLACES int gethostbyname_r(const char* __restrict name, hostent* __restrict found, char* __restrict buffer,
                                    std::size_t bytes, hostent** __restrict result, int* __restrict error) {
  using Function = int (*)(const char*, hostent*, char*, std::size_t, hostent**, int*);
  static const auto next = next_function<Function>("gethostbyname_r");
  return next(name_to_look_up(name), found, buffer, bytes, result, error);
}

ORRERY_REPLACES int gethostbyname2_r(const char* __restrict name, int family, hostent* __restrict found,
                                     char* __restrict buffer, std::size_t bytes, hostent** __restrict result,
                                     int* __restrict error) {
  using Function = int (*)(const char*, int, hostent*, char*, std::size_t, hostent**, int*);
  static const auto next = next_function<Function>("gethostbyname2_r");
  return next(name_to_look_up(name), family, found, buffer, bytes, result, error);
}

ORRERY_REPLACES int getaddrinfo(const char* __restrict name, const char* __restrict service,
                                const addrinfo* __restrict hints, addrinfo** __restrict result) {
  static const auto next = next_function<int (*)(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  return next(name_to_look_up(name), service, hints, result);
}
