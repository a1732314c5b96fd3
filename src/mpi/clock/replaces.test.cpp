// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/replaces.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "catch.hpp"

using namespace orrery::mpi;

namespace {

void is_here() {}

}  // namespace

TEST_CASE("functions of the C library are told from those of the library that replaces them", "[clock]") {
  CHECK(is_own_function(reinterpret_cast<const void*>(&is_here)));
  CHECK_FALSE(is_own_function(dlsym(RTLD_NEXT, "getppid")));
  CHECK(function_behind("getppid") == dlsym(RTLD_NEXT, "getppid"));
}

TEST_CASE("a replaced function that the C library lacks ends the run with a line that names it", "[clock]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    (void)function_behind("orrery_has_no_such_function");
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 256> part{};
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(text ==
        "orrery: the program called orrery_has_no_such_function, which the C library of this system does not have\n");
}
