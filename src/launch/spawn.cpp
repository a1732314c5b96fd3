// SPDX-License-Identifier: BSD-3-Clause
#include "launch/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "launch/descriptor.hpp"

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
  int failures;  ///< where it reports why it could not start the program; closed by exec
};

/// What the child could not do, and errno.
struct Failure {
  const char* step;
  int number;
};

/// Handlers of the launcher must not run in the child, nor what it ignores (Python: SIGPIPE, SIGXFSZ) be ignored by the
/// program; what nohup and the like ignore stays ignored.
void default_signals() {
  struct sigaction present = {};
  struct sigaction by_default = {};
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

[[noreturn]] void fail(const Prepared& child, const char* step) {
  const Failure failure{step, errno};
  // A pipe that was made for it holds it; without it the launcher would take the end of the process for the program's.
  [[maybe_unused]] const auto written = write(child.failures, &failure, sizeof failure);
  _exit(127);
}

[[noreturn]] void become(const Prepared& child) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != child.launcher) _exit(127);  // the launcher ended before the line above
  setsid();
  default_signals();
  if (child.directory[0] != '\0' && chdir(child.directory) != 0) fail(child, "enter its working directory");
  if (!take_descriptors(child)) fail(child, "hand it its files");
  sigprocmask(SIG_SETMASK, child.signal_mask, nullptr);
  execve(child.path, child.arguments, child.environment);
  fail(child, "start it");
}

/// Apart, so that no variable of the caller lives in a register across vfork.
[[gnu::noinline]] pid_t vfork_and_become(const Prepared& child) {
  const pid_t pid = vfork();
  if (pid == 0) become(child);
  return pid;
}

[[noreturn]] void refuse_spawn(const Spawn& request, const Failure& failure) {
  constexpr int not_executable = 126;
  throw StartError(concat(request.path, ": cannot ", failure.step, ": ", std::strerror(failure.number)),
                   not_executable);
}

/// A pipe whose far end has a number that the child does not give to anything else.
Pair make_failure_pipe(const Spawn& request) {
  int highest = STDERR_FILENO;
  for (const Handed& handed : request.descriptors) highest = std::max(highest, handed.there);
  Pair pipe = make_pipe();
  pipe.far = Descriptor(fcntl(pipe.far.number(), F_DUPFD_CLOEXEC, highest + 1));
  if (!pipe.far) refuse_spawn(request, {"open files for it", errno});
  return pipe;
}

/// The child's report, after vfork; nothing when exec has closed the pipe.
std::optional<Failure> read_failure(Pair& failures) {
  failures.far.reset();
  fcntl(failures.near.number(), F_SETFL, 0);  // where vfork is only a fork (sanitizers), this waits for the exec
  Failure failure;
  if (read(failures.near.number(), &failure, sizeof failure) != sizeof failure) return {};
  return failure;
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
  Pair failures = make_failure_pipe(request);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const Prepared child{.path = request.path.c_str(),
                       .arguments = arguments.data(),
                       .environment = environment.data(),
                       .directory = request.directory.c_str(),
                       .descriptors = request.descriptors.data(),
                       .descriptor_count = request.descriptors.size(),
                       .launcher = getpid(),
                       .signal_mask = &before,
                       .failures = failures.far.number()};
  const pid_t pid = vfork_and_become(child);
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) refuse_spawn(request, {"create a process for it", fork_error});
  const std::optional<Failure> failure = read_failure(failures);
  if (!failure) return pid;
  waitpid(pid, nullptr, 0);
  refuse_spawn(request, *failure);
}

}  // namespace orrery::launch
