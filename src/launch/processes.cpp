// SPDX-License-Identifier: BSD-3-Clause
#include "launch/processes.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

/// What runs of one process must know of each other: adoption is an attribute of the whole process, and no run may reap
/// the leaders of another.
struct AllRuns {
  std::mutex mutex;
  int count = 0;
  std::set<pid_t> leaders;
};

AllRuns& all_runs() {
  static AllRuns runs;
  return runs;
}

bool is_leader(pid_t pid) {
  const std::lock_guard lock(all_runs().mutex);
  return all_runs().leaders.contains(pid);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Children of the calling process, whichever of its threads they count for.
std::set<pid_t> children() {
  std::set<pid_t> found;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    std::istringstream list(contents(thread.path().string() + "/children"));
    found.insert(std::istream_iterator<pid_t>(list), {});
  }
  return found;
}

/// The part of /proc/PID/stat that matters here (proc(5)).
struct ProcessState {
  char state = '?';
  pid_t session = 0;
};

ProcessState state_of(pid_t pid) {
  const std::string stat = contents(concat("/proc/", pid, "/stat"));
  const std::size_t name_end = stat.rfind(')');  // the name may hold anything, parentheses too
  ProcessState found;
  if (name_end == std::string::npos) return found;
  pid_t parent, group;
  std::istringstream(stat.substr(name_end + 1)) >> found.state >> parent >> group >> found.session;
  return found;
}

bool has_entry(const std::string& environment, const std::string& entry) {
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::string_view first = rest.substr(0, rest.find('\0'));
    if (first == entry) return true;
    rest.remove_prefix(std::min(rest.size(), first.size() + 1));
  }
  return false;
}

/// A zombie has no environment left to know it by; other children of ours share our session, strays have left theirs.
bool is_stray(pid_t pid, const std::string& mark) {
  const ProcessState process = state_of(pid);
  if (process.state == 'Z') return process.session != getsid(0);
  return has_entry(contents(concat("/proc/", pid, "/environ")), mark);
}

}  // namespace

Processes::Processes(std::string mark) : mark_(std::move(mark)), children_before_(children()) {
  const std::lock_guard lock(all_runs().mutex);
  if (all_runs().count++ == 0) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Processes::~Processes() {
  end();
  const std::lock_guard lock(all_runs().mutex);
  if (--all_runs().count == 0) prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void Processes::add(pid_t leader) {
  {
    const std::lock_guard lock(mutex_);
    leaders_.push_back(leader);
  }
  const std::lock_guard lock(all_runs().mutex);
  all_runs().leaders.insert(leader);
}

std::vector<pid_t> Processes::leaders() const {
  const std::lock_guard lock(mutex_);
  return leaders_;
}

std::optional<int> Processes::ended(pid_t leader) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return {};
  if (info.si_code == CLD_EXITED) return W_EXITCODE(info.si_status, 0);
  return W_EXITCODE(0, info.si_status);
}

void Processes::kill() const {
  const std::lock_guard lock(mutex_);
  for (pid_t leader : leaders_) ::kill(-leader, SIGKILL);
}

void Processes::end() {
  kill();
  for (pid_t leader : leaders_) reap_group(leader);
  {
    const std::lock_guard lock(all_runs().mutex);
    for (pid_t leader : leaders_) all_runs().leaders.erase(leader);
  }
  // A stray that is killed hands its own children to us.
  while (end_strays()) {
  }
  leaders_.clear();
}

/// Waits for the leader, and for members of its group: they become ours as their parents end.
void Processes::reap_group(pid_t leader) {
  while (waitpid(-leader, nullptr, 0) > 0 || errno == EINTR) {
  }
}

bool Processes::end_strays() {
  bool found = false;
  for (pid_t pid : children()) {
    if (children_before_.contains(pid) || is_leader(pid) || !is_stray(pid, mark_)) continue;
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    found = true;
  }
  return found;
}

}  // namespace orrery::launch
