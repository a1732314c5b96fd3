// SPDX-License-Identifier: BSD-3-Clause
#include "launch/memory_use.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

constexpr std::size_t most_read_in_full = 64;
constexpr std::size_t sample_size = 16;
constexpr auto early = std::chrono::milliseconds(90);

/// Proportional set size in bytes (proc(5), smaps_rollup); 0 when the process has ended.
std::uint64_t proportional_set_size(pid_t pid) {
  std::ifstream rollup(concat("/proc/", pid, "/smaps_rollup"));
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Pss:")) return std::stoull(line.substr(4)) * 1024;
  }
  return 0;
}

}  // namespace

void MemoryUse::sample(std::span<const pid_t> processes) {
  const auto start = Clock::now();
  const std::size_t count = processes.size() <= most_read_in_full ? processes.size() : sample_size;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(proportional_set_size(processes[i * processes.size() / count]));
  }
  if (count > 0) sum *= static_cast<double>(processes.size()) / static_cast<double>(count);
  peak_bytes_ = std::max(peak_bytes_, static_cast<std::uint64_t>(sum));
  const auto now = Clock::now();
  const auto pause = now - start_ < early ? early : std::chrono::milliseconds(500);
  next_ = now + std::max<Clock::duration>(pause, 50 * (now - start));
}

}  // namespace orrery::launch
