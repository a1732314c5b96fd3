// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/reach.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/process/environment.hpp"

namespace orrery::mpi {
namespace {

/// Runs that one call of the system takes (IOV_MAX).
constexpr std::size_t most_runs = 1024;

using MoveMemory = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

/// Moves all runs between `packed` and another process, going on where the system stopped short.
void move(Rank& rank, std::int32_t owner, std::span<const Run> runs, std::byte* packed, MoveMemory call) {
  if (!rank.payloads().receivers_can_pull()) {
    end_run("this system does not let ranks access each other's memory: only windows of MPI_Win_allocate work here", 1);
  }
  const pid_t process = rank.memory().block(owner).pid.load(std::memory_order_relaxed);
  std::array<iovec, most_runs> remote;
  std::uint64_t done_of_first = 0;
  while (!runs.empty()) {
    const std::size_t n = std::min(runs.size(), most_runs);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t skip = i == 0 ? done_of_first : 0;
      remote[i] = {reinterpret_cast<void*>(runs[i].address + skip), static_cast<std::size_t>(runs[i].bytes) - skip};
      bytes += remote[i].iov_len;
    }
    const iovec local{packed, bytes};
    const ssize_t moved = call(process, &local, 1, remote.data(), n, 0);
    if (moved <= 0) {
      throw Error{err_rma_range, concat("the memory of rank ", owner, " at the displacement: ", std::strerror(errno))};
    }
    packed += moved;
    std::uint64_t left = static_cast<std::uint64_t>(moved) + done_of_first;
    while (!runs.empty() && left >= static_cast<std::uint64_t>(runs.front().bytes)) {
      left -= static_cast<std::uint64_t>(runs.front().bytes);
      runs = runs.subspan(1);
    }
    done_of_first = left;
  }
}

}  // namespace

std::byte* Reach::here(Rank& rank, std::uint64_t address) const {
  if (shared) return rank.memory().at(address);
  return owner == rank.world_rank() ? reinterpret_cast<std::byte*>(address) : nullptr;
}

void read_runs(Rank& rank, const Reach& reach, std::span<const Run> runs, std::byte* packed) {
  if (runs.empty()) return;
  if (reach.here(rank, runs.front().address) == nullptr) return move(rank, reach.owner, runs, packed, process_vm_readv);
  for (const Run& run : runs) {
    std::memmove(packed, reach.here(rank, run.address), static_cast<std::size_t>(run.bytes));
    packed += run.bytes;
  }
}

void write_runs(Rank& rank, const Reach& reach, std::span<const Run> runs, const std::byte* packed) {
  if (runs.empty()) return;
  if (reach.here(rank, runs.front().address) == nullptr) {
    return move(rank, reach.owner, runs, const_cast<std::byte*>(packed), process_vm_writev);
  }
  for (const Run& run : runs) {
    std::memmove(reach.here(rank, run.address), packed, static_cast<std::size_t>(run.bytes));
    packed += run.bytes;
  }
}

}  // namespace orrery::mpi
