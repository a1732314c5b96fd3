// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pass_on.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

/// Processes of ranks, by session. The number of one that has ended may be a stranger's, which is in no session of
/// ours.
std::set<std::pair<pid_t, pid_t>> ranks_by_session(const mpi::channel::Memory& memory,
                                                   const std::vector<pid_t>& leaders) {
  const std::set<pid_t> sessions(leaders.begin(), leaders.end());
  std::set<std::pair<pid_t, pid_t>> found;
  const auto born = static_cast<int>(memory.header().born.load(std::memory_order_acquire));
  for (int rank = 0; rank < born; ++rank) {
    const pid_t process = memory.block(rank).pid.load(std::memory_order_relaxed);
    const pid_t session = process > 0 ? getsid(process) : -1;
    if (sessions.contains(session)) found.emplace(session, process);
  }
  return found;
}

}  // namespace

bool handles(pid_t process, int signal) {
  std::ifstream status(concat("/proc/", process, "/status"));
  for (std::string word; status >> word;) {
    if (word != "SigCgt:") continue;
    unsigned long long caught = 0;
    status >> std::hex >> caught;
    return (caught >> (signal - 1) & 1) != 0;
  }
  return false;
}

std::uint32_t pass_on(int signal, PassTo to, const mpi::channel::Memory& memory, const std::vector<pid_t>& leaders,
                      bool forks) {
  const auto ranks = ranks_by_session(memory, leaders);
  std::uint32_t reached = 0;
  const auto give = [&](pid_t process, bool whatever) {
    if ((whatever || handles(process, signal)) && kill(process, signal) == 0) ++reached;
  };
  for (const auto& [session, process] : ranks) give(process, to == PassTo::All);
  for (const pid_t leader : leaders) {
    const auto own = ranks.lower_bound({leader, 0});
    const bool has_rank = own != ranks.end() && own->first == leader;
    if (ranks.contains({leader, leader}) || (has_rank && forks)) continue;
    give(leader, to == PassTo::All && !has_rank);
  }
  return reached;
}

}  // namespace orrery::launch
