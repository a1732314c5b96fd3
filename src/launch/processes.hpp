// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orrery::launch {

/// The processes of one run, from start to end.
///
/// What is started through it leads a process group of its own, so that what ranks start is reached with them. While
/// the object exists, the calling process adopts descendants whose parents have ended, even those that left their
/// group: they are known by an entry of their environment that no other process has. An ended leader stays a zombie
/// until `end`, so that its number, which names the group, cannot be given to a stranger's process.
class Processes {
 public:
  /// @param mark "NAME=value", in the environment of every process of the run and of no other
  explicit Processes(std::string mark);
  ~Processes();  ///< as `end`
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// A process that `spawn` gave.
  void add(pid_t leader);

  /// Those that were added, any thread.
  [[nodiscard]] std::vector<pid_t> leaders() const;

  /// Wait status of an ended leader, which stays a zombie; nothing while it runs.
  [[nodiscard]] static std::optional<int> ended(pid_t leader);

  /// Any thread: kills the groups; `end` does the rest.
  void kill() const;

  /// Kills all that is left and returns when nothing is.
  void end();

 private:
  void reap_group(pid_t leader);
  bool end_strays();

  std::string mark_;
  std::set<pid_t> children_before_;
  mutable std::mutex mutex_;  ///< for `kill`, which may come while more are added
  std::vector<pid_t> leaders_;
};

}  // namespace orrery::launch
