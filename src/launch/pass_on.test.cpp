// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pass_on.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "catch.hpp"

using namespace orrery::launch;
using orrery::mpi::channel::Memory;

namespace {

/// A process that leads a session, and waits; with a handler for SIGTERM it ends with status 7 on it.
class Leader {
 public:
  explicit Leader(bool handles_term) {
    std::array<int, 2> begun{};
    REQUIRE(pipe(begun.data()) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      setsid();
      for (const int number : {SIGUSR1, SIGTERM}) signal(number, SIG_DFL);  // not the handlers of the tests
      if (handles_term) signal(SIGTERM, [](int) { _exit(7); });
      (void)!write(begun[1], "", 1);
      for (;;) pause();
    }
    char byte = 0;
    REQUIRE(read(begun[0], &byte, 1) == 1);
    close(begun[0]);
    close(begun[1]);
  }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;
  ~Leader() {
    if (pid_ > 0) (void)end();
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool runs() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }
  int end() {
    kill(pid_, SIGKILL);
    return wait();
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("a signal that ends goes to those alone who have a handler") {
  Memory memory = Memory::create(2);
  Leader with(true), without(false);
  memory.block(0).pid = with.pid();
  memory.block(1).pid = without.pid();
  CHECK(handles(with.pid(), SIGTERM));
  CHECK_FALSE(handles(without.pid(), SIGTERM));
  CHECK(pass_on(SIGTERM, PassTo::Handlers, memory, {with.pid(), without.pid()}, false) == 1);
  CHECK(WEXITSTATUS(with.wait()) == 7);
  CHECK(without.runs());
}

TEST_CASE("a signal for the program goes to all ranks, and to programs that are none yet") {
  Memory memory = Memory::create(2);
  Leader rank(false), begins(false);
  memory.block(0).pid = rank.pid();
  CHECK(pass_on(SIGUSR1, PassTo::All, memory, {rank.pid(), begins.pid()}, false) == 2);
  CHECK(WTERMSIG(rank.wait()) == SIGUSR1);
  CHECK(WTERMSIG(begins.wait()) == SIGUSR1);
}

TEST_CASE("a process that is not in the run gets nothing, though a rank had its number") {
  Memory memory = Memory::create(1);
  Leader mine(false), stranger(false);
  memory.block(0).pid = stranger.pid();
  CHECK(pass_on(SIGUSR1, PassTo::All, memory, {mine.pid()}, false) == 1);
  CHECK(WTERMSIG(mine.wait()) == SIGUSR1);
  CHECK(stranger.runs());
}
