// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/host_names.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "mpi/clock/replaces.hpp"

/// The name that programs ask the C library for is that of the simulated host, as MPI_Get_processor_name gives it: they
/// tell by it which ranks share a node.
namespace orrery::mpi {

namespace {

std::atomic<const char*> own_name{nullptr};

/// Null in a process that is no rank of a run.
const char* simulated_name() { return own_name.load(std::memory_order_acquire); }

}  // namespace

void lead_simulated_hosts_here(const channel::Memory& of_run);  // host_addresses.cpp

void take_host_name(const channel::Memory& of_run, int world_rank) {
  lead_simulated_hosts_here(of_run);
  own_name.store(of_run.host_name(world_rank), std::memory_order_release);
}

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------

using namespace orrery::mpi;

ORRERY_REPLACES int gethostname(char* name, std::size_t bytes) noexcept {
  static const auto original = next_function<int (*)(char*, std::size_t)>("gethostname");
  const char* simulated = simulated_name();
  if (simulated == nullptr) return original(name, bytes);
  if (is_null(name)) {
    errno = EFAULT;
    return -1;
  }
  const std::size_t length = std::strlen(simulated) + 1;
  std::memcpy(name, simulated, std::min(length, bytes));
  if (length <= bytes) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

ORRERY_REPLACES int __gethostname_chk(char* name, std::size_t bytes, std::size_t room) noexcept {
  static const auto original = next_function<int (*)(char*, std::size_t, std::size_t)>("__gethostname_chk");
  return bytes > room ? original(name, bytes, room) : gethostname(name, bytes);
}

ORRERY_REPLACES int uname(utsname* names) noexcept {
  static const auto original = next_function<int (*)(utsname*)>("uname");
  const int result = original(names);
  const char* simulated = simulated_name();
  if (result != 0 || simulated == nullptr) return result;
  std::strncpy(names->nodename, simulated, sizeof names->nodename - 1);
  names->nodename[sizeof names->nodename - 1] = '\0';
  return 0;
}

/// A number for the name: programs compare it.
ORRERY_REPLACES long gethostid() {
  static const auto original = next_function<long (*)()>("gethostid");
  const char* simulated = simulated_name();
  if (simulated == nullptr) return original();
  std::uint32_t hash = 2'166'136'261;  // FNV-1a
  for (const char c : std::string_view(simulated)) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619;
  return static_cast<std::int32_t>(hash);
}
