// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/process_state.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

/// Adds what fields 3, 14 and 15 of /proc/PID/task/TID/stat say; the second is a name in parentheses, which may hold
/// anything.
bool add_thread(ProcessState& all, const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  char state = '?';
  fields >> state;
  std::string skipped;
  for (int field = 4; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  all.asleep = all.asleep && state == 'S';
  all.ticks += user + system;
  return static_cast<bool>(fields);
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
    if (!add_thread(all, task.path())) return std::nullopt;
    all.has_children = all.has_children || has_children(task.path());
  }
  return all;
}

}  // namespace orrery::mpi::channel
