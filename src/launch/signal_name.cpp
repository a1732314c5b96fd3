// SPDX-License-Identifier: BSD-3-Clause
#include "launch/signal_name.hpp"

#include <signal.h>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

struct Named {
  int number;
  const char* name;
  const char* meaning;
};

constexpr Named signals[] = {
    {SIGABRT, "SIGABRT", "it called abort(), as failed assertions and uncaught exceptions do"},
    {SIGALRM, "SIGALRM", "a timer that it had set"},
    {SIGBUS, "SIGBUS", "memory that could not be had, or a mapped file that was cut"},
    {SIGFPE, "SIGFPE", "an integer division by zero or a trapped floating-point error"},
    {SIGHUP, "SIGHUP", ""},
    {SIGILL, "SIGILL", "an instruction that this processor does not have"},
    {SIGINT, "SIGINT", ""},
    {SIGKILL, "SIGKILL", "by someone else, or by the system because memory ran out"},
    {SIGPIPE, "SIGPIPE", "it wrote to a pipe that nobody reads"},
    {SIGQUIT, "SIGQUIT", ""},
    {SIGSEGV, "SIGSEGV", "it used memory that is not its own"},
    {SIGSYS, "SIGSYS", "a system call that is not allowed here"},
    {SIGTERM, "SIGTERM", ""},
    {SIGTRAP, "SIGTRAP", "a breakpoint without a debugger"},
    {SIGUSR1, "SIGUSR1", ""},
    {SIGUSR2, "SIGUSR2", ""},
    {SIGXCPU, "SIGXCPU", "the limit of processor time (ulimit -t)"},
    {SIGXFSZ, "SIGXFSZ", "the limit of file sizes (ulimit -f)"},
};

const Named* find(int number) {
  for (const Named& signal : signals) {
    if (signal.number == number) return &signal;
  }
  return nullptr;
}

}  // namespace

std::string signal_name(int number) {
  const Named* known = find(number);
  return known != nullptr ? known->name : concat("signal ", number);
}

std::string signal_meaning(int number) {
  const Named* known = find(number);
  return known != nullptr ? known->meaning : "";
}

}  // namespace orrery::launch
