// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/standstill.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <vector>

#include "catch.hpp"

using namespace orrery::mpi::channel;

namespace {

/// Two ranks, processes that have begun. They are killed at the end.
class TwoProcesses {
 public:
  explicit TwoProcesses(const std::function<void(Memory&, int)>& body) {
    for (int rank = 0; rank < 2; ++rank) {
      const pid_t pid = fork();
      if (pid == 0) body(memory, rank), _exit(0);
      pids_.push_back(pid);
      memory.block(rank).pid = pid;
      memory.block(rank).phase = static_cast<std::uint32_t>(RankPhase::Running);
    }
    usleep(50'000);  // both are where they will be
  }
  TwoProcesses(const TwoProcesses&) = delete;
  TwoProcesses& operator=(const TwoProcesses&) = delete;
  ~TwoProcesses() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

  Memory memory = Memory::create(2);

 private:
  std::vector<pid_t> pids_;
};

void sleep_for_ever(Memory& memory, int rank) {
  Doorbell& doorbell = memory.block(rank).doorbell;
  doorbell.mask = ~0U;
  for (;;) doorbell.sleep(doorbell.prepare());
}

}  // namespace

TEST_CASE("ranks that all sleep are at a standstill once nothing changes") {
  TwoProcesses ranks(sleep_for_ever);
  Standstill standstill(ranks.memory);
  CHECK_FALSE(standstill.look());
  ranks.memory.block(0).inbox_tail += 64;
  CHECK_FALSE(standstill.look());
  CHECK(standstill.look());
}

TEST_CASE("a rank that runs, has threads or has not begun may go on") {
  TwoProcesses ranks([](Memory& memory, int rank) {
    if (rank == 0) sleep_for_ever(memory, rank);
    for (;;) pause();
  });
  Standstill standstill(ranks.memory);
  RankBlock& other = ranks.memory.block(1);
  CHECK_FALSE((standstill.look() || standstill.look()));  // it sleeps, but not in MPI
  other.doorbell.sleeping = 4;
  other.several_threads = 1;
  CHECK_FALSE((standstill.look() || standstill.look()));
  other.several_threads = 0;
  other.phase = static_cast<std::uint32_t>(RankPhase::Unborn);
  CHECK_FALSE((standstill.look() || standstill.look()));
  other.phase = static_cast<std::uint32_t>(RankPhase::Finalized);
  CHECK_FALSE(standstill.look());
  CHECK(standstill.look());
}

TEST_CASE("a rank that was woken but does not run yet may go on") {
  TwoProcesses ranks([](Memory& memory, int rank) {
    if (rank == 0) sleep_for_ever(memory, rank);
    raise(SIGSTOP);
  });
  ranks.memory.block(1).doorbell.sleeping = 4;
  Standstill standstill(ranks.memory);
  CHECK_FALSE((standstill.look() || standstill.look()));
}
