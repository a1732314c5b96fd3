// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/template.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/channel/launcher_variables.hpp"
#include "mpi/clock/clock.hpp"
#include "mpi/process/before_init.hpp"
#include "mpi/rank/threads.hpp"

namespace orrery::mpi {
namespace {

void tell_launcher(int launcher, EndedRank record) { (void)send(launcher, &record, sizeof record, MSG_NOSIGNAL); }

/// The descriptors of labelled output, if there is any.
struct Labelled {
  int first = 0;
  int count = 0;  ///< of ranks

  static Labelled given() {
    Labelled output;
    const char* label = std::getenv(env_label);
    if (label == nullptr || std::sscanf(label, "%d:%d", &output.first, &output.count) != 2) return {};
    return output;
  }

  /// Rank: takes its two and closes those of the ranks that are forked after it.
  void take(int rank) const {
    if (count == 0) return;
    dup2(first + 2 * rank, STDOUT_FILENO);
    dup2(first + 2 * rank + 1, STDERR_FILENO);
    close_from(rank, count);
  }
  /// Template: a reader sees the end of the output when the rank ends, so nobody else keeps it. Also, a fork costs the
  /// less the fewer descriptors there are.
  void give_away(int rank) const {
    if (count > 0) close_from(rank, rank + 1);
  }

 private:
  void close_from(int begin_rank, int end_rank) const {
    const int begin = first + 2 * begin_rank;
    const int end = first + 2 * end_rank;
    if (syscall(SYS_close_range, begin, end - 1, 0) == 0) return;
    for (int descriptor = begin; descriptor < end; ++descriptor) close(descriptor);
  }
};

void no_input() {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing <= STDIN_FILENO) return;  // the place was free
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

/// Few pages may be touched here: each one that is costs every rank a copy.
void set_up_child(int rank, pid_t parent, const Labelled& output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it ended before that
  output.take(rank);
}

[[noreturn]] void reap(const channel::Memory& memory, int launcher) {
  std::unordered_map<pid_t, std::int32_t> rank_of;
  const auto ranks = static_cast<std::int32_t>(memory.header().ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) rank_of[memory.block(rank).pid.load()] = rank;
  while (!rank_of.empty()) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) break;
    const auto found = rank_of.find(ended);
    if (found == rank_of.end()) continue;  // a process that the program had started itself
    tell_launcher(launcher, {found->second, status});
    rank_of.erase(found);
  }
  _exit(0);
}

/// Tells the launcher what ranks would share, if anything. @return whether it starts the others
bool goes_on_as_first(channel::Memory& memory, int launcher, const Labelled& output) {
  const GivenDescriptors given{output.first, output.first + 2 * output.count};
  const std::string shared = shared_by_forking(memory, launcher, given);
  if (shared.empty()) return false;
  EndedRank record{EndedRank::shares, 0};
  shared.copy(record.text, sizeof record.text - 1);
  tell_launcher(launcher, record);
  return memory.header().may_start_afresh != 0;
}

}  // namespace

void write_whole_lines() {
  if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

int template_main(channel::Memory& memory, int launcher) {
  const Labelled output = Labelled::given();
  if (goes_on_as_first(memory, launcher, output)) {
    channel::ForkedVariables::prepare();
    channel::ForkedVariables::set(channel::places_in(memory, 0).front());
    output.take(0);
    write_whole_lines();
    return 0;
  }
  if (process_has_threads()) {
    tell_launcher(launcher, {EndedRank::has_threads, 0});
    _exit(1);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ranks probe here whether the system lets them read each other's memory (payload.cpp).
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  // The C library's clocks are looked up here, once for all ranks.
  (void)host_clock::monotonic_ns();
  (void)host_clock::thread_cpu_ns();
  const pid_t self = getpid();
  if (output.count == 0) write_whole_lines();  // once for all
  const auto ranks = static_cast<int>(memory.header().ranks);
  const std::vector<channel::RankPlace> places = channel::places_in(memory, 0);
  channel::ForkedVariables::prepare();
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      set_up_child(rank, self, output);
      channel::ForkedVariables::set(places[static_cast<std::size_t>(rank)]);
      if (output.count > 0) write_whole_lines();
      return rank;
    }
    if (child < 0) {
      tell_launcher(launcher, {EndedRank::cannot_fork, errno});
      _exit(1);
    }
    memory.block(rank).pid.store(child);
    output.give_away(rank);
    if (rank == 0) no_input();  // the first rank has it; those after inherit that there is none
  }
  reap(memory, launcher);
}

}  // namespace orrery::mpi
