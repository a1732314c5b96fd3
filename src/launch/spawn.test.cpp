// SPDX-License-Identifier: BSD-3-Clause
#include "launch/spawn.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "catch.hpp"
#include "launch/descriptor.hpp"

using namespace orrery::launch;

namespace {

const std::vector<std::string> plain = {"PATH=/usr/bin:/bin"};

int exit_code_of(const std::string& name) {
  try {
    (void)find_program(name, plain, "");
  } catch (const StartError& error) {
    return error.exit_code();
  }
  return 0;
}

/// What a shell command prints.
std::string output_of(const std::string& command, const std::string& directory = "") {
  Pair pipe = make_pipe();
  const pid_t pid = spawn({.path = "/bin/sh",
                           .arguments = {"sh", "-c", command},
                           .environment = {"PATH=/usr/bin:/bin", "WORD=given"},
                           .directory = directory,
                           .descriptors = {{pipe.far.number(), STDOUT_FILENO}}});
  waitpid(pid, nullptr, 0);
  char buffer[4096];
  const ssize_t count = read(pipe.near.number(), buffer, sizeof buffer);
  return {buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

}  // namespace

TEST_CASE("a program is found as a shell finds it, with the shell's status when it is not") {
  CHECK(find_program("sh", {"PATH=/nowhere:/bin"}, "") == "/bin/sh");
  CHECK(find_program("./sh", plain, "/bin") == "./sh");
  // POSIX shell, 2.8.2: 127 for a command that is not found, 126 for one that is not executable.
  CHECK(exit_code_of("no-such-program-anywhere") == 127);
  CHECK(exit_code_of("/etc/no-such/file") == 127);
  CHECK(exit_code_of("/etc/passwd") == 126);
  CHECK(exit_code_of("/") == 126);
  CHECK(exit_code_of("") == 127);
}

TEST_CASE("a file that is no program for this system is refused with status 126") {
  char path[] = "/tmp/orrery-test-XXXXXX";
  const Descriptor file(mkstemp(path));
  REQUIRE(write(file.number(),
                "\x7f"
                "ELF?",
                5) == 5);
  REQUIRE(fchmod(file.number(), 0700) == 0);
  const Spawn request{.path = path, .arguments = {path}, .environment = plain, .directory = "", .descriptors = {}};
  try {
    (void)spawn(request);
    FAIL("it started");
  } catch (const StartError& error) {
    CHECK(error.exit_code() == 126);
  }
  unlink(path);
}

TEST_CASE("a process gets the environment, directory and descriptors that it is to have, and no others") {
  CHECK(output_of("echo $WORD") == "given\n");
  CHECK(output_of("pwd", "/usr") == "/usr\n");
  const Pair other = make_pipe();
  struct stat about {};
  fstat(other.near.number(), &about);
  const std::string listed = output_of("ls -l /proc/self/fd");
  CHECK(listed.find(" 1 -> pipe:") != std::string::npos);
  CHECK(listed.find("pipe:[" + std::to_string(about.st_ino) + "]") == std::string::npos);
}

TEST_CASE("a process leads a session and a group of its own") {
  // proc(5): pid, name, state, parent, group, session.
  CHECK(output_of("set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $1 = $6 ] && echo own") == "own\n");
}

TEST_CASE("what the launcher ignores does not stay ignored in the program") {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  // proc(5): SigIgn is a mask in hexadecimal; SIGPIPE is bit 12 of it.
  CHECK(output_of(
            "while read name mask; do [ $name = SigIgn: ] && echo $((0x$mask >> 12 & 1)); done < /proc/$$/status") ==
        "0\n");
  sigaction(SIGPIPE, &before, nullptr);
}
