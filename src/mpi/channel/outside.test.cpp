// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/outside.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "catch.hpp"

using namespace std::chrono_literals;

namespace orrery::mpi::channel {
namespace {

/// A process that does something until it is killed.
class Child {
 public:
  explicit Child(const std::function<void()>& body) : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) body();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Until the system says that it is in this state.
  void wait_for(char state) const {
    for (std::string line; line.find(concat(") ", state, " ")) == std::string::npos; std::this_thread::sleep_for(1ms)) {
      std::getline(std::ifstream(concat("/proc/", pid_, "/stat")), line);
    }
  }

 private:
  pid_t pid_;
};

/// Looks every 60 ms of a time that is told, for a second.
bool seen_to_wait(const Child& child, bool in_library = false) {
  OutsideWatch watch;
  const auto begin = OutsideWatch::Clock::now();
  for (auto passed = 0ms; passed < 1s; passed += 60ms) {
    if (!watch.waits(3, 7, child.pid(), in_library, begin + passed)) continue;
    REQUIRE(watch.waits(3, 7, child.pid(), in_library, begin + passed));  // asked again, it says the same
    return true;
  }
  return false;
}

TEST_CASE("a process that sleeps in the system waits outside") {
  const Child child([] { pause(); });
  child.wait_for('S');
  CHECK(seen_to_wait(child));
  CHECK_FALSE(seen_to_wait(child, true));
}

TEST_CASE("a process that computes does not") {
  const Child child([] {});
  CHECK_FALSE(seen_to_wait(child));
}

TEST_CASE("a process that does something now and then does not") {
  const Child child([] { pause(); });
  child.wait_for('S');
  OutsideWatch watch;
  const auto begin = OutsideWatch::Clock::now();
  for (std::uint64_t look = 0; look < 100; ++look) {
    REQUIRE_FALSE(watch.waits(3, look / 4, child.pid(), false, begin + look * 60ms));
  }
}

TEST_CASE("no process does not wait") {
  OutsideWatch watch;
  const auto begin = OutsideWatch::Clock::now();
  for (int look = 0; look < 20; ++look) REQUIRE_FALSE(watch.waits(3, 7, 0, false, begin + look * 60ms));
}

}  // namespace
}  // namespace orrery::mpi::channel
