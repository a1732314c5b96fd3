// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/computations.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "catch.hpp"

using namespace orrery::mpi::channel;

namespace {

void use_processor(int) {
  for (int i = 0; i < 1000; ++i) asm volatile("");
}

/// Rank 0 does something again and again, in a process; rank 1 sleeps in the library, as far as its block says.
struct TwoRanks {
  explicit TwoRanks(
      const std::function<void(int)>& body, const std::function<void()>& first = [] {}) {
    pid = fork();
    if (pid == 0) {
      first();
      for (int i = 0;; ++i) body(i);
    }
    memory.block(0).pid = memory.block(0).thread = pid;
    memory.block(0).phase = static_cast<std::uint32_t>(RankPhase::Running);
    memory.block(1).doorbell.sleeping = 1;
  }
  TwoRanks(const TwoRanks&) = delete;
  TwoRanks& operator=(const TwoRanks&) = delete;
  ~TwoRanks() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  /// Looks until a part is found that is longer than nothing, or the process has used a processor for so long.
  double part(double longest_s) {
    const double begin = used_s();
    while (used_s() < begin + longest_s) {
      if (computations.look(0, 7)) return computations.take(0);
      usleep(1000);
    }
    return 0;
  }
  double used_s() const {
    clockid_t clock;
    timespec time{};
    REQUIRE(clock_getcpuclockid(pid, &clock) == 0);
    REQUIRE(clock_gettime(clock, &time) == 0);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  pid_t pid = 0;
  Memory memory = Memory::create(2);
  Computations computations{memory};
};

TEST_CASE("a rank that computes while another sleeps has computed a part of what it used the processor for") {
  TwoRanks ranks(use_processor);
  ranks.memory.header().measure_compute = 1;
  const double part = ranks.part(10);
  CHECK(part > 0.01);  // what is shorter most likely ends by itself
  CHECK(part <= ranks.used_s());
  CHECK(ranks.computations.take(0) == 0);
  CHECK(ranks.computations.memory_waits().ranks == 0);  // it shares nothing
}

TEST_CASE("with a window a part is told at once, and counted") {
  TwoRanks ranks(use_processor);
  ranks.memory.header().measure_compute = 1;
  ranks.memory.header().windows = 1;
  CHECK(ranks.part(10) > 0);
  CHECK(ranks.computations.memory_waits().ranks == 1);
  CHECK(ranks.computations.memory_waits().seconds > 0);
}

TEST_CASE("nothing is told of a rank in the library, of one that sleeps, or while nobody waits") {
  TwoRanks ranks(use_processor);
  ranks.memory.header().measure_compute = 1;
  ranks.memory.header().windows = 1;
  SECTION("in the library") { ranks.memory.block(0).in_call = 1; }
  SECTION("asleep") { ranks.memory.block(0).doorbell.sleeping = 1; }
  SECTION("nobody waits") { ranks.memory.block(1).doorbell.sleeping = 0; }
  SECTION("ended") { ranks.memory.block(0).phase = static_cast<std::uint32_t>(RankPhase::Finalized); }
  CHECK(ranks.part(0.05) == 0);
}

TEST_CASE("where computation takes no time, only what may be a loop that waits takes some") {
  SECTION("not a rank that computes") {
    TwoRanks ranks(use_processor);
    CHECK(ranks.part(2.2) == 0);
  }
  SECTION("one that shares memory, after 2 s") {
    TwoRanks ranks(use_processor,
                   [] { (void)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); });
    const double part = ranks.part(20);
    CHECK(part > 0);
    CHECK(part < ranks.used_s() - 1.9);
  }
  SECTION("one that asks the system in a loop, after 2 s") {
    TwoRanks ranks([](int) { (void)!access("/no such file", F_OK); });
    CHECK(ranks.part(20) > 0);
    CHECK(ranks.computations.memory_waits().ranks == 1);
  }
}

}  // namespace
