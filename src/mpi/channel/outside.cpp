// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/outside.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr auto long_enough = std::chrono::milliseconds(300);

struct TaskState {
  char state = '?';
  std::uint64_t ticks = 0;
};

/// Fields 3, 14 and 15 of /proc/PID/task/TID/stat; the second is a name in parentheses, which may hold anything.
std::optional<TaskState> task_state(const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  TaskState found;
  std::uint64_t user = 0, system = 0;
  std::string skipped;
  fields >> found.state;
  for (int field = 4; field < 14; ++field) fields >> skipped;
  fields >> user >> system;
  found.ticks = user + system;
  return fields ? std::optional(found) : std::nullopt;
}

bool has_children(const std::filesystem::path& task) {
  std::ifstream file(task / "children");  // kernels without this file say none
  std::string child;
  return static_cast<bool>(file >> child);
}

/// Ticks of processor time that all of its threads have used, if they are asleep and have no children.
std::optional<std::uint64_t> asleep(pid_t process) {
  std::uint64_t ticks = 0;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(concat("/proc/", process, "/task"), error)) {
    const std::optional<TaskState> found = task_state(task.path());
    if (!found || found->state != 'S' || has_children(task.path())) return std::nullopt;
    ticks += found->ticks;
  }
  return error ? std::nullopt : std::optional(ticks);
}

}  // namespace

bool OutsideWatch::waits(int rank, std::uint64_t turn, pid_t process, bool in_library, Clock::time_point now) {
  if (rank != rank_ || turn != turn_) {
    rank_ = rank;
    turn_ = turn;
    asleep_since_ = looked_ = now;
    ticks_ = 0;
    waits_ = false;
    return false;
  }
  if (now - looked_ < between_looks) return waits_;
  looked_ = now;
  const std::optional<std::uint64_t> ticks = in_library || process == 0 ? std::nullopt : asleep(process);
  if (!ticks || *ticks != ticks_) {
    ticks_ = ticks.value_or(0);
    asleep_since_ = now;
  }
  waits_ = now - asleep_since_ >= long_enough;
  return waits_;
}

}  // namespace orrery::mpi::channel
