// SPDX-License-Identifier: BSD-3-Clause
#include "launch/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

/// Everything the child needs, as plain pointers: between vfork and exec it runs in our memory and may not allocate.
struct Prepared {
  const char* path;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  const Handed* descriptors;
  std::size_t descriptor_count;
  pid_t launcher;
  const sigset_t* signal_mask;
};

/// What went wrong in the child; it writes here because vfork shares our memory.
struct ChildError {
  const char* volatile step = nullptr;
  volatile int number = 0;
};

/// Handlers of the launcher must not run in the child, nor what it ignores (Python: SIGPIPE, SIGXFSZ) be ignored by the
/// program; what nohup and the like ignore stays ignored.
void default_signals() {
  struct sigaction present {
  }, by_default{};
  by_default.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    if (sigaction(number, nullptr, &present) != 0) continue;
    const bool ignored = present.sa_handler == SIG_IGN && number != SIGPIPE && number != SIGXFSZ;
    if (!ignored && present.sa_handler != SIG_DFL) sigaction(number, &by_default, nullptr);
  }
}

bool take_descriptors(const Prepared& child) {
  for (std::size_t i = 0; i < child.descriptor_count; ++i) {
    const auto [here, there] = child.descriptors[i];
    const bool taken = here == there ? fcntl(here, F_SETFD, 0) == 0 : dup2(here, there) == there;
    if (!taken) return false;
  }
  return true;
}

[[noreturn]] void fail(ChildError& error, const char* step) {
  error.number = errno;
  error.step = step;
  _exit(127);
}

[[noreturn]] void become(const Prepared& child, ChildError& error) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != child.launcher) _exit(127);  // the launcher ended before the line above
  setsid();
  default_signals();
  if (child.directory[0] != '\0' && chdir(child.directory) != 0) fail(error, "enter its working directory");
  if (!take_descriptors(child)) fail(error, "hand it its files");
  sigprocmask(SIG_SETMASK, child.signal_mask, nullptr);
  execve(child.path, child.arguments, child.environment);
  fail(error, "start it");
}

/// Apart, so that no variable of the caller lives in a register across vfork.
[[gnu::noinline]] pid_t vfork_and_become(const Prepared& child, ChildError& error) {
  const pid_t pid = vfork();
  if (pid == 0) become(child, error);
  if (pid < 0) {
    error.number = errno;
    error.step = "create a process for it";
  }
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

pid_t spawn(const Spawn& request) {
  const std::vector<char*> arguments = pointers(request.arguments);
  const std::vector<char*> environment = pointers(request.environment);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  ChildError error;
  const Prepared child{.path = request.path.c_str(),
                       .arguments = arguments.data(),
                       .environment = environment.data(),
                       .directory = request.directory.c_str(),
                       .descriptors = request.descriptors.data(),
                       .descriptor_count = request.descriptors.size(),
                       .launcher = getpid(),
                       .signal_mask = &before};
  const pid_t pid = vfork_and_become(child, error);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error.step == nullptr) return pid;
  if (pid > 0) waitpid(pid, nullptr, 0);
  constexpr int not_executable = 126;
  throw StartError(concat(request.path, ": cannot ", error.step, ": ", std::strerror(error.number)), not_executable);
}

}  // namespace orrery::launch
