// SPDX-License-Identifier: BSD-3-Clause
#include "launch/descriptor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

[[noreturn]] void cannot(const char* what) { throw InputError(concat("cannot ", what, ": ", std::strerror(errno))); }

/// The file of `number`, under a number that a child's standard streams do not take.
Descriptor above_standard(int number) {
  Descriptor given(number);
  if (number > STDERR_FILENO) return given;
  Descriptor moved(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved) cannot("duplicate a descriptor");
  return moved;
}

Pair near_and_far(const int ends[2]) {
  Pair pair{above_standard(ends[0]), above_standard(ends[1])};
  fcntl(pair.near.number(), F_SETFL, O_NONBLOCK);
  return pair;
}

}  // namespace

Pair make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) cannot("create a pipe for the output of the program");
  return near_and_far(ends);
}

Pair make_record_socket() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) cannot("create a socket");
  return near_and_far(ends);
}

Event::Event() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!descriptor_) cannot("create an event");
}

void Event::raise() const {
  const std::uint64_t increment = 1;
  // It fails only when the counter is full, and then the event is raised already.
  [[maybe_unused]] const auto written = write(descriptor_.number(), &increment, sizeof increment);
}

void Event::lower() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = read(descriptor_.number(), &count, sizeof count);
}

void allow_open_files(std::size_t more, const char* why) {
  const rlim_t needed = static_cast<rlim_t>(first_unused_descriptor()) + more;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) cannot("read the limit of open files");
  if (needed <= limit.rlim_cur) return;
  if (needed > limit.rlim_max) {
    throw InputError(concat(why, " needs ", needed, " open files, the limit is ", limit.rlim_max,
                            ": raise it (ulimit -Hn) or use fewer ranks"));
  }
  limit.rlim_cur = needed;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) cannot("raise the limit of open files");
}

int first_unused_descriptor() {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir("/proc/self/fd"), &closedir);
  if (!listing) cannot("read /proc/self/fd");
  int largest = STDERR_FILENO;
  while (const dirent* entry = readdir(listing.get())) largest = std::max(largest, std::atoi(entry->d_name));
  return largest + 1;
}

}  // namespace orrery::launch
