// SPDX-License-Identifier: BSD-3-Clause
#include "launch/processes.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "launch/descriptor.hpp"
#include "launch/spawn.hpp"

using namespace orrery::launch;

namespace {

/// A shell with a mark in its environment, after it has printed a line.
pid_t shell(const std::string& command, const std::string& mark) {
  Pair pipe = make_pipe();
  const pid_t pid = spawn({.path = "/bin/sh",
                           .arguments = {"sh", "-c", command},
                           .environment = {"PATH=/usr/bin:/bin", mark},
                           .directory = "",
                           .descriptors = {{pipe.far.number(), STDOUT_FILENO}}});
  char byte;
  while (read(pipe.near.number(), &byte, 1) != 1) usleep(1000);
  return pid;
}

/// Processes of the machine, zombies too, that have the mark or are our children.
std::vector<std::string> left(const std::string& mark) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream environment(entry.path() / "environ"), stat(entry.path() / "stat");
    const std::string all{std::istreambuf_iterator<char>(environment), {}};
    std::string line;
    std::getline(stat, line);
    const bool child = line.find(" " + std::to_string(getpid()) + " ", line.rfind(')')) == line.rfind(')') + 3;
    if (child || all.find(mark) != std::string::npos) found.push_back(name + ": " + line);
  }
  return found;
}

}  // namespace

TEST_CASE("ending kills a process with all that it has started, even what has left its group") {
  const std::string mark = "ORRERY_TEST_MARK=processes-1";
  {
    Processes processes(mark);
    processes.add(
        shell("sleep 1000 & setsid sleep 1001 & (setsid sh -c 'sleep 1002 & sleep 1003') & sleep 0.05; "
              "echo; exec sleep 1004",
              mark));
    CHECK(left(mark).size() >= 4);
    processes.end();
    CHECK(left(mark) == std::vector<std::string>{});
  }
}

TEST_CASE("orphans of a process that has ended on its own are found") {
  const std::string mark = "ORRERY_TEST_MARK=processes-2";
  Processes processes(mark);
  const pid_t pid = shell("setsid sleep 1000 & sleep 1001 & sleep 0.05; echo", mark);
  processes.add(pid);
  siginfo_t info;
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  CHECK(left(mark).size() >= 2);
  processes.end();
  CHECK(left(mark) == std::vector<std::string>{});
}

TEST_CASE("children that do not belong to the run are left alone") {
  const std::string mark = "ORRERY_TEST_MARK=processes-3";
  Processes processes(mark);
  const pid_t stranger = fork();
  if (stranger == 0) {
    pause();
    _exit(0);
  }
  processes.add(shell("echo; exec sleep 1000", mark));
  processes.end();
  CHECK(waitpid(stranger, nullptr, WNOHANG) == 0);  // runs
  kill(stranger, SIGKILL);
  CHECK(waitpid(stranger, nullptr, 0) == stranger);
}

TEST_CASE("an ended process can be asked for its status until the end") {
  Processes processes("ORRERY_TEST_MARK=processes-4");
  const pid_t pid = shell("echo; exit 7", "A=b");
  processes.add(pid);
  siginfo_t info;
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  for (int i = 0; i < 2; ++i) {
    const std::optional<int> status = Processes::ended(pid);
    REQUIRE(status.has_value());
    CHECK(WEXITSTATUS(*status) == 7);
  }
}
