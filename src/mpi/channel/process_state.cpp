// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/process_state.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

struct Stat {
  char state = '?';
  Ticks ticks;
};

/// Fields 3, 14 and 15 of the file `stat` in a process's or a thread's folder; the second is a name in parentheses,
/// which may hold anything.
std::optional<Stat> read_stat(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  Stat found;
  fields >> found.state;
  std::string skipped;
  for (int field = 4; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0;
  fields >> user >> found.ticks.system;
  found.ticks.all = user + found.ticks.system;
  return fields ? std::optional(found) : std::nullopt;
}

/// A folder has as many links as folders in it, and two.
bool has_one_thread(const std::filesystem::path& tasks) {
  std::error_code error;
  return std::filesystem::hard_link_count(tasks, error) == 3;
}

/// By the process's own clock, which is exact.
std::optional<double> clock_of(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return std::nullopt;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// As far as the scheduler has written it down.
std::optional<double> scheduled_s(const std::filesystem::path& task) {
  double ns = 0;
  if (!(std::ifstream(task / "schedstat") >> ns)) return std::nullopt;
  return ns * 1e-9;
}

bool has_children(const std::filesystem::path& task) {
  std::ifstream file(task / "children");
  std::string child;
  return static_cast<bool>(file >> child);
}

}  // namespace

std::optional<ProcessState> state_of(pid_t process) {
  ProcessState all;
  std::error_code error;
  std::filesystem::directory_iterator tasks(concat("/proc/", process, "/task"), error);
  if (error) return std::nullopt;
  for (const auto& task : tasks) {
    const std::optional<Stat> stat = read_stat(task.path());
    if (!stat) return std::nullopt;
    all.asleep = all.asleep && stat->state == 'S';
    all.ticks += stat->ticks.all;
    all.has_children = all.has_children || has_children(task.path());
  }
  return all;
}

std::optional<double> processor_time_s(pid_t process, pid_t thread) {
  const std::filesystem::path tasks(concat("/proc/", process, "/task"));
  if (has_one_thread(tasks)) return clock_of(process);
  std::optional<double> most;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    if (thread != 0 && task.path().filename() != std::to_string(thread)) continue;
    if (const auto used = scheduled_s(task.path())) most = std::max(most.value_or(0), *used);
  }
  return most;
}

Ticks ticks_of(pid_t process) { return read_stat(concat("/proc/", process)).value_or(Stat{}).ticks; }

bool shares_memory(pid_t process, std::string_view except) {
  std::ifstream maps(concat("/proc/", process, "/maps"));
  for (std::string line; std::getline(maps, line);) {
    // "7f00-7f01 rw-s 00000000 00:01 1024 /dev/shm/name (deleted)"
    std::istringstream fields(line);
    std::string range, access;
    fields >> range >> access;
    if (access.size() == 4 && access[1] == 'w' && access[3] == 's' && line.find(except) == std::string::npos)
      return true;
  }
  return false;
}

}  // namespace orrery::mpi::channel
